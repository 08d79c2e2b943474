/** Names of columns. */

/**
 * The name, or the name with the first number that nobody has.
 * @param {string} name
 * @param {Set<string>} taken gets it
 */
export function freshName(name, taken) {
  let fresh = name;
  for (let n = 2; taken.has(fresh); n += 1) fresh = `${name} (${n})`;
  taken.add(fresh);
  return fresh;
}
