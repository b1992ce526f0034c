/** A name as file systems compare it that do not tell case apart, nor the forms of one character, nor what cannot be seen. */
export function foldName(name: string): string {
  if (!/[^\u0000-\u007f]/.test(name)) return name.toLowerCase();
  return name
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .toUpperCase()
    .toLowerCase();
}
