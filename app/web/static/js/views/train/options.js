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
      replace(busy, "A training is running already: wait for it, or cancel it below.");
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
    h("p", { class: "hint" }, `The line sends ${sentFileName(dataset)}: exactly the rows and columns above.`),
  );
  showMode();
  return h(
    "section",
    { "aria-labelledby": "train-title" },
    h("h2", { id: "train-title" }, "How to train"),
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
  const hint = "Letters, digits, dot, dash. A name that exists gets a new version.";
  return field("Name of the model", control, hint);
}

const commonFields = (onChange) => [
  field("Measure by", settingSelect("folds", onChange, Number), "Rows the model has not seen."),
  field("Scale", settingSelect("scale", onChange)),
];

const searchFields = (onChange) => [
  field(
    "Seconds to search",
    settingInput("budget", onChange, { min: "1", max: "3600", step: "1" }),
    "Longer finds better parameters. Where folds measure, half of it is theirs.",
  ),
  field("Look for wrong labels", settingSelect("suspicion", onChange), "Rows that are not believed count less."),
  h(
    "div",
    {},
    settingCheckbox("probability", "Probabilities too", onChange),
    settingCheckbox("balanced", "Weigh small classes up", onChange),
  ),
];

function parameterFields(onChange) {
  const gamma = field("Gamma", settingSelect("gamma", onChange, numberOrText));
  const penalty = field("c1 smooths", settingSelect("penalty", onChange));
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
    field("Smoothness c1", settingInput("c1", onChange, COST_LIMITS), "Larger: smoother planes."),
    penalty,
    field("Strictness c3", settingInput("c3", onChange, COST_LIMITS), "Larger: errors cost more."),
    field("Membership", settingSelect("membership", onChange)),
    settingCheckbox("balanced", "Weigh small classes up", onChange),
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
      ? mode("auto", "Find them", "a search by cross-validation, within the time you give")
      : mode("auto", "Find them", "this service does not search", true),
    mode("chosen", "I choose them", "kernel, costs and memberships"),
  ];
}

/** Note on removed rows, with a button that restores them. */
function excludedRowsNote(plan) {
  const n = plan.excludedRows.size;
  if (n === 0) return null;
  const back = h("button", { type: "button", class: "quiet", onclick: takeBack }, "Take them back in");
  const text = `${plural(n, "row")} that you ticked ${n === 1 ? "is" : "are"} left out. `;
  const line = h("p", { class: "left-out" }, text, back);
  function takeBack() {
    plan.excludedRows.clear();
    replace(line, "All rows are in again.");
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
