/** Open a file, or an example. */

import { h, replace } from "../../dom.js";
import { Dataset } from "../../csv/dataset.js";
import { examples } from "../../examples.js";
import { failure } from "../../parts/notice.js";
import { say } from "../../parts/status.js";
import { openTable } from "../../session.js";
import { firstPlan } from "./plan.js";

/** @param {() => Promise<void>} onOpen */
export function openPanel(onOpen) {
  const report = h("div");
  const input = h("input", {
    type: "file",
    id: "file",
    class: "unseen",
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
      h("span", {}, "or drop it here. It stays in this browser until you train."),
    ),
  );

  /** @param {{hasHeader?: boolean, focus?: string}} [how] what is not said is guessed; who gets the focus */
  async function open(source, { hasHeader, focus = "table-title" } = {}) {
    const bar = h("progress", { max: "1", value: 0, "aria-label": "Reading the file" });
    replace(report, bar);
    say("Reading the file.");
    let dataset;
    try {
      const file = await source();
      dataset = new Dataset(file.name);
      await dataset.load(file, { onProgress: (share) => (bar.value = share), hasHeader });
      openTable(dataset, await firstPlan(dataset));
      replace(report);
      await onOpen();
      const { nRows, columns } = dataset.about;
      say(`${dataset.name} is open: ${nRows} rows, ${columns.length} columns.`);
      document.getElementById(focus)?.focus();
    } catch (error) {
      dataset?.close();
      replace(report, failure(error));
    } finally {
      input.value = ""; // the same file may be chosen again, mended
    }
  }

  const panel = h(
    "section",
    { class: "open", "aria-label": "Open a table" },
    drop,
    h(
      "div",
      { class: "examples" },
      h("p", { id: "examples-title" }, "Or begin with an example"),
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
  // A table of its own: a result may still need the one that is open.
  panel.reopen = ({ file }, how) => open(async () => file, how);
  return panel;
}
