/** A training under way: what it does at this moment, and how to end it. */

import { api } from "../../api.js";
import { h, replace } from "../../dom.js";
import { count, number, percent, plural, seconds, tiny } from "../../format.js";
import { curl } from "../../curl.js";
import { command } from "../../parts/command.js";
import { failure } from "../../parts/notice.js";
import { remind } from "../../parts/reminder.js";
import { say } from "../../parts/status.js";
import { pairs } from "../../parts/table.js";
import { session, versionKey } from "../../session.js";
import { followJob } from "../../sse.js";
import { wishOf } from "./plan.js";

/** Each is a connection that stays open, of which a browser has six. */
const MOST_OTHERS = 3;
const KEEP_BEST = "Stop and keep the best";
const KEEP_UNMEASURED = "Keep it without measuring";
/** The answer to whoever cancels too late. */
const HAS_ENDED = 409;

/**
 * Send the table and follow the job.
 * @param {import("../../csv/dataset.js").Dataset} dataset
 * @param {any} plan
 * @param {any} options
 * @param {HTMLElement} place where the progress is shown
 * @param {boolean} keepable whether it can be stopped with the best so far
 */
export async function startTraining(dataset, plan, options, place, keepable) {
  const panel = h("div", { class: "progress" });
  session.running = { panel, job: null };
  replace(place, panel);
  replace(panel, h("p", {}, "Sending the table …"));
  panel.scrollIntoView({ block: "nearest" });
  try {
    const wish = await wishOf(dataset, plan);
    const sent = {
      dataset,
      target: plan.target,
      features: wish.columns.slice(0, -1),
      without: wish.without,
      removed: [...plan.without],
    };
    const body = await dataset.write(wish);
    const target = dataset.about.columns[plan.target].name;
    const job = await api.train({ target, model: plan.name, options: JSON.stringify(options) }, body);
    session.running.job = job.id;
    const onChange = progressView(job.id, panel, keepable);
    panel.scrollIntoView({ block: "nearest" }); // it has its buttons now
    const ended = await followJob(job.id, onChange);
    session.running = null;
    const { model, version } = ended.result ?? {};
    if (ended.state === "succeeded") {
      session.trained.set(versionKey(model, version), sent);
      session.current = { model, version };
    }
    showEnd(ended, panel, plan.name);
    if (ended.state === "succeeded" && panel.isConnected) location.hash = addressOf(ended.result);
  } catch (error) {
    session.running = null;
    replace(panel, failure(error));
    if (!panel.isConnected) remind(`The training of ${plan.name} failed: ${error.message}`);
  }
}

/** Trainings that this page did not begin, or began before it was loaded anew; null if there are none. */
export async function othersPanel() {
  const states = await Promise.all([api.jobs("running"), api.jobs("queued")]);
  for (const job of states.flatMap(({ items }) => items).slice(0, MOST_OTHERS)) {
    if (job.id !== session.running?.job && !session.others.has(job.id)) followOther(job);
  }
  if (session.others.size === 0) return null;
  return h(
    "section",
    { "aria-labelledby": "others-title" },
    h("h2", { id: "others-title" }, "Under way already"),
    [...session.others.values()],
  );
}

async function followOther({ id, model, progress }) {
  const follow = h("div");
  const panel = h("div", { class: "progress" }, h("h3", {}, model), follow);
  session.others.set(id, panel);
  try {
    showEnd(await followJob(id, progressView(id, follow, Boolean(progress.search))), follow, model);
  } catch (error) {
    replace(follow, failure(error));
  }
  session.others.delete(id); // it stays in sight until the view is left
}

const addressOf = ({ model, version }) => `#result/${encodeURIComponent(model)}/${version}`;

