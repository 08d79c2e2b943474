/** Evaluates the planes of a version in the page: /predict returns only the distances to them. */

/**
 * @param {any} found the response of /planes, with all landmarks
 * @param {any} params the parameters of the version
 * @returns {(row: Record<string, number | string>) => number[]} f of each plane; 0 on the plane
 */
export function planeValues(found, params) {
  const { inputs, offset, factor } = found.scaling;
  const similarity = kernelOf(found.kernel, params);
  return (row) => {
    const scaled = inputs.map((name, i) => (inputOf(row, name) - offset[i]) * factor[i]);
    const similarities = found.landmarks?.map((landmark) => similarity(scaled, landmark));
    return found.planes.map((plane) =>
      similarities
        ? dot(plane.dual_coef, similarities) + plane.intercept
        : dot(plane.coef, scaled) + plane.intercept,
    );
  };
}

/**
 * An input is a number column, or `column=category` for one category of a one-hot encoded column.
 */
function inputOf(row, name) {
  if (name in row) return row[name];
  for (let at = name.indexOf("="); at > 0; at = name.indexOf("=", at + 1)) {
    const column = name.slice(0, at);
    if (column in row) return row[column] === name.slice(at + 1) ? 1 : 0;
  }
  return 0;
}

function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i] * b[i];
  return sum;
}

function kernelOf({ name, gamma }, { degree, coef0 }) {
  if (name === "rbf") {
    return (a, b) => {
      let distance = 0;
      for (let i = 0; i < a.length; i += 1) distance += (a[i] - b[i]) ** 2;
      return Math.exp(-gamma * distance);
    };
  }
  if (name === "poly") return (a, b) => (gamma * dot(a, b) + coef0) ** degree;
  if (name === "sigmoid") return (a, b) => Math.tanh(gamma * dot(a, b) + coef0);
  return dot;
}
