const LISTED = 10;
const MAX_LENGTH = 64;
const BEGINNING = 16;

/**
 * A name made safe for a message: one line, nothing invisible. Of more than 64 characters only the first 16 are shown, because a
 * redactor cannot recognize a secret that is cut in half.
 */
export function shown(name: string): string {
  const plain = Array.from(
    name
      .slice(0, 4 * MAX_LENGTH)
      .replace(/[\p{C}\p{Z}]+/gu, " ")
      .trim(),
  );
  return plain.length <= MAX_LENGTH && name.length <= 4 * MAX_LENGTH
    ? plain.join("")
    : `${plain.slice(0, BEGINNING).join("")}…`;
}

/** A tool name from the host, which an agent must be able to call: unchanged, except for invisible characters. */
export const given = (name: string): string =>
  name
    .slice(0, 256)
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim();

/** Formats as `a, b, c`, with the number of the rest. */
export function listed(names: readonly string[]): string {
  const rest = names.length - LISTED;
  return [...names.slice(0, LISTED).map(shown), ...(rest > 0 ? [`and ${rest} more`] : [])].join(
    ", ",
  );
}

/** Formats as `a`, `a or b`, `a, b or c`. */
export function either(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
}
