/** Predictions for one row from a form, or for a CSV file. */

import { api } from "../api.js";
import { field, h, select } from "../dom.js";
import { session } from "../session.js";
import { formPanel } from "./predict/form.js";
import { filePanel } from "./predict/file.js";

export async function predictView(model, version) {
  const { items } = await api.models();
  if (items.length === 0) {
    return [
      h("h1", {}, "Predict"),
      h("p", { class: "lead" }, "There is no model to predict with yet."),
      h("p", { class: "actions" }, h("a", { class: "button primary", href: "#train" }, "Train a model")),
    ];
  }
  const chosen = model ?? session.current?.model ?? items[0].model;
  const about = await api.model(chosen);
  const seen = session.current?.model === chosen ? session.current.version : about.serving;
  const number = Number(version ?? seen);
  const info = await api.version(chosen, number);
  const go = (name, at) => {
    location.hash = `#predict/${encodeURIComponent(name)}${at ? `/${at}` : ""}`;
  };
  const models = select(
    items.map((item) => [item.model, item.model]),
    chosen,
    { onchange: () => go(models.value) },
  );
  const versions = select(
    about.versions.map((item) => [item.version, [item.version, ...item.aliases].join(", ")]),
    number,
    { onchange: () => go(chosen, versions.value) },
  );
  return [
    h("h1", {}, "Predict"),
    h("div", { class: "row" }, field("Model", models), field("Version", versions)),
    formPanel(info),
    filePanel(info),
  ];
}
