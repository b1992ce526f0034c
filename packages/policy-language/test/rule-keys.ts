import { PolicyError, parsePolicy } from "../src/index.ts";

// The message for an unrecognizable key lists all keys of the language.
function keysOf(text: string): readonly string[] {
  try {
    parsePolicy(text, { file: "p.toml" });
  } catch (error) {
    if (error instanceof PolicyError) {
      const list = error.findings
        .map(({ message }) => /Known keys: (.+)$/.exec(message)?.[1])
        .find((found) => found?.includes("name") === true);
      return list?.split(", ") ?? [];
    }
    throw error;
  }
  return [];
}

/** Every key that a rule may have. */
export const ruleKeys: readonly string[] = keysOf(
  '[[rules]]\nname = "r"\naction = "deny"\nzzzzzzzzzzzzzzzz = 1\n',
);
