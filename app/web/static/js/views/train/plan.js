/** Default selection of target and features, before the user changes it. */

const TARGET_NAMES = /^(target|label|labels|class|classes|y|outcome|category|diagnosis|species|churn)$/i;
/** Default limit of the service on the number of classes. */
const MAX_CLASSES = 100;
/** A text column with more distinct values is more likely an identifier than a category. */
const MAX_CATEGORIES = 100;

/** Whether a column can be the target. */
export const canBeTarget = (column) =>
  !column.manyValues && column.distinct >= 2 && column.distinct <= MAX_CLASSES;

const IDENTIFIER_REASONS = { name: "nearly all values differ", counter: "row counter" };

/** The reason to leave a column out by default, or null. */
export function exclusionReason(column) {
  if (column.kind === "empty") return "empty";
  if (column.infinite) return "contains infinite values";
  if (column.kind === "text" && (column.manyValues || column.distinct > MAX_CATEGORIES)) {
    return "too many different values";
  }
  return IDENTIFIER_REASONS[column.identifier] ?? null;
}

/** @param {import("../../csv/dataset.js").Dataset} dataset */
export async function defaultPlan(dataset) {
  const { columns, nRows } = dataset.about;
  const candidates = columns.map((column, i) => [column, i]).filter(([column]) => canBeTarget(column));
  const named = candidates.filter(([column]) => TARGET_NAMES.test(column.name));
  const few = candidates.filter(([column]) => column.distinct <= Math.max(2, Math.min(20, nRows / 4)));
  const [, target] = named.at(-1) ?? few.at(-1) ?? candidates.at(-1) ?? [null, columns.length - 1];
  const plan = { target, features: new Set(), excludedRows: new Set(), name: modelNameFor(dataset.name) };
  columns.forEach((column, i) => {
    if (i !== target && exclusionReason(column) === null) plan.features.add(i);
  });
  return plan;
}

/** A valid model name, made from a file name. */
function modelNameFor(file) {
  const name = file
    .replace(/\.[A-Za-z]{1,4}$/, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "");
  return name.slice(0, 64) || "model";
}

/** Columns and rows to send. Rows without a class cannot be used for training. */
export async function selectionOf(dataset, plan) {
  const columns = [...plan.features].sort((a, b) => a - b);
  const excludedRows = new Set([...plan.excludedRows, ...(await dataset.rowsWithout(plan.target))]);
  return { columns: [...columns, plan.target], excludedRows: [...excludedRows].sort((a, b) => a - b) };
}
