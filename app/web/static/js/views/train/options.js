/** How to train, and the button that does it. */

import { choice, field, h, replace, select } from "../../dom.js";
import { curl } from "../../curl.js";
import { withQuery } from "../../api.js";
import { capabilities } from "../../capabilities.js";
import { plural } from "../../format.js";
import { command } from "../../parts/command.js";
import { download, renamed } from "../../parts/download.js";
import { say } from "../../parts/status.js";
import { session } from "../../session.js";
import { couldBeTarget, wishOf } from "./plan.js";
import { startTraining } from "./running.js";
import { CHOICES, chosen, optionsOf } from "./values.js";

const NAME = "[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}";
const PENALTY = { min: "1e-10", max: "1e10", step: "any" };

/**
 * @param {import("../../csv/dataset.js").Dataset} dataset
 * @param {any} plan
 */
export async function optionsPanel(dataset, plan) {
  const able = await capabilities();
  if (!able.search) chosen.mode = "chosen";
  const running = h("div", { class: "running" }, session.running?.panel);
  const line = command("train", "");
  const busy = h("p", { class: "hint" });
  const parameters = h("div", { class: "parameters" });

  const refresh = () => line.show(curlOf(dataset, plan));
  function showMode() {
    replace(parameters, chosen.mode === "auto" ? searchFields(refresh) : parameterFields(refresh));
    refresh();
  }
  async function train(event) {
    event.preventDefault();
    if (session.running) {
      replace(busy, "A training is running already: wait for it, or cancel it below.");
      say(busy.textContent);
      return;
    }
    replace(busy);
    const keepable = chosen.mode === "auto" && able.keep;
    await startTraining(dataset, plan, optionsOf(dataset, plan), running, keepable);
  }
  async function saveAsSent() {
    download(await dataset.write(await wishOf(dataset, plan)), sentName(dataset));
  }
  const form = h(
    "form",
    { onsubmit: train },
    h("div", { class: "row" }, nameField(plan, refresh), ...commonFields(refresh)),
    h(
      "fieldset",
      {},
      h("legend", {}, "Parameters"),
      h("div", { class: "modes" }, modes(able, showMode)),
      parameters,
    ),
    leftOut(plan),
    h(
      "div",
      { class: "actions" },
      h("button", { type: "submit", class: "primary", disabled: !isReady(dataset, plan) }, "Train"),
      h(
        "button",
        { type: "button", class: "quiet", onclick: saveAsSent },
        `Download ${sentName(dataset)}`,
      ),
    ),
    busy,
    line,
    h("p", { class: "hint" }, `The line sends ${sentName(dataset)}: exactly the rows and columns above.`),
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
  couldBeTarget(dataset.about.columns[plan.target]) && plan.features.size > 0;

/** A control that writes what is chosen with it. */
function bound(name, control, onChange, convert = (text) => text) {
  control.addEventListener("change", () => {
    chosen[name] = control.type === "checkbox" ? control.checked : convert(control.value);
    onChange();
  });
  return control;
}

const choose = (name, onChange, convert) =>
  bound(name, select(CHOICES[name], chosen[name]), onChange, convert);

const enter = (name, onChange, limits) =>
  bound(
    name,
    h("input", { type: "number", value: chosen[name], required: true, ...limits }),
    onChange,
    Number,
  );

function tick(name, label, onChange) {
  const element = choice("checkbox", label, { checked: chosen[name] });
  bound(name, element.firstChild, onChange);
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
  field("Measure by", choose("folds", onChange, Number), "Rows the model has not seen."),
  field("Scale", choose("scale", onChange)),
];

const searchFields = (onChange) => [
  field(
    "Seconds to search",
    enter("budget", onChange, { min: "1", max: "3600", step: "1" }),
    "Longer finds better parameters. Where folds measure, half of it is theirs.",
  ),
  field("Look for wrong labels", choose("suspicion", onChange), "Rows that are not believed count less."),
  h(
    "div",
    {},
    tick("probability", "Probabilities too", onChange),
    tick("balanced", "Weigh small classes up", onChange),
  ),
];

function parameterFields(onChange) {
  const gamma = field("Gamma", choose("gamma", onChange, numberOrWord));
  const penalty = field("c1 smooths", choose("penalty", onChange));
  // Hidden, not taken away: what is drawn anew would lose the focus.
  const hideOthers = () => {
    for (const one of [gamma, penalty]) one.hidden = chosen.kernel === "linear";
  };
  const kernelChanged = () => {
    hideOthers();
    onChange();
  };
  hideOthers();
  return [
    field("Kernel", choose("kernel", kernelChanged)),
    gamma,
    field("Smoothness c1", enter("c1", onChange, PENALTY), "Larger: smoother planes."),
    penalty,
    field("Strictness c3", enter("c3", onChange, PENALTY), "Larger: errors cost more."),
    field("Membership", choose("membership", onChange)),
    tick("balanced", "Weigh small classes up", onChange),
  ];
}

const numberOrWord = (text) => (Number.isNaN(Number(text)) ? text : Number(text));

function modes(able, onChange) {
  const mode = (value, label, about, disabled = false) =>
    h(
      "label",
      { class: "mode" },
      h("input", {
        type: "radio",
        name: "mode",
        value,
        checked: chosen.mode === value,
        disabled,
        onchange() {
          chosen.mode = value;
          onChange();
        },
      }),
      h("span", {}, h("strong", {}, label), h("span", {}, about)),
    );
  return [
    able.search
      ? mode("auto", "Find them", "a search by cross-validation, within the time you give")
      : mode("auto", "Find them", "this service does not search", true),
    mode("chosen", "I choose them", "kernel, costs and memberships"),
  ];
}

/** Which rows the user has taken out, and a way back. */
function leftOut(plan) {
  const n = plan.without.size;
  if (n === 0) return null;
  const back = h("button", { type: "button", class: "quiet", onclick: takeBack }, "Take them back in");
  const text = `${plural(n, "row")} that you ticked ${n === 1 ? "is" : "are"} left out. `;
  const line = h("p", { class: "left-out" }, text, back);
  function takeBack() {
    plan.without.clear();
    replace(line, "All rows are in again.");
    line.tabIndex = -1;
    line.focus(); // the button that had it is gone
  }
  return line;
}

/** The file that holds what is sent, byte by byte. */
const sentName = (dataset) => renamed(dataset.name, "as-sent");

function curlOf(dataset, plan) {
  const path = withQuery("train", {
    target: dataset.about.columns[plan.target].name,
    model: plan.name,
    options: JSON.stringify(optionsOf(dataset, plan)),
  });
  return curl(path, { file: sentName(dataset), headers: ["content-type: text/csv"] });
}