/** Shown where the progress was; whoever looks at another view is reminded there. */
function showEnd(job, panel, model) {
  const tell = (text, address, name) => {
    say(text);
    if (!panel.isConnected) remind(text, address, name);
  };
  if (job.state === "succeeded") {
    const name = `${job.result.model}, version ${job.result.version}`;
    replace(panel, h("p", {}, "Done. ", h("a", { href: addressOf(job.result) }, name)));
    tell(`Training ended: ${name}.`, addressOf(job.result), "Look at it");
    return;
  }
  if (job.state === "cancelled") {
    replace(panel, h("p", {}, "Cancelled. Nothing was kept."));
    tell(`The training of ${model} was cancelled.`);
    return;
  }
  const { detail = "for an unknown reason", errors } = job.error ?? {};
  replace(panel, failure({ title: "The training failed", message: detail, errors }));
  tell(`The training of ${model} failed: ${detail}`);
}

/** Draws the progress, once per event. */
function progressView(id, panel, keepable) {
  const title = h("p", { class: "phase" }, "Waiting for its turn");
  const bar = h("progress", { max: "100", value: 0, "aria-label": "Progress of the training" });
  const details = h("div");
  const trouble = h("div");
  const keep = keepable ? end(KEEP_BEST, "best") : null;
  function end(text, keeping) {
    return h("button", { type: "button", async onclick(event) {
      event.target.disabled = true;
      replace(trouble);
      try {
        await api.cancel(id, keeping);
      } catch (error) {
        if (error.status === HAS_ENDED) return; // the stream tells how
        event.target.disabled = false;
        replace(trouble, failure(error));
      }
    } }, text);
  }
  // The buttons come before what grows, so that they stay where they are.
  replace(
    panel,
    title,
    bar,
    h("div", { class: "actions" }, end("Cancel"), keep),
    trouble,
    details,
    command("cancel the training", curl(`jobs/${id}`, { method: "DELETE" })),
    keepable ? command("stop and keep the best", curl(`jobs/${id}?keep=best`, { method: "DELETE" })) : null,
  );
  let spoken = "";
  return (job) => {
    const { progress } = job;
    const phase = job.state === "queued" ? "Waiting for its turn" : sentence(progress);
    replace(title, `${phase} · ${Math.round(progress.percent)} %`);
    bar.value = progress.percent;
    if (keep) replace(keep, isMeasuring(progress) ? KEEP_UNMEASURED : KEEP_BEST);
    replace(details, pairs(facts(progress)));
    if (phase !== spoken) {
      spoken = phase;
      say(`${phase}, ${Math.round(progress.percent)} per cent.`);
    }
  };
}

const FOLD = /^validating (\d+)\/(\d+)$/;
const isMeasuring = ({ phase }) => FOLD.test(phase);

function sentence({ phase }) {
  const [, fold, folds] = FOLD.exec(phase) ?? [];
  if (fold) return `Measuring, fold ${fold} of ${folds}`;
  const known = {
    preparing: "Preparing", validating: "Measuring", searching: "Searching for parameters",
    training: "Training on all rows", evaluating: "Looking at every row", saving: "Saving",
  };
  return known[phase] ?? phase.charAt(0).toUpperCase() + phase.slice(1);
}

/** The search for the model. Folds that measure have searches of their own, which the service does not tell. */
function searchFacts({ tried = 0, planned, best_score: best, seconds_left: left }, isOver) {
  const some = `${plural(tried, "configuration")}${planned ? ` of ${count(planned)} planned` : ""}`;
  const found = [["Tried on all rows", some]];
  if (isOver) return found;
  if (isKnown(best)) found.push(["Best so far", percent(best)]);
  if (isKnown(left)) found.push(["Time left to search", seconds(left)]);
  return found;
}

const isKnown = (value) => value !== null && value !== undefined;

function facts(progress) {
  const { sweep, gap, plane, n_planes: planes, search } = progress;
  const found = [];
  if (search) found.push(...searchFacts(search, isMeasuring(progress)));
  if (isKnown(sweep)) {
    found.push(["Sweep", planes ? `${number(sweep)} of plane ${plane + 1} / ${planes}` : number(sweep)]);
    if (isKnown(gap)) found.push(["Gap", `${tiny(gap)} from the best there is, at most`]);
  }
  return found;
}
