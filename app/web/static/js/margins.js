/** Margin of each class over the others. Decision areas are where it is positive. */

/**
 * One list per class with one entry per row, positive where the class is predicted.
 * @param {number[] | number[][]} scores from /predict
 * @param {number} nClasses
 * @param {Float64Array[] | null} margins `pairwiseMargins`, for one-vs-one models. Their scores are
 *   votes, which jump at a boundary; the margins locate the boundary between two grid points.
 */
export function classMargins(scores, nClasses, margins = null) {
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
 * The smallest margin of each class over another class, from the two planes of each pair.
 * @param {{own: number, other: number, norm: number}[]} planes
 * @param {Float64Array[]} values f of each plane, row by row
 * @param {number} nClasses
 */
export function pairwiseMargins(planes, values, nClasses) {
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
