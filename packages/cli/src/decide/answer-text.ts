import type { Json, Kernel, ToolCall } from "@bylaw/kernel";
import type { Answer } from "./answer.ts";
import { ruleOf } from "./rule-text.ts";
import { isRuleReport, ruleLines } from "./rule-lines.ts";
import { effectText, plain, short, type Paint } from "../io/text.ts";

type Explanation = Awaited<ReturnType<Kernel["explain"]>>;
type TapReport = Explanation["taps"][number];
type Vote = TapReport["votes"][number];

/** Prints a decision of a batch in one line. */
export function answerLine(answer: Answer, call: ToolCall | undefined, paint: Paint): string {
  const { id, reason, fix } = answer;
  const parts = [effectText(answer.effect, paint, 8)];
  if (id !== undefined) parts.push(paint("dim", short(String(id), 40)));
  if (call !== undefined) parts.push(paint("bold", short(call.tool, 60)), short(argsOf(call), 80));
  const rule = ruleOf(answer);
  const because = [plain(reason), ...(rule === "" ? [] : [paint("dim", `[${rule}]`)])];
  return `${parts.join(" ")} — ${because.join(" ")}${fix === undefined ? "" : ` (fix: ${plain(fix)})`}`;
}

/** Prints a decision in a paragraph. */
export function answerText(answer: Answer, call: ToolCall, paint: Paint): string {
  const rows: (readonly [string, string])[] = [["reason", plain(answer.reason)]];
  const rule = ruleOf(answer);
  if (rule !== "") rows.push(["rule", rule]);
  rows.push(["code", answer.code]);
  if (answer.fix !== undefined) rows.push(["fix", plain(answer.fix)]);
  if (answer.instead !== undefined)
    rows.push(["instead", short(JSON.stringify(answer.instead), 200)]);
  if (answer.enforcement_mode !== "strict")
    rows.push(["enforcement mode", answer.enforcement_mode]);
  const head = `${effectText(answer.effect, paint)} ${paint("bold", plain(call.tool))} ${short(argsOf(call), 200)}`;
  const lines = [head, ...rows.map(([name, value]) => `  ${paint("dim", `${name}:`)} ${value}`)];
  if (answer.votes !== undefined) lines.push(...votesText(answer.votes, paint));
  return lines.join("\n");
}

/** Prints every tap with its answer and its report on each of its rules. */
export function explanationText({ taps }: Explanation, { paint, all }: ExplainOptions): string {
  if (taps.length === 0) return "No plugin was asked.";
  return taps.map((tap) => tapText(tap, { paint, all })).join("\n");
}

/** How an explanation is printed. */
export interface ExplainOptions {
  readonly paint: Paint;
  /** Whether to print every rule, not only the nearest. */
  readonly all: boolean;
}

function tapText(
  { plugin, tap, from, votes, because }: TapReport,
  { paint, all }: ExplainOptions,
): string {
  const lines = [
    `${paint("bold", plain(`${plugin}/${tap}`))} ${paint("dim", `from ${plain(from)}`)}`,
  ];
  if (votes.length === 0) lines.push("  abstains");
  else lines.push(...votes.map((vote) => `  ${voteLine(vote, paint)}`));
  if (because !== undefined)
    lines.push(...becauseLines(because, { all }).map((line) => `    ${line}`));
  return lines.join("\n");
}

function votesText(votes: readonly Vote[], paint: Paint): readonly string[] {
  if (votes.length === 0) return [`  ${paint("dim", "votes:")} none`];
  const line = (vote: Vote): string =>
    `    ${plain(`${vote.plugin}/${vote.tap}`)}: ${voteLine(vote, paint)}`;
  return [`  ${paint("dim", "votes:")}`, ...votes.map(line)];
}

function voteLine(vote: Vote, paint: Paint): string {
  const notes = [
    ...(vote.instead === undefined ? [] : [`instead: ${short(JSON.stringify(vote.instead), 80)}`]),
    ...(vote.shadow === true ? ["in shadow, not counted"] : []),
    ...(vote.error === undefined ? [] : [`error: ${plain(vote.error)}`]),
  ];
  const rule = ruleOf(vote);
  const where = [...(rule === "" ? [] : [rule]), ...notes].join("; ");
  return `${effectText(vote.effect, paint)} ${vote.code}: ${plain(vote.reason)}${where === "" ? "" : ` [${where}]`}`;
}

// Each tap reports in its own format. Lists of rules are grouped; anything else is printed as it is.
function becauseLines(because: Json, options: Pick<ExplainOptions, "all">): readonly string[] {
  const items: readonly unknown[] = Array.isArray(because) ? because : [because];
  const rules = items.filter(isRuleReport);
  if (rules.length < items.length) return items.map((item) => plain(textOf(item as Json)));
  return ruleLines(rules, options);
}

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

function argsOf({ args }: ToolCall): string {
  return JSON.stringify(args);
}
