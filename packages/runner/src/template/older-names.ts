/** Makes a valid name from a text of an older format. */
export const nameOf = (text: string): string =>
  text
    .trim()
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 100);

/** The program of a step and its arguments. Braces in it are not placeholders. */
export function commandIn({
  command = "",
  args = [],
}: {
  readonly command?: string | undefined;
  readonly args?: readonly unknown[] | undefined;
}): readonly string[] | undefined {
  if (command === "") return undefined;
  return [command, ...args.map(String)].map((text) =>
    text.replaceAll("{", "{{").replaceAll("}", "}}"),
  );
}
