/** Open a file or an example table. */

import { h, replace } from "../../dom.js";
import { Dataset } from "../../csv/dataset.js";
import { examples } from "../../examples.js";
import { errorNotice } from "../../parts/notice.js";
import { announce } from "../../parts/status.js";
import { openTable } from "../../session.js";
import { defaultPlan } from "./plan.js";

/** @param {() => Promise<void>} onOpen */
export function openPanel(onOpen) {
  const report = h("div");
  const input = h("input", {
    type: "file",
    id: "file",
    class: "visually-hidden",
    accept: ".csv,.tsv,.txt,text/csv",
    onchange: () => input.files.length && open(async () => input.files[0]),
  });
  const drop = h(
    "div",
    { class: "drop" },
    input,
    h(
      "label",
      { for: "file" },
      h("strong", {}, "Choose a CSV file"),
      h("span", {}, "or drop it here. Nothing is sent until you train."),
    ),
  );

  /**
   * @param {{hasHeader?: boolean, focus?: string}} [how] the header is guessed by default; `focus`:
   * id of the element to focus
   */
  async function open(source, { hasHeader, focus = "table-title" } = {}) {
    const bar = h("progress", { max: "1", value: 0, "aria-label": "Reading the file" });
    replace(report, bar);
    announce("Reading the file.");
    let dataset;
    try {
      const file = await source();
      dataset = new Dataset(file.name);
      await dataset.load(file, { onProgress: (share) => (bar.value = share), hasHeader });
      openTable(dataset, await defaultPlan(dataset));
      replace(report);
      await onOpen();
      const { nRows, columns } = dataset.about;
      announce(`${dataset.name} is open: ${nRows} rows, ${columns.length} columns.`);
      document.getElementById(focus)?.focus();
    } catch (error) {
      dataset?.close();
      replace(report, errorNotice(error));
    } finally {
      input.value = ""; // the same file can be selected again after a correction
    }
  }

  const panel = h(
    "section",
    { class: "open", "aria-label": "Open a table" },
    drop,
    h(
      "div",
      { class: "examples" },
      h("p", { id: "examples-title" }, "Or start with an example"),
      h(
        "ul",
        { "aria-labelledby": "examples-title" },
        examples.map((example) =>
          h(
            "li",
            {},
            h(
              "button",
              { type: "button", class: "example", onclick: () => open(example.open) },
              h("strong", {}, example.title),
              h("span", {}, example.about),
            ),
          ),
        ),
      ),
    ),
    report,
  );
  // A new `Dataset`, because a result may still use the open one.
  panel.reopen = ({ file }, how) => open(async () => file, how);
  return panel;
}
