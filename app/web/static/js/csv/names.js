/** Unique column names. */

/**
 * Return the name, with a number appended if it is already taken: `name (2)`.
 * @param {string} name
 * @param {Set<string>} taken the result is added to it
 */
export function uniqueName(name, taken) {
  let unique = name;
  for (let n = 2; taken.has(unique); n += 1) unique = `${name} (${n})`;
  taken.add(unique);
  return unique;
}
