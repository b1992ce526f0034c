/** A name as file systems compare it that do not tell case apart, nor the forms of one character, nor what cannot be seen. */
export function foldName(name: string): string {
  if (!/[^\u0000-\u007f]/.test(name)) return name.toLowerCase();
  return name
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .toUpperCase()
    .toLowerCase();
}

const folded = new WeakMap<readonly string[], readonly string[]>();
const MAY_CHANGE = /[^\u0000-@[-\u007f]/;

/** The same of a path in segments; the very same list where nothing changes. */
export function foldPath(path: readonly string[]): readonly string[] {
  // Most paths are in small letters: nothing is kept of them.
  if (!path.some((name) => MAY_CHANGE.test(name))) return path;
  let found = folded.get(path);
  if (found === undefined) {
    const names = path.map(foldName);
    found = names.every((name, at) => name === path[at]) ? path : names;
    folded.set(path, found);
  }
  return found;
}
