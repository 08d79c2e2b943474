/** What the search tried, if there was one. */

import { h } from "../../dom.js";
import { number, percent, plural, seconds } from "../../format.js";
import { numeric, plainTable, scrolling } from "../../parts/table.js";

const ENDS = { time_budget: ", until the time was up", requested: ", until you stopped it" };

export function searchPanel({ search, probability }) {
  if (!search) return null;
  const names = [...new Set(search.best.flatMap((row) => Object.keys(row.params)))];
  const table = plainTable(
    "The best configurations",
    ["Rank", ...names, numeric("Score")],
    search.best.map((row) => [
      row.rank,
      ...names.map((name) => shown(row.params[name])),
      percent(row.mean),
    ]),
    { captionShown: true },
  );
  return h(
    "section",
    { "aria-labelledby": "search-title" },
    h("h2", { id: "search-title" }, "How the parameters were found"),
    h(
      "p",
      {},
      `${plural(search.n_configurations, "configuration")} in ${seconds(search.seconds)}` +
        `${ENDS[search.stopped_early] ?? ""}, judged by ${search.scoring} over ${search.folds} folds. ` +
        `The best reached ${percent(search.best_score)}.`,
    ),
    scrolling("The best configurations", table),
    probability ? h("p", { class: "hint" }, calibration(probability)) : null,
  );
}

function calibration({ method, brier, calibration_error: error }) {
  return (
    `Probabilities by ${method}: Brier score ${number(brier, 3)}, ` +
    `off by ${percent(error)} on average.`
  );
}

function shown(value) {
  if (value === undefined || value === null) return "–";
  return typeof value === "number" ? number(value, 4) : String(value);
}
