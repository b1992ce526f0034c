import type { Json } from "@bylaw/kernel";
import type { Question, StopQuestion, WaitingGate } from "@bylaw/orchestrator/approvals";
import { count, plain, short, type Paint } from "../io/text.ts";
import { changesOf, type Change } from "./changes.ts";

/** The most lines to print. `--json` prints all. */
const LINES = 200;
const UNNAMED = "an unnamed agent";

/** The open questions, one per line. */
export function questionTable(questions: readonly Question[], paint: Paint): string {
  if (questions.length === 0) return "Nothing waits for a person.\n";
  const rows = questions.map((question) => [
    question.id,
    question.kind,
    question.task ?? "-",
    sinceOf(question),
    summaryOf(question),
  ]);
  const widths = [16, 4, 12, 24, 0];
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => short(cell, index === 4 ? 200 : 64).padEnd(widths[index] ?? 0))
      .join(" ")
      .trimEnd();
  return `${[paint("bold", line(["ID", "KIND", "TASK", "SINCE", "WHAT"])), ...rows.map(line)].join("\n")}\n`;
}

const sinceOf = (question: Question): string =>
  question.kind === "gate" ? question.opened_at : question.asked_at;

function summaryOf(question: Question): string {
  if (question.kind === "call") {
    const { tool, args, agent, expires_at } = question;
    const until = expires_at === undefined ? "" : `until ${expires_at}: `;
    return `${until}${tool} ${JSON.stringify(args)} by ${agent ?? UNNAMED}`;
  }
  if (question.kind !== "gate")
    return `${stopTitle(question)}: ${question.reason ?? "no reason given"}`;
  const { gate, phase, to, agent } = question;
  return `${gate}, ${phase} to ${to}, asked by ${agent ?? UNNAMED}; ${votesOf(question)}`;
}

function votesOf({ approvals, quorum, approvers, expires_at, escalated }: WaitingGate): string {
  const yes = approvals.filter(({ verdict }) => verdict === "approved").length;
  if (yes >= quorum) return `${yes} of ${quorum} yes, waits for the agent to ask again`;
  const over = escalated || (expires_at !== null && Date.parse(expires_at) <= Date.now());
  const late = over ? ", out of time" : expires_at === null ? "" : `, until ${expires_at}`;
  return `${yes} of ${quorum} yes from ${approvers.join(", ")}${late}`;
}

/** Everything that a person needs to see before answering a question. */
export function questionText(question: Question, paint: Paint): string {
  const { id, kind } = question;
  if (question.kind === "pause" || question.kind === "hold") return stopText(question, paint);
  const facts: readonly (readonly [string, string])[] =
    question.kind === "gate"
      ? [
          ["task", question.task],
          ["gate", `${question.gate}, from ${question.phase} to ${question.to}`],
          ["asked", `${question.opened_at} by ${question.agent ?? UNNAMED}`],
          ["answers", votesOf(question)],
          ...question.approvals.map(
            ({ by, role, verdict, reason }) =>
              [
                "",
                `${verdict} by ${by} as ${role}${reason === null ? "" : `: ${reason}`}`,
              ] as const,
          ),
          ["artifacts", question.artifacts],
          ...(question.tree === null ? [] : [["workspace", question.tree] as const]),
        ]
      : [
          ["task", question.task ?? "-"],
          ["tool", question.tool],
          [
            "asked",
            `${question.asked_at} by ${question.agent ?? UNNAMED}, event ${question.sequence}`,
          ],
          ...(question.expires_at === undefined ? [] : [["until", question.expires_at] as const]),
          ["because", question.reason],
          ...(question.untold ?? []).map((why) => ["not told", why] as const),
          ["folder", question.call?.cwd ?? "-"],
        ];
  const body = question.kind === "gate" ? contentLines(question, paint) : valueLines(question.args);
  const head = facts.map(([name, value]) => `  ${name.padEnd(9)} ${short(value, 1_000)}`);
  return `${[`${paint("bold", kind)} ${id}`, ...head, ...body].join("\n")}\n`;
}

function stopTitle(stop: StopQuestion): string {
  if (stop.kind === "hold" && stop.risk === null) return `the workflow at step ${stop.step}`;
  return `${stop.kind === "pause" ? "a pause" : `a risk of ${stop.risk}`} of ${stop.agent ?? UNNAMED}`;
}

function stopText(stop: StopQuestion, paint: Paint): string {
  const facts: readonly (readonly [string, string])[] = [
    ["task", stop.task ?? "-"],
    ["asked", `${stop.asked_at} by ${stop.agent ?? UNNAMED}, event ${stop.sequence}`],
    ...(stop.kind === "hold" && stop.risk !== null
      ? ([["risk", `${stop.risk}, by ${stop.by}`]] as const)
      : []),
    ...(stop.step === null ? [] : ([["step", stop.step]] as const)),
    ["because", stop.reason ?? "no reason given"],
  ];
  const lines = facts.map(([name, value]) => `  ${name.padEnd(9)} ${short(value, 4_000)}`);
  return `${[`${paint("bold", stop.kind)} ${stop.id}`, ...lines].join("\n")}\n`;
}

function contentLines({ content, before, redacted }: WaitingGate, paint: Paint): readonly string[] {
  if (content === undefined) return ["  the log does not contain the artifacts of this question"];
  if (redacted === true)
    return [...valueLines(content), "  parts of it were redacted before they were put on record"];
  if (before === undefined) return valueLines(content);
  const changes = changesOf(before, content);
  const shown = changes.slice(0, LINES).map((change) => `  ${changeText(change, paint)}`);
  const more =
    changes.length > LINES
      ? [`  … ${count(changes.length - LINES, "more change")} with --json`]
      : [];
  return [
    ...valueLines(content),
    `${count(changes.length, "change")} since the last time this was asked`,
    ...shown,
    ...more,
  ];
}

function changeText({ path, before, after }: Change, paint: Paint): string {
  const text = (value: Json): string => short(JSON.stringify(value), 160);
  if (before === undefined) return paint("green", `+ ${plain(path)}: ${text(after ?? null)}`);
  if (after === undefined) return paint("red", `- ${plain(path)}: ${text(before)}`);
  return `~ ${plain(path)}: ${text(before)} is now ${text(after)}`;
}

function valueLines(value: Json): readonly string[] {
  const lines = JSON.stringify(value, undefined, 2).split("\n");
  const shown = lines.slice(0, LINES).map((line) => `  ${short(line, 2_000)}`);
  return lines.length > LINES
    ? [...shown, `  … ${count(lines.length - LINES, "more line")} with --json`]
    : shown;
}
