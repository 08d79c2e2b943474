/** Which column is asked about and which ones answer, before the user has said anything. */

const TARGET_NAMES = /^(target|label|labels|class|classes|y|outcome|category|diagnosis|species|churn)$/i;
/** Labels that a target may have by default of the service. */
const MAX_CLASSES = 100;
/** Text with more words than this is more of a name than a property. */
const MAX_CATEGORIES = 100;

/** Whether a column could be a target. */
export const couldBeTarget = (column) =>
  !column.many && column.distinct >= 2 && column.distinct <= MAX_CLASSES;

const AGAINST_IDENTIFYING = { names: "differs in nearly every row", counts: "counts the rows" };

/** Why a column is better left out, or null. */
export function reasonAgainst(column) {
  if (column.kind === "empty") return "empty";
  if (column.infinite) return "has infinite numbers";
  if (column.kind === "text" && (column.many || column.distinct > MAX_CATEGORIES)) {
    return "many different words";
  }
  return AGAINST_IDENTIFYING[column.identifies] ?? null;
}

/** @param {import("../../csv/dataset.js").Dataset} dataset */
export async function firstPlan(dataset) {
  const { columns, nRows } = dataset.about;
  const able = columns.map((column, i) => [column, i]).filter(([column]) => couldBeTarget(column));
  const named = able.filter(([column]) => TARGET_NAMES.test(column.name));
  const few = able.filter(([column]) => column.distinct <= Math.max(2, Math.min(20, nRows / 4)));
  const [, target] = named.at(-1) ?? few.at(-1) ?? able.at(-1) ?? [null, columns.length - 1];
  const plan = { target, features: new Set(), without: new Set(), name: nameFor(dataset.name) };
  columns.forEach((column, i) => {
    if (i !== target && reasonAgainst(column) === null) plan.features.add(i);
  });
  return plan;
}

/** A name that the service takes, from that of a file. */
function nameFor(file) {
  const name = file
    .replace(/\.[A-Za-z]{1,4}$/, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "");
  return name.slice(0, 64) || "model";
}

/** The columns and rows that are sent: rows without a class cannot be learned from. */
export async function wishOf(dataset, plan) {
  const columns = [...plan.features].sort((a, b) => a - b);
  const without = new Set([...plan.without, ...(await dataset.rowsWithout(plan.target))]);
  return { columns: [...columns, plan.target], without: [...without].sort((a, b) => a - b) };
}
