/** What the search tried, if there was one. */

import { h } from "../../dom.js";
import { number, percent, plural, seconds } from "../../format.js";
import { pairs, scrolling } from "../../parts/table.js";

export function searchPanel({ search, probability, params }) {
  if (!search) return null;
  const names = [...new Set((search.best ?? []).flatMap((row) => Object.keys(row.params)))];
  const early = { time_budget: ", until the time was up", requested: ", until you stopped it" }[search.stopped_early] ?? "";
  return h(
    "section",
    { "aria-labelledby": "search-title" },
    h("h2", { id: "search-title" }, "How the parameters were found"),
    h("p", {}, `${plural(search.n_configurations, "configuration")} in ${seconds(search.seconds ?? 0)}${early}, judged by ${search.scoring} over ${search.folds} folds. The best reached ${percent(search.best_score)}.`),
    search.best?.length
      ? scrolling("The best configurations", h("table", {},
          h("caption", {}, "The best configurations"),
          h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, name)), h("th", { scope: "col", class: "number" }, "Score"))),
          h("tbody", {}, search.best.map((row) => h("tr", {},
            names.map((name) => h("td", {}, shown(row.params[name]))),
            h("td", { class: "number" }, percent(row.mean)))))))
      : pairs(Object.entries(search.best_params ?? params).map(([name, value]) => [name, shown(value)])),
    probability ? h("p", { class: "hint" }, `Probabilities by ${probability.method}: Brier score ${number(probability.brier, 3)}, off by ${percent(probability.calibration_error)} on average.`) : null,
  );
}

const shown = (value) => (typeof value === "number" ? number(value, 4) : value === undefined ? "–" : String(value));
