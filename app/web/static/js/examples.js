/** Example tables: two files that ship with the studio, three generated here from a fixed seed. */

const EXAMPLES = new URL("../examples/", import.meta.url);

/** Uniform random numbers in [0, 1) from a seed (mulberry32). */
function uniforms(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Standard normal random numbers (Box-Muller transform). */
function normals(uniform) {
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

const CENTERS = { left: [[-0.7, 0.3], [0.3, 0.3]], right: [[-0.3, 0.7], [0.4, 0.7]] };

/** Two classes, each an equal mixture of two normal distributions with variance 0.03. */
function ripleyLike(uniform, normal) {
  return Array.from({ length: 250 }, (_, i) => {
    const label = i % 2 ? "right" : "left";
    const [x, y] = CENTERS[label][uniform() < 0.5 ? 0 : 1];
    const spread = Math.sqrt(0.03);
    return [x + spread * normal(), y + spread * normal(), label];
  });
}

function moons(uniform, normal) {
  return Array.from({ length: 300 }, (_, i) => {
    const angle = Math.PI * uniform();
    const upper = i % 2 === 0;
    const x = upper ? Math.cos(angle) : 1 - Math.cos(angle);
    const y = upper ? Math.sin(angle) : 0.5 - Math.sin(angle);
    // One label in fifteen is flipped, so that the example contains wrong labels.
    const labeledUpper = uniform() < 1 / 15 ? !upper : upper;
    return [x + 0.16 * normal(), y + 0.16 * normal(), labeledUpper ? "upper" : "lower"];
  });
}

/**
 * The sine bands of the paper, corrected: it prints +0.8 instead of -0.8 for the upper edge of the
 * lower band.
 */
function bands(uniform, normal) {
  return Array.from({ length: 400 }, (_, i) => {
    const x = -Math.PI / 2 + 2.5 * Math.PI * uniform();
    const upper = i % 2 === 0;
    const lowerEdge = upper ? Math.sin(x) - 0.25 : 0.6 * Math.sin(x / 1.05 + 0.5) - 1.3;
    const y = lowerEdge + 0.5 * uniform();
    return [x + 0.1 * normal(), y + 0.1 * normal(), upper ? "upper" : "lower"];
  });
}

function generated(name, target, rows, seed) {
  return async () => {
    const uniform = uniforms(seed);
    const lines = rows(uniform, normals(uniform)).map(
      ([x, y, label]) => `${x.toFixed(4)},${y.toFixed(4)},${label}`,
    );
    return new File([`x1,x2,${target}\n${lines.join("\n")}\n`], name, { type: "text/csv" });
  };
}

function shipped(name) {
  return async () => {
    const response = await fetch(new URL(name, EXAMPLES));
    if (!response.ok) throw new Error(`The example ${name} could not be loaded. Try again.`);
    return new File([await response.blob()], name, { type: "text/csv" });
  };
}

/** @type {{title: string, about: string, open: () => Promise<File>}[]} */
export const examples = [
  {
    title: "Moons",
    about: "two half moons, some labels wrong",
    open: generated("moons.csv", "side", moons, 7),
  },
  {
    title: "Ripley-like",
    about: "two overlapping classes",
    open: generated("ripley-like.csv", "side", ripleyLike, 1996),
  },
  {
    title: "Sine bands",
    about: "bands of the FR-TSVM paper, corrected",
    open: generated("bands.csv", "band", bands, 1711),
  },
  { title: "Iris", about: "three species (Fisher, 1936)", open: shipped("iris.csv") },
  { title: "WDBC", about: "breast cancer, 30 measurements", open: shipped("wdbc.csv") },
];
