/** A training under way: what it does at this moment, and how to end it. */

import { api } from "../../api.js";
import { h, replace } from "../../dom.js";
import { number, percent, plural, seconds, tiny } from "../../format.js";
import { curl } from "../../curl.js";
import { command } from "../../parts/command.js";
import { failure } from "../../parts/notice.js";
import { say } from "../../parts/status.js";
import { pairs } from "../../parts/table.js";
import { session, versionKey } from "../../session.js";
import { followJob } from "../../sse.js";
import { wishOf } from "./plan.js";

/** Each is a connection that stays open, of which a browser has six. */
const MOST_OTHERS = 3;
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
    const ended = await followJob(job.id, progressView(job.id, panel, keepable));
    session.running = null;
    const { model, version } = ended.result ?? {};
    if (ended.state === "succeeded") {
      session.trained.set(versionKey(model, version), sent);
      session.current = { model, version };
    }
    showEnd(ended, panel);
    const isWatched = document.getElementById("view").dataset.shown === "train";
    if (ended.state === "succeeded" && isWatched) location.hash = addressOf(ended.result);
  } catch (error) {
    session.running = null;
    throw error;
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
    showEnd(await followJob(id, progressView(id, follow, Boolean(progress.search))), follow);
  } catch (error) {
    replace(follow, failure(error));
  }
  session.others.delete(id); // it stays in sight until the view is left
}

const addressOf = ({ model, version }) => `#result/${encodeURIComponent(model)}/${version}`;

function showEnd(job, panel) {
  if (job.state === "succeeded") {
    const name = `${job.result.model}, version ${job.result.version}`;
    replace(panel, h("p", {}, "Done. ", h("a", { href: addressOf(job.result) }, name)));
    say(`Training ended: ${name}.`);
    return;
  }
  if (job.state === "cancelled") {
    replace(panel, h("p", {}, "Cancelled. Nothing was kept."));
    say("The training was cancelled.");
    return;
  }
  const { detail = "for an unknown reason", errors } = job.error ?? {};
  replace(panel, failure({ title: "The training failed", message: detail, errors }));
}

/** Draws the progress, once per event. */
function progressView(id, panel, keepable) {
  const title = h("p", { class: "phase" }, "Waiting for its turn");
  const bar = h("progress", { max: "100", value: 0, "aria-label": "Progress of the training" });
  const details = h("div");
  const trouble = h("div");
  const end = (text, keep, className) =>
    h("button", { type: "button", class: className, async onclick(event) {
      event.target.disabled = true;
      replace(trouble);
      try {
        await api.cancel(id, keep);
      } catch (error) {
        if (error.status === HAS_ENDED) return; // the stream tells how
        event.target.disabled = false;
        replace(trouble, failure(error));
      }
    } }, text);
  replace(
    panel,
    title,
    bar,
    details,
    h("div", { class: "actions" },
      end("Cancel", undefined, ""),
      keepable ? end("Stop and keep the best", "best", "") : null),
    trouble,
    command("cancel the training", curl(`jobs/${id}`, { method: "DELETE" })),
    keepable ? command("stop and keep the best", curl(`jobs/${id}?keep=best`, { method: "DELETE" })) : null,
  );
  let spoken = "";
  return (job) => {
    const { progress } = job;
    const phase = job.state === "queued" ? "Waiting for its turn" : sentence(progress);
    replace(title, `${phase} · ${Math.round(progress.percent)} %`);
    bar.value = progress.percent;
    replace(details, pairs(facts(progress)));
    if (phase !== spoken) {
      spoken = phase;
      say(`${phase}, ${Math.round(progress.percent)} per cent.`);
    }
  };
}

function sentence({ phase }) {
  const [, fold] = /^validating (\d+\/\d+)$/.exec(phase) ?? [];
  if (fold) return `Measuring, fold ${fold.replace("/", " of ")}`;
  const known = {
    preparing: "Preparing", validating: "Measuring", searching: "Searching for parameters",
    training: "Training on all rows", evaluating: "Looking at every row", saving: "Saving",
  };
  return known[phase] ?? phase.charAt(0).toUpperCase() + phase.slice(1);
}

const isKnown = (value) => value !== null && value !== undefined;

function facts({ sweep, gap, plane, n_planes: planes, search }) {
  const found = [];
  if (search) {
    const planned = search.planned ? ` of ${search.planned} planned` : "";
    found.push(["Configurations tried", `${plural(search.tried ?? 0, "configuration")}${planned}`]);
    if (isKnown(search.best_score)) found.push(["Best so far", percent(search.best_score)]);
    if (isKnown(search.seconds_left)) found.push(["Time left", seconds(search.seconds_left)]);
  }
  if (isKnown(sweep)) {
    found.push(["Sweep", planes ? `${number(sweep)} of plane ${plane + 1} / ${planes}` : number(sweep)]);
    if (isKnown(gap)) found.push(["Gap", `${tiny(gap)} from the best there is, at most`]);
  }
  return found;
}
