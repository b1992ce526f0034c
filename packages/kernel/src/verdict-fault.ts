import { isJsonObject } from "./json.ts";
import {
  DIRECTIVES,
  RECOVERIES,
  VERDICT_CODES,
  isEffect,
  type HookName,
  type Verdict,
} from "./verdict.ts";

/** What a plugin may vote. */
export interface Voter {
  readonly grants: boolean;
  readonly codes: ReadonlySet<string>;
}

/** Why an answer is not a verdict that this plugin may give, or nothing. */
export function verdictFault(
  verdict: Verdict,
  { grants, codes }: Voter,
  hook: HookName,
): string | undefined {
  if (!isJsonObject(verdict)) return "A check must answer with a verdict or nothing";
  const { effect, reason, code = "rule_denied" }: Partial<Verdict> = verdict;
  const { directive, recovery = "end" }: Partial<Verdict> = verdict;
  const { fix = "", message = "", rule = { name: "" } }: Partial<Verdict> = verdict;
  const { shadow = true, severity = "blocking" }: Partial<Verdict> = verdict;
  const texts = [reason, fix, message, code, rule.name, rule.file ?? ""];
  if (!isEffect(effect)) return "`effect` must be allow, ask_user or deny";
  if (effect === "allow" && !grants)
    return "Only a plugin with `grants` may allow: answer deny, ask_user or nothing";
  if (!texts.every((text) => typeof text === "string"))
    return "`reason`, `fix`, `message`, `code` and `rule` must be text";
  if (typeof (rule.line ?? 0) !== "number") return "`rule.line` must be a number";
  if (typeof shadow !== "boolean") return "`shadow` must be true or false";
  if (severity !== "blocking" && (severity !== "warning" || hook !== "onTransition"))
    return "`severity` must be blocking, or warning on a transition";
  if (!(VERDICT_CODES as readonly string[]).includes(code) && !codes.has(code))
    return `The plugin does not declare the code \`${code}\``;
  if (directive !== undefined && !DIRECTIVES.includes(directive.action))
    return `\`directive\` must be one of ${DIRECTIVES.join(", ")}`;
  if (!RECOVERIES.includes(recovery)) return `\`recovery\` must be one of ${RECOVERIES.join(", ")}`;
  return undefined;
}
