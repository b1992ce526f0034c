import type { Verdict } from "@bylaw/kernel";
import { place, plain } from "../io/text.ts";

/** The rule behind a verdict, and its place in a file. */
export type RuleReference = NonNullable<Verdict["rule"]>;

/** The name and place of a rule. */
export function ruleOf({ rule }: { readonly rule?: RuleReference }): string {
  if (rule === undefined) return "";
  const { name, file, line } = rule;
  if (file === undefined) return plain(name);
  return `${plain(name)}, ${place({ file, ...(line === undefined ? {} : { line }) })}`;
}
