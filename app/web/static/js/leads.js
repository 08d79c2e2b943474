/** By how much each class leads over the others, so that areas and their edges can be drawn. */

/**
 * One list per class, above 0 where the class wins, with an entry per row.
 * @param {number[] | number[][]} scores of /predict
 * @param {number} nClasses
 * @param {Float64Array[] | null} margins how clearly each class wins its closest pair, if pairs vote:
 *   votes jump at an edge, and only this says where between two rows it lies
 */
export function leadsOf(scores, nClasses, margins = null) {
  if (nClasses === 2) {
    const second = Float64Array.from(scores);
    return [second.map((score) => -score), second];
  }
  const lead = (row, k) => row[k] - Math.max(...row.filter((_, other) => other !== k));
  return Array.from({ length: nClasses }, (_, k) =>
    Float64Array.from(scores, (row, i) => {
      const voted = lead(row, k);
      return margins ? Math.sign(voted) * Math.max(Math.abs(margins[k][i]), Number.EPSILON) : voted;
    }),
  );
}

/**
 * The smallest lead of each class over another one, from the two planes of every pair.
 * @param {{own: number, other: number, norm: number}[]} planes
 * @param {Float64Array[]} values f of every plane, row by row
 * @param {number} nClasses
 */
export function pairMargins(planes, values, nClasses) {
  const nRows = values[0].length;
  const margins = Array.from({ length: nClasses }, () => new Float64Array(nRows).fill(Infinity));
  planes.forEach(({ own, other, norm }, p) => {
    const q = planes.findIndex((plane) => plane.own === other && plane.other === own);
    for (let i = 0; i < nRows; i += 1) {
      const near = Math.abs(values[p][i]) / norm;
      const far = Math.abs(values[q][i]) / planes[q].norm;
      margins[own][i] = Math.min(margins[own][i], (far - near) / (far + near || 1));
    }
  });
  return margins;
}
