import type { Spec } from "./spec.ts";

/** The whole name of the subcommand that a program takes a word for; the word itself where it takes no beginning of a name. */
export function wholeName({ whole, subs }: Spec, word: string): string {
  if (whole === undefined) return word;
  if (whole !== "beginning") return whole(word);
  if (subs === undefined || word === "" || Object.hasOwn(subs, word)) return word;
  const found = Object.keys(subs).filter((name) => name.startsWith(word));
  return found.length === 1 && found[0] !== undefined ? found[0] : word;
}
