/**
 * Router of the studio: shows the view that the URL fragment names, and asks for a key if
 * necessary.
 */

import { api, onAccessDenied } from "./api.js";
import { acceptDroppedFiles } from "./parts/file-drop.js";
import { errorNotice } from "./parts/notice.js";
import { showForgetButton, showKeyForm } from "./views/key.js";
import { modelsView } from "./views/models.js";
import { predictView } from "./views/predict.js";
import { resultView } from "./views/result.js";
import { trainView } from "./views/train.js";
import { replace } from "./dom.js";

const VIEWS = { train: trainView, result: resultView, predict: predictView, models: modelsView };
const main = document.getElementById("view");
const links = [...document.querySelectorAll("nav a")];
let latestRequest = 0;

/** `#result/churn/3` becomes the view "result" with the arguments "churn" and "3". */
function route() {
  const [name, ...rest] = location.hash.slice(1).split("/");
  return Object.hasOwn(VIEWS, name) ? { name, rest } : { name: "train", rest: [] };
}

/** Decode a percent-encoded part of the fragment. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error(`The address of this page is invalid: ${part} is not percent-encoded correctly.`);
  }
}

async function show({ focus = true } = {}) {
  if (location.hash === "#view") return main.focus(); // the skip link
  const { name, rest } = route();
  const request = (latestRequest += 1);
  for (const link of links) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  let content;
  try {
    content = await VIEWS[name](...rest.map(decoded));
  } catch (error) {
    content = errorNotice(error);
  }
  if (request !== latestRequest) return; // another view was requested in the meantime
  replace(main, content);
  main.dataset.shown = name;
  document.title = `${main.querySelector("h1")?.textContent ?? "Error"} · FR-TSVM Studio`;
  if (focus) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
}

addEventListener("hashchange", () => show());
acceptDroppedFiles(main, async () => {
  history.pushState(null, "", "#train"); // this view has a file input
  await show();
});
async function reload() {
  showForgetButton(reload);
  await show({ focus: false });
  // This request needs a key. If the key is missing, the key form appears now and not after the
  // user has filled in another form.
  api.models().catch(() => {});
}
onAccessDenied((problem) => showKeyForm(problem, reload));
await reload();
