const LISTED = 10;
const LONGEST = 60;

/** A name as a message may hold it: one line, nothing invisible, at most 60 characters. */
export function shown(name: string): string {
  const plain = Array.from(
    name
      .slice(0, 4 * LONGEST)
      .replace(/[\p{C}\p{Z}]+/gu, " ")
      .trim(),
  );
  return plain.length <= LONGEST && name.length <= 4 * LONGEST ? plain.join("") : `${plain.slice(0, LONGEST - 1).join("")}…`;
}

/** `a, b, c`, and how many more. */
export function listed(names: readonly string[]): string {
  const rest = names.length - LISTED;
  return [...names.slice(0, LISTED).map(shown), ...(rest > 0 ? [`and ${rest} more`] : [])].join(", ");
}

/** `a`, `a or b`, `a, b or c`. */
export function either(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
}
