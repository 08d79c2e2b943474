/** One colour and one shape per class, so that neither has to carry the meaning alone. */

/** Numbers of the colours `--class-0` ... in the style sheet; more classes begin anew. */
const N_COLOURS = 6;

const SHAPES = [
  (x, y, r) => `M${x - r},${y}a${r},${r} 0 1 0 ${2 * r},0a${r},${r} 0 1 0 ${-2 * r},0z`,
  (x, y, r) => `M${x},${y - 1.2 * r}L${x + 1.1 * r},${y + 0.8 * r}H${x - 1.1 * r}z`,
  (x, y, r) => `M${x - 0.9 * r},${y - 0.9 * r}h${1.8 * r}v${1.8 * r}h${-1.8 * r}z`,
  (x, y, r) => `M${x},${y - 1.3 * r}L${x + 1.3 * r},${y}L${x},${y + 1.3 * r}L${x - 1.3 * r},${y}z`,
  (x, y, r) => `M${x},${y + 1.2 * r}L${x + 1.1 * r},${y - 0.8 * r}H${x - 1.1 * r}z`,
  (x, y, r) => `M${x - 1.1 * r},${y - 0.5 * r}h${2.2 * r}v${r}h${-2.2 * r}z`,
];

/** The path of the mark of a class. */
export function markPath(index, x, y, radius) {
  // Where the colours begin anew the shapes go on by one, so that no two of 36 classes look alike.
  const shape = (index + Math.floor(index / N_COLOURS)) % SHAPES.length;
  return SHAPES[shape](round(x), round(y), radius);
}

/** The CSS class that gives a mark its colour. */
export const colourClass = (index) => `class-${index % N_COLOURS}`;

export const round = (value) => Math.round(value * 10) / 10;
