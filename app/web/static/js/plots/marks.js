/** A color and a shape per class, so that classes can be told apart without color. */

/** Number of the colors `--class-0` ... in the style sheet. They repeat for further classes. */
const N_COLOURS = 6;

const SHAPES = [
  (x, y, r) => `M${x - r},${y}a${r},${r} 0 1 0 ${2 * r},0a${r},${r} 0 1 0 ${-2 * r},0z`,
  (x, y, r) => `M${x},${y - 1.2 * r}L${x + 1.1 * r},${y + 0.8 * r}H${x - 1.1 * r}z`,
  (x, y, r) => `M${x - 0.9 * r},${y - 0.9 * r}h${1.8 * r}v${1.8 * r}h${-1.8 * r}z`,
  (x, y, r) => `M${x},${y - 1.3 * r}L${x + 1.3 * r},${y}L${x},${y + 1.3 * r}L${x - 1.3 * r},${y}z`,
  (x, y, r) => `M${x},${y + 1.2 * r}L${x + 1.1 * r},${y - 0.8 * r}H${x - 1.1 * r}z`,
  (x, y, r) => `M${x - 1.1 * r},${y - 0.5 * r}h${2.2 * r}v${r}h${-2.2 * r}z`,
];

/** SVG path of the marker of a class. */
export function markPath(index, x, y, radius) {
  // The shape shifts by one each time the colors repeat, so that 36 classes look different.
  const shape = (index + Math.floor(index / N_COLOURS)) % SHAPES.length;
  return SHAPES[shape](round(x), round(y), radius);
}

/** CSS class with the color of a class. */
export const colourClass = (index) => `class-${index % N_COLOURS}`;

export const round = (value) => Math.round(value * 10) / 10;
