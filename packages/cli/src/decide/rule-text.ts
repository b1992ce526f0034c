import type { RuleReference } from "@bylaw/kernel";
import { place, plain } from "../io/text.ts";

/** A rule with its place. */
export function ruleOf({ rule }: { readonly rule?: RuleReference }): string {
  if (rule === undefined) return "";
  const { name, file, line } = rule;
  if (file === undefined) return plain(name);
  return `${plain(name)}, ${place({ file, ...(line === undefined ? {} : { line }) })}`;
}
