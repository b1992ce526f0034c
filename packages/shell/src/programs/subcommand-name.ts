import type { Spec } from "./program-spec.ts";

/** Completes the name of a subcommand. Returns the word unchanged if the program accepts no prefixes. */
export function fullSubcommandName({ fullName, subs }: Spec, word: string): string {
  if (fullName === undefined) return word;
  if (fullName !== "beginning") return fullName(word);
  if (subs === undefined || word === "" || Object.hasOwn(subs, word)) return word;
  const found = Object.keys(subs).filter((name) => name.startsWith(word));
  return found.length === 1 && found[0] !== undefined ? found[0] : word;
}
