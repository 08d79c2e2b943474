/** Which view the address asks for, and the key if the service wants one. */

import { api, whenRefused } from "./api.js";
import { takeDrops } from "./parts/drop.js";
import { failure } from "./parts/notice.js";
import { showForgetting, showKeyForm } from "./views/key.js";
import { modelsView } from "./views/models.js";
import { predictView } from "./views/predict.js";
import { resultView } from "./views/result.js";
import { trainView } from "./views/train.js";
import { replace } from "./dom.js";

const VIEWS = { train: trainView, result: resultView, predict: predictView, models: modelsView };
const main = document.getElementById("view");
const links = [...document.querySelectorAll("nav a")];
let shown = 0;

/** `#result/churn/3` -> the view and its arguments. */
function route() {
  const [name, ...rest] = location.hash.slice(1).split("/");
  return Object.hasOwn(VIEWS, name) ? { name, rest } : { name: "train", rest: [] };
}

/** A part of the address as it was before it was written there. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error(`the address of this page is damaged: ${part}`);
  }
}

async function show({ focus = true } = {}) {
  if (location.hash === "#view") return main.focus(); // the link that skips the navigation
  const { name, rest } = route();
  const mine = (shown += 1);
  for (const link of links) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  let content;
  try {
    content = await VIEWS[name](...rest.map(decoded));
  } catch (error) {
    content = failure(error);
  }
  if (mine !== shown) return; // another one was asked for meanwhile
  replace(main, content);
  main.dataset.shown = name;
  document.title = `${main.querySelector("h1")?.textContent ?? "Problem"} · FR-TSVM Studio`;
  if (focus) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
}

addEventListener("hashchange", () => show());
takeDrops(main, async () => {
  history.pushState(null, "", "#train"); // what would take a file is there
  await show();
});
async function showAgain() {
  showForgetting(showAgain);
  await show({ focus: false });
  // A call that needs a key tells whether one is wanted, before work is put into a form.
  api.models().catch(() => {});
}
whenRefused((problem) => showKeyForm(problem, showAgain));
await showAgain();
