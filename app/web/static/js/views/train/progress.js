/** Progress of a training, and the buttons that end it. */

import { api } from "../../api.js";
import { h, replace } from "../../dom.js";
import { count, number, percent, plural, scientific, seconds } from "../../format.js";
import { curl } from "../../curl.js";
import { curlCommand } from "../../parts/curl-command.js";
import { errorNotice } from "../../parts/notice.js";
import { notify } from "../../parts/notification.js";
import { announce } from "../../parts/status.js";
import { definitionList } from "../../parts/table.js";
import { session, versionKey } from "../../session.js";
import { followJob } from "../../sse.js";
import { selectionOf } from "./plan.js";

/** Each followed job keeps a connection open, and a browser allows six per host. */
const MAX_OTHER_JOBS = 3;
const KEEP_BEST = "Stop and keep the best";
const KEEP_WITHOUT_VALIDATION = "Skip validation and keep the model";
/** Status of a cancellation that comes too late. */
const CONFLICT = 409;

/**
 * Send the table and follow the job.
 * @param {import("../../csv/dataset.js").Dataset} dataset
 * @param {any} plan
 * @param {any} options
 * @param {HTMLElement} place container of the progress panel
 * @param {boolean} keepable whether the training can be stopped early with the best configuration
 */
export async function startTraining(dataset, plan, options, place, keepable) {
  const panel = h("div", { class: "progress" });
  session.running = { panel, job: null };
  replace(place, panel);
  replace(panel, h("p", {}, "Sending the table …"));
  panel.scrollIntoView({ block: "nearest" });
  try {
    const selection = await selectionOf(dataset, plan);
    const data = {
      dataset,
      target: plan.target,
      features: selection.columns.slice(0, -1),
      excludedRows: selection.excludedRows,
      removedByUser: [...plan.excludedRows],
    };
    const body = await dataset.write(selection);
    const target = dataset.about.columns[plan.target].name;
    const job = await api.train({ target, model: plan.name, options: JSON.stringify(options) }, body);
    session.running.job = job.id;
    const onChange = progressView(job.id, panel, keepable);
    panel.scrollIntoView({ block: "nearest" }); // the panel now includes its buttons
    const ended = await followJob(job.id, onChange);
    session.running = null;
    const { model, version } = ended.result ?? {};
    if (ended.state === "succeeded") {
      session.trained.set(versionKey(model, version), data);
      session.current = { model, version };
    }
    showEnd(ended, panel, plan.name);
    if (ended.state === "succeeded" && panel.isConnected) location.hash = addressOf(ended.result);
  } catch (error) {
    session.running = null;
    replace(panel, errorNotice(error));
    if (!panel.isConnected) notify(`The training of ${plan.name} failed: ${error.message}`);
  }
}

/** Panel of trainings that were started elsewhere or before a reload; null if there are none. */
export async function otherJobsPanel() {
  const states = await Promise.all([api.jobs("running"), api.jobs("queued")]);
  for (const job of states.flatMap(({ items }) => items).slice(0, MAX_OTHER_JOBS)) {
    if (job.id !== session.running?.job && !session.otherJobs.has(job.id)) followOther(job);
  }
  if (session.otherJobs.size === 0) return null;
  return h(
    "section",
    { "aria-labelledby": "others-title" },
    h("h2", { id: "others-title" }, "Other running trainings"),
    [...session.otherJobs.values()],
  );
}

async function followOther({ id, model, progress }) {
  const follow = h("div");
  const panel = h("div", { class: "progress" }, h("h3", {}, model), follow);
  session.otherJobs.set(id, panel);
  try {
    showEnd(await followJob(id, progressView(id, follow, Boolean(progress.search))), follow, model);
  } catch (error) {
    replace(follow, errorNotice(error));
  }
  session.otherJobs.delete(id); // the panel stays visible until the view changes
}

const addressOf = ({ model, version }) => `#result/${encodeURIComponent(model)}/${version}`;

