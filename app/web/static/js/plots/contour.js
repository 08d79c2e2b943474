/**
 * Contour lines and areas of a function given on a grid, interpolated linearly within each cell.
 */

/**
 * @typedef {{columns: number, rows: number, values: ArrayLike<number>}} Grid values row by row
 */

/**
 * Lines where the function is 0, as lists of points in grid units.
 * @param {Grid} grid
 * @returns {[number, number][][]}
 */
export function zeroLines({ columns, rows, values }) {
  const segments = [];
  for (let j = 0; j + 1 < rows; j += 1) {
    for (let i = 0; i + 1 < columns; i += 1) {
      const crossings = edgesOf(i, j)
        .map(([a, b]) => crossing(a, b, values[a[1] * columns + a[0]], values[b[1] * columns + b[0]]))
        .filter((point) => point !== null);
      // Four crossings are a saddle point. The edges are in circular order, so neighbors are
      // joined.
      for (let k = 0; k + 1 < crossings.length; k += 2) {
        const [a, b] = [crossings[k], crossings[k + 1]];
        if (a[0] !== b[0] || a[1] !== b[1]) segments.push([a, b]); // skip a corner that is exactly 0
      }
    }
  }
  return joinSegments(segments);
}

function edgesOf(i, j) {
  const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]];
  // Each edge has one direction, so that both adjacent cells compute the same point on it.
  return [
    [corners[0], corners[1]],
    [corners[1], corners[2]],
    [corners[3], corners[2]],
    [corners[0], corners[3]],
  ];
}

function crossing(a, b, fa, fb) {
  if (fa > 0 === fb > 0) return null;
  const share = fa / (fa - fb);
  return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
}

/** Join segments that share an end point. */
function joinSegments(segments) {
  const name = ([x, y]) => `${x.toFixed(6)},${y.toFixed(6)}`;
  const ends = new Map();
  segments.forEach((segment, index) => {
    for (const point of segment) {
      const at = name(point);
      if (!ends.has(at)) ends.set(at, []);
      ends.get(at).push(index);
    }
  });
  const used = new Set();
  const grow = (line) => {
    for (;;) {
      const end = line[line.length - 1];
      const index = ends.get(name(end)).find((candidate) => !used.has(candidate));
      if (index === undefined) return;
      used.add(index);
      const [a, b] = segments[index];
      line.push(name(a) === name(end) ? b : a);
    }
  };
  const lines = [];
  segments.forEach((segment, index) => {
    if (used.has(index)) return;
    used.add(index);
    const line = [...segment];
    grow(line);
    line.reverse();
    grow(line);
    lines.push(line);
  });
  return lines;
}

/**
 * Polygons, in grid units, of the area where the function is positive: runs of whole cells, and the
 * clipped cells on the boundary.
 * @param {Grid} grid
 * @returns {[number, number][][]}
 */
export function positiveArea({ columns, rows, values }) {
  const polygons = [];
  for (let j = 0; j + 1 < rows; j += 1) {
    let from = -1;
    for (let i = 0; i < columns; i += 1) {
      const corners = i + 1 < columns ? [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]] : [];
      const heights = corners.map(([x, y]) => values[y * columns + x]);
      const inside = heights.length > 0 && heights.every((height) => height > 0);
      if (inside && from < 0) from = i;
      if (!inside && from >= 0) {
        polygons.push([[from, j], [i, j], [i, j + 1], [from, j + 1]]);
        from = -1;
      }
      if (!inside && heights.some((height) => height > 0)) polygons.push(clipCell(corners, heights));
    }
  }
  return polygons;
}

function clipCell(corners, heights) {
  const polygon = [];
  corners.forEach((corner, k) => {
    const next = (k + 1) % 4;
    if (heights[k] > 0) polygon.push(corner);
    const point = crossing(corner, corners[next], heights[k], heights[next]);
    if (point) polygon.push(point);
  });
  return polygon;
}
