/** How to train, and the button that does it. */

import { choice, field, h, replace, select } from "../../dom.js";
import { curl } from "../../curl.js";
import { withQuery } from "../../api.js";
import { capabilities } from "../../capabilities.js";
import { plural } from "../../format.js";
import { command } from "../../parts/command.js";
import { download, renamed } from "../../parts/download.js";
import { failure } from "../../parts/notice.js";
import { say } from "../../parts/status.js";
import { session } from "../../session.js";
import { couldBeTarget, wishOf } from "./plan.js";
import { startTraining } from "./running.js";

const NAME = "[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}";

/** What was chosen last, as long as the page is open. */
const chosen = {
  mode: "auto", budget: 30, probability: true,
  kernel: "rbf", c1: 1, c3: 1, gamma: "scale", membership: "center", balanced: false,
  scale: "minmax", folds: 5,
};

/**
 * @param {import("../../csv/dataset.js").Dataset} dataset
 * @param {any} plan
 */
export async function optionsPanel(dataset, plan) {
  const able = await capabilities();
  if (!able.search) chosen.mode = "chosen";
  const panel = h("div", { class: "running" });
  if (session.running) replace(panel, session.running.panel);
  const line = command("train", "");
  const parameters = h("div", { class: "parameters" });

  const bind = (name, control, convert = (text) => text) => {
    control.addEventListener("change", () => {
      chosen[name] = control.type === "checkbox" ? control.checked : convert(control.value);
      redraw();
    });
    return control;
  };
  const numeric = (name, properties) =>
    bind(name, h("input", { type: "number", value: chosen[name], required: true, ...properties }), Number);

  const name = h("input", {
    id: "model-name", value: plan.name, required: true, pattern: NAME, autocomplete: "off", spellcheck: "false",
    onchange() {
      plan.name = name.value;
      redraw();
    },
  });

  function redraw() {
    replace(parameters, chosen.mode === "auto" ? automatic() : manual());
    line.show(curlOf(dataset, plan));
  }
  const automatic = () => [
    field("Seconds to search", numeric("budget", { min: "1", max: "3600", step: "1" }), "Longer finds better parameters."),
    choiceOf("probability", "Probabilities too"),
  ];
  const manual = () => [
    field("Kernel", bind("kernel", select([["rbf", "RBF"], ["linear", "Linear"], ["poly", "Polynomial"], ["sigmoid", "Sigmoid"]], chosen.kernel))),
    chosen.kernel === "linear" ? null : field("Gamma", bind("gamma", select([["scale", "scale"], ["auto", "auto"], [0.1, "0.1"], [1, "1"], [10, "10"], [100, "100"]], chosen.gamma), (text) => (Number.isNaN(Number(text)) ? text : Number(text)))),
    field("Smoothness c1", numeric("c1", { min: "1e-10", max: "1e10", step: "any" }), "Larger: smoother planes."),
    field("Strictness c3", numeric("c3", { min: "1e-10", max: "1e10", step: "any" }), "Larger: errors cost more."),
    field("Membership", bind("membership", select([["center", "by distance to the centre"], ["neighbors", "by neighbours"], ["none", "none: trust every label"]], chosen.membership))),
    choiceOf("balanced", "Weigh small classes up"),
  ];
  const choiceOf = (key, label) => {
    const element = choice("checkbox", label, { checked: chosen[key] });
    bind(key, element.firstChild);
    return element;
  };
  const mode = (value, label, about, disabled) =>
    h(
      "label",
      { class: "mode" },
      h("input", {
        type: "radio", name: "mode", value, checked: chosen.mode === value, disabled,
        onchange() {
          chosen.mode = value;
          redraw();
        },
      }),
      h("span", {}, h("strong", {}, label), h("span", {}, about)),
    );

  const ready = couldBeTarget(dataset.about.columns[plan.target]) && plan.features.size > 0;
  const form = h(
    "form",
    {
      async onsubmit(event) {
        event.preventDefault();
        if (session.running) {
          say("A training is running already.");
          return;
        }
        plan.name = name.value;
        try {
          await startTraining(dataset, plan, optionsOf(dataset, plan), panel, chosen.mode === "auto" && able.keep);
        } catch (error) {
          replace(panel, failure(error));
        }
      },
    },
    h("div", { class: "row" },
      field("Name of the model", name, "Letters, digits, dot, dash. A name that exists gets a new version."),
      field("Measure by", bind("folds", select([[5, "5 folds"], [10, "10 folds"], [3, "3 folds"], [0, "nothing"]], chosen.folds), Number), "Rows the model has not seen."),
      field("Scale", bind("scale", select([["minmax", "to 0 … 1"], ["standard", "to mean 0, deviation 1"], ["none", "not at all"]], chosen.scale)))),
    h("fieldset", {}, h("legend", {}, "Parameters"),
      h("div", { class: "modes" },
        mode("auto", "Find them", able.search ? "a search by cross-validation, within the time you give" : "this service does not search", !able.search),
        mode("chosen", "I choose them", "kernel, costs and memberships")),
      parameters),
    leftOut(plan),
    h("div", { class: "actions" },
      h("button", { type: "submit", class: "primary", disabled: !ready }, "Train"),
      h("button", { type: "button", class: "quiet", async onclick() {
        download(await dataset.write({ ...await wishOf(dataset, plan), guard: true }), renamed(dataset.name, "as-sent"));
      } }, "Download the CSV as it is sent")),
    line,
  );
  redraw();
  return h("section", { "aria-labelledby": "train-title" }, h("h2", { id: "train-title" }, "How to train"), form, panel);
}

/** Which rows the user has taken out, and a way back. */
function leftOut(plan) {
  if (plan.without.size === 0) return null;
  const verb = plan.without.size === 1 ? "is" : "are";
  const line = h("p", { class: "left-out" }, `${plural(plan.without.size, "row")} that you ticked ${verb} left out. `);
  const back = h("button", { type: "button", class: "quiet", onclick() {
    plan.without.clear();
    line.remove();
  } }, "Take them back in");
  line.append(back);
  return line;
}

/** The options of POST /train. */
export function optionsOf(dataset, plan) {
  const used = [...plan.features].map((i) => dataset.about.columns[i]);
  const options = { scale: chosen.scale };
  if (used.some((column) => column.missing > 0)) options.impute = "median";
  if (used.some((column) => column.kind === "text")) options.one_hot = true;
  if (chosen.folds) options.validation = { folds: chosen.folds };
  if (chosen.mode === "auto") {
    options.params = "auto";
    options.search = { time_budget: chosen.budget };
    if (chosen.probability) options.search.probability = "sigmoid";
  } else {
    const { kernel, c1, c3, gamma, membership } = chosen;
    options.params = { kernel, c1, c3, membership };
    if (kernel !== "linear") options.params.gamma = gamma;
    if (chosen.balanced) options.params.class_weight = "balanced";
  }
  return options;
}

function curlOf(dataset, plan) {
  const path = withQuery("train", {
    target: dataset.about.columns[plan.target].name,
    model: plan.name,
    options: JSON.stringify(optionsOf(dataset, plan)),
  });
  return curl(path, { file: dataset.name, headers: ["content-type: text/csv"] });
}