/** Show the outcome in place of the progress, and as a notification if another view is open. */
function showEnd(job, panel, model) {
  const report = (text, address, name) => {
    announce(text);
    if (!panel.isConnected) notify(text, address, name);
  };
  if (job.state === "succeeded") {
    const name = `${job.result.model}, version ${job.result.version}`;
    replace(panel, h("p", {}, "Done. ", h("a", { href: addressOf(job.result) }, name)));
    report(`Training finished: ${name}.`, addressOf(job.result), "Show the result");
    return;
  }
  if (job.state === "cancelled") {
    replace(panel, h("p", {}, "Canceled. No version was created."));
    report(`The training of ${model} was canceled. No version was created.`);
    return;
  }
  const { detail = "The service reported no reason.", errors } = job.error ?? {};
  replace(panel, errorNotice({ title: "Training failed", message: detail, errors }));
  report(`The training of ${model} failed: ${detail}`);
}

/** Returns a function that draws the state of the job, called once per event. */
function progressView(id, panel, keepable) {
  const title = h("p", { class: "phase" }, "Waiting in the queue");
  const bar = h("progress", { max: "100", value: 0, "aria-label": "Progress of the training" });
  const details = h("div");
  const errorPlace = h("div");
  const keep = keepable ? cancelButton(KEEP_BEST, "best") : null;
  function cancelButton(text, keepMode) {
    return h("button", { type: "button", async onclick(event) {
      event.target.disabled = true;
      replace(errorPlace);
      try {
        await api.cancel(id, keepMode);
      } catch (error) {
        if (error.status === CONFLICT) return; // the event stream reports how it ended
        event.target.disabled = false;
        replace(errorPlace, errorNotice(error));
      }
    } }, text);
  }
  // Buttons above the details, whose height changes, so that they do not move.
  replace(
    panel,
    title,
    bar,
    h("div", { class: "actions" }, cancelButton("Cancel"), keep),
    errorPlace,
    details,
    curlCommand("cancel the training", curl(`jobs/${id}`, { method: "DELETE" })),
    keepable ? curlCommand("stop and keep the best", curl(`jobs/${id}?keep=best`, { method: "DELETE" })) : null,
  );
  let announced = "";
  return (job) => {
    const { progress } = job;
    const phase = job.state === "queued" ? "Waiting in the queue" : phaseText(progress);
    replace(title, `${phase} · ${Math.round(progress.percent)} %`);
    bar.value = progress.percent;
    if (keep) replace(keep, isValidating(progress) ? KEEP_WITHOUT_VALIDATION : KEEP_BEST);
    replace(details, definitionList(progressFacts(progress)));
    if (phase !== announced) {
      announced = phase;
      announce(`${phase}, ${Math.round(progress.percent)} percent.`);
    }
  };
}

const FOLD = /^validating (\d+)\/(\d+)$/;
const isValidating = ({ phase }) => FOLD.test(phase);

function phaseText({ phase }) {
  const [, fold, folds] = FOLD.exec(phase) ?? [];
  if (fold) return `Validating, fold ${fold} of ${folds}`;
  const known = {
    preparing: "Preparing", validating: "Validating", searching: "Searching for parameters",
    training: "Training on all rows", evaluating: "Evaluating the training rows", saving: "Saving",
  };
  return known[phase] ?? phase.charAt(0).toUpperCase() + phase.slice(1);
}

/**
 * Progress of the search on all rows. Validation folds run their own searches, which are not
 * reported.
 */
function searchFacts({ tried = 0, planned, best_score: best, seconds_left: left }, isOver) {
  const some = `${plural(tried, "configuration")}${planned ? ` of ${count(planned)} planned` : ""}`;
  const found = [["Tried", some]];
  if (isOver) return found;
  if (isKnown(best)) found.push(["Best score so far", percent(best)]);
  if (isKnown(left)) found.push(["Search time left", seconds(left)]);
  return found;
}

const isKnown = (value) => value !== null && value !== undefined;

function progressFacts(progress) {
  const { sweep, gap, plane, n_planes: planes, search } = progress;
  const found = [];
  if (search) found.push(...searchFacts(search, isValidating(progress)));
  if (isKnown(sweep)) {
    found.push(["Sweep", planes ? `${number(sweep)}, plane ${plane + 1} of ${planes}` : number(sweep)]);
    if (isKnown(gap)) found.push(["Duality gap", `objective at most ${scientific(gap)} (relative) above its minimum`]);
  }
  return found;
}
