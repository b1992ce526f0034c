import type { Verdict } from "@bylaw/kernel";
import { place, plain } from "../io/text.ts";

/** The rule behind a verdict, and where it is written. */
export type RuleReference = NonNullable<Verdict["rule"]>;

/** A rule with its place. */
export function ruleOf({ rule }: { readonly rule?: RuleReference }): string {
  if (rule === undefined) return "";
  const { name, file, line } = rule;
  if (file === undefined) return plain(name);
  return `${plain(name)}, ${place({ file, ...(line === undefined ? {} : { line }) })}`;
}
