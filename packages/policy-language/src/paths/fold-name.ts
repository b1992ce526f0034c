/**
 * Normalizes a name as some file systems compare it: without regard to case, to the forms of one character, and to
 * invisible characters.
 */
export function foldName(name: string): string {
  if (!/[^\u0000-\u007f]/.test(name)) return name.toLowerCase();
  return name
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .toUpperCase()
    .toLowerCase();
}
