/** Training options and the button that starts a training. */

import { choice, field, h, replace, select } from "../../dom.js";
import { curl } from "../../curl.js";
import { withQuery } from "../../api.js";
import { capabilities } from "../../capabilities.js";
import { plural } from "../../format.js";
import { curlCommand } from "../../parts/curl-command.js";
import { download, nameWithSuffix } from "../../parts/download.js";
import { announce } from "../../parts/status.js";
import { session } from "../../session.js";
import { canBeTarget, selectionOf } from "./plan.js";
import { startTraining } from "./progress.js";
import { CHOICES, settings, trainingOptions } from "./settings.js";

const NAME = "[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}";
const COST_LIMITS = { min: "1e-10", max: "1e10", step: "any" };

/**
 * @param {import("../../csv/dataset.js").Dataset} dataset
 * @param {any} plan
 */
export async function optionsPanel(dataset, plan) {
  const supports = await capabilities();
  if (!supports.search) settings.mode = "chosen";
  const running = h("div", { class: "running" }, session.running?.panel);
  const line = curlCommand("train", "");
  const busy = h("p", { class: "hint" });
  const parameters = h("div", { class: "parameters" });

  const refresh = () => line.show(trainCommand(dataset, plan));
  function showMode() {
    replace(parameters, settings.mode === "auto" ? searchFields(refresh) : parameterFields(refresh));
    refresh();
  }
  async function train(event) {
    event.preventDefault();
    if (session.running) {
      replace(busy, "A training is already running. Wait until it ends, or cancel it below.");
      announce(busy.textContent);
      return;
    }
    replace(busy);
    const keepable = settings.mode === "auto" && supports.keep;
    await startTraining(dataset, plan, trainingOptions(dataset, plan), running, keepable);
  }
  async function saveSentFile() {
    download(await dataset.write(await selectionOf(dataset, plan)), sentFileName(dataset));
  }
  const form = h(
    "form",
    { onsubmit: train },
    h("div", { class: "row" }, nameField(plan, refresh), ...commonFields(refresh)),
    h(
      "fieldset",
      {},
      h("legend", {}, "Parameters"),
      h("div", { class: "modes" }, modeChoice(supports, showMode)),
      parameters,
    ),
    excludedRowsNote(plan),
    h(
      "div",
      { class: "actions" },
      h("button", { type: "submit", class: "primary", disabled: !isReady(dataset, plan) }, "Train"),
      h(
        "button",
        { type: "button", class: "quiet", onclick: saveSentFile },
        `Download ${sentFileName(dataset)}`,
      ),
    ),
    busy,
    line,
    h("p", { class: "hint" }, `The command sends ${sentFileName(dataset)}: the rows and columns selected above.`),
  );
  showMode();
  return h(
    "section",
    { "aria-labelledby": "train-title" },
    h("h2", { id: "train-title" }, "Training options"),
    form,
    running,
  );
}

const isReady = (dataset, plan) =>
  canBeTarget(dataset.about.columns[plan.target]) && plan.features.size > 0;

/** Store the value of a control in the settings whenever it changes. */
function bindSetting(name, control, onChange, convert = (text) => text) {
  control.addEventListener("change", () => {
    settings[name] = control.type === "checkbox" ? control.checked : convert(control.value);
    onChange();
  });
  return control;
}

const settingSelect = (name, onChange, convert) =>
  bindSetting(name, select(CHOICES[name], settings[name]), onChange, convert);

const settingInput = (name, onChange, limits) =>
  bindSetting(
    name,
    h("input", { type: "number", value: settings[name], required: true, ...limits }),
    onChange,
    Number,
  );

function settingCheckbox(name, label, onChange) {
  const element = choice("checkbox", label, { checked: settings[name] });
  bindSetting(name, element.firstChild, onChange);
  return element;
}

