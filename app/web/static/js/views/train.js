/** From a table to a training: open, look, choose, train. */

import { h, replace } from "../dom.js";
import { session } from "../session.js";
import { columnsPanel } from "./train/columns.js";
import { openPanel } from "./train/open.js";
import { optionsPanel } from "./train/options.js";
import { othersPanel } from "./train/running.js";

export async function trainView() {
  const view = h("div");
  const open = openPanel(draw);
  // A key may not be allowed to train, or still be wanted: the view does without then.
  const others = await othersPanel().catch(() => null);
  async function draw() {
    replace(view, session.dataset ? await opened(open) : [...welcome(), open], others);
  }
  await draw();
  return view;
}

function welcome() {
  return [
    h("h1", {}, "A table and a question"),
    h(
      "p",
      { class: "lead" },
      "Bring rows whose class is known. You get a classifier, a proof that it is the best of its kind, " +
        "and the rows whose label it does not believe.",
    ),
  ];
}

async function opened(open) {
  const { dataset, plan } = session;
  const choose = h("div");
  const replan = async () => replace(choose, await optionsPanel(dataset, plan));
  await replan();
  open.classList.add("compact");
  const reopen = (how) => open.reopen(dataset, how);
  return [h("h1", {}, "Train"), open, await columnsPanel(dataset, plan, replan, reopen), choose];
}
