/** The train view: open a table, select columns, set options, train. */

import { h, replace } from "../dom.js";
import { session } from "../session.js";
import { columnsPanel } from "./train/columns.js";
import { openPanel } from "./train/open.js";
import { optionsPanel } from "./train/options.js";
import { otherJobsPanel } from "./train/progress.js";

export async function trainView() {
  const view = h("div");
  const open = openPanel(draw);
  // The request fails if the key is missing or has no training scope. The view works without the
  // list.
  const others = await otherJobsPanel().catch(() => null);
  async function draw() {
    replace(view, session.dataset ? await openTableView(open) : [...welcome(), open], others);
  }
  await draw();
  return view;
}

function welcome() {
  return [
    h("h1", {}, "Train a classifier"),
    h(
      "p",
      { class: "lead" },
      "Open a table of rows whose class is known. You get a classifier that fits a plane close to each class, " +
        "a proof that these planes are optimal, and a list of the rows whose label looks wrong.",
    ),
  ];
}

async function openTableView(open) {
  const { dataset, plan } = session;
  const choose = h("div");
  const replan = async () => replace(choose, await optionsPanel(dataset, plan));
  await replan();
  open.classList.add("compact");
  const reopen = (how) => open.reopen(dataset, how);
  return [h("h1", {}, "Train"), open, await columnsPanel(dataset, plan, replan, reopen), choose];
}