function nameField(plan, onChange) {
  const control = h("input", {
    id: "model-name",
    value: plan.name,
    required: true,
    pattern: NAME,
    autocomplete: "off",
    spellcheck: "false",
    oninput() {
      plan.name = control.value;
      onChange();
    },
  });
  const hint = "Letters, digits, dots, dashes and underscores. An existing model gets a new version.";
  return field("Model name", control, hint);
}

const commonFields = (onChange) => [
  field("Validation", settingSelect("folds", onChange, Number), "Measures the accuracy on held-out rows."),
  field("Scaling", settingSelect("scale", onChange)),
];

const searchFields = (onChange) => [
  field(
    "Search time in seconds",
    settingInput("budget", onChange, { min: "1", max: "3600", step: "1" }),
    "A longer search finds better parameters. With validation, the folds take half of the time.",
  ),
  field("Detect wrong labels", settingSelect("suspicion", onChange), "Suspected rows get less weight."),
  h(
    "div",
    {},
    settingCheckbox("probability", "Estimate probabilities", onChange),
    settingCheckbox("balanced", "Balance class weights", onChange),
  ),
];

function parameterFields(onChange) {
  const gammaHint = "Larger values give a narrower RBF kernel. scale: 1 / (inputs × variance). auto: 1 / inputs.";
  const gamma = field("Gamma", settingSelect("gamma", onChange, numberOrText), gammaHint);
  const penalty = field("c1 regularizes", settingSelect("penalty", onChange));
  // Hidden rather than removed: redrawing the fields would lose the focus.
  const hideOthers = () => {
    for (const one of [gamma, penalty]) one.hidden = settings.kernel === "linear";
  };
  const kernelChanged = () => {
    hideOthers();
    onChange();
  };
  hideOthers();
  return [
    field("Kernel", settingSelect("kernel", kernelChanged)),
    gamma,
    field("Regularization c1", settingInput("c1", onChange, COST_LIMITS), "Larger values give smoother planes."),
    penalty,
    field(
      "Slack cost c3",
      settingInput("c3", onChange, COST_LIMITS),
      "Larger values push a plane further away from the rows of the other class.",
    ),
    field("Membership", settingSelect("membership", onChange), "Rows that look mislabeled get less weight."),
    settingCheckbox("balanced", "Balance class weights", onChange),
  ];
}

const numberOrText = (text) => (Number.isNaN(Number(text)) ? text : Number(text));

function modeChoice(supports, onChange) {
  const mode = (value, label, about, disabled = false) =>
    h(
      "label",
      { class: "mode" },
      h("input", {
        type: "radio",
        name: "mode",
        value,
        checked: settings.mode === value,
        disabled,
        onchange() {
          settings.mode = value;
          onChange();
        },
      }),
      h("span", {}, h("strong", {}, label), h("span", {}, about)),
    );
  return [
    supports.search
      ? mode("auto", "Search automatically", "cross-validated search within a time limit")
      : mode("auto", "Search automatically", "not available in this service", true),
    mode("chosen", "Set manually", "kernel, costs and memberships"),
  ];
}

/** Note on removed rows, with a button that restores them. */
function excludedRowsNote(plan) {
  const n = plan.excludedRows.size;
  if (n === 0) return null;
  const back = h("button", { type: "button", class: "quiet", onclick: restore }, "Include them again");
  const text = `${plural(n, "row")} that you removed ${n === 1 ? "is" : "are"} excluded. `;
  const line = h("p", { class: "excluded" }, text, back);
  function restore() {
    plan.excludedRows.clear();
    replace(line, "All rows are included again.");
    line.tabIndex = -1;
    line.focus(); // the button that had the focus is gone
  }
  return line;
}

/** Name of the downloadable file that is identical to the request body. */
const sentFileName = (dataset) => nameWithSuffix(dataset.name, "as-sent");

function trainCommand(dataset, plan) {
  const path = withQuery("train", {
    target: dataset.about.columns[plan.target].name,
    model: plan.name,
    options: JSON.stringify(trainingOptions(dataset, plan)),
  });
  return curl(path, { file: sentFileName(dataset), headers: ["content-type: text/csv"] });
}
