/** Score of a single column by how well it separates the classes. */

/**
 * Fisher's ratio: the variance between the classes, relative to the variance within them.
 * @param {ArrayLike<number>} values NaN where a cell is missing
 * @param {string[]} labels
 */
export function fisherRatio(values, labels) {
  const groups = new Map();
  for (let i = 0; i < labels.length; i += 1) {
    if (!Number.isFinite(values[i])) continue;
    const group = groups.get(labels[i]) ?? { n: 0, mean: 0, square: 0 };
    const step = values[i] - group.mean;
    group.n += 1;
    group.mean += step / group.n;
    group.square += step * (values[i] - group.mean);
    groups.set(labels[i], group);
  }
  const all = [...groups.values()];
  const total = all.reduce((sum, { n }) => sum + n, 0);
  const mean = all.reduce((sum, group) => sum + group.n * group.mean, 0) / total;
  const between = all.reduce((sum, group) => sum + group.n * (group.mean - mean) ** 2, 0);
  const within = all.reduce((sum, { square }) => sum + square, 0);
  return between > 0 ? between / (within || Number.MIN_VALUE) : 0;
}
