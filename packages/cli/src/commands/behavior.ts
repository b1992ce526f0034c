import {
  COMPAT_MODES,
  evaluateBehavior,
  EVALUATORS,
  type Compat,
  type EvaluatorName,
} from "@bylaw/behavior";
import { isBylawError, parseJson } from "@bylaw/config";
import { BylawError, isJsonObject, messageOf, type Json, type JsonObject } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { usageError } from "../io/report-error.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { textLines } from "../io/read-lines.ts";
import { plain } from "../io/text.ts";
import type { CommandSpec, GroupSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";

const OPTIONS = [
  ["--batch <file>", "cases, one JSON object per line; - reads standard input"],
  ["--compat <system>", "evaluate as this older system did", { words: COMPAT_MODES }],
  ["--json", "print JSON, one answer per line"],
] as const satisfies readonly OptionSpec[];

const EVAL: CommandSpec = {
  options: OPTIONS,
  help: `
A case: {"evaluator": "loop"|"trigger"|"checkpoint"|"vibecheck", "file": {…}|"raw text"|null, "config"?: {…}|null, "iteration"?: 0, "id"?}
Exit code: 0 every line was answered, 2 usage error or a file that cannot be read.

Examples:
  $ echo '{"evaluator":"loop","file":{"action":"loop"},"config":{"steps":2}}' | bylaw behavior eval --batch - --json
  $ bylaw behavior eval --batch cases.jsonl --compat radium --json`,
  run: evaluate,
};

export const command: GroupSpec = {
  help: `
Examples:
  $ bylaw behavior eval --batch cases.jsonl --json`,
  commands: { "eval [options]": ["Evaluate control files, one case per line", EVAL] },
};

interface Answer {
  readonly id?: string | number;
  readonly decision?: JsonObject | null;
  readonly error?: { readonly code: string; readonly message: string };
}

const KEYS = ["id", "evaluator", "file", "config", "iteration"];

/** Answers every case of a file, in order. A case that cannot be evaluated is answered with its error. */
async function evaluate({ batch, compat, json = false }: OptionsOf<typeof OPTIONS>): Promise<void> {
  if (batch === undefined)
    throw usageError(
      "`--batch` is missing",
      "Name a file with one case per line, or - for standard input",
    );
  for await (const lines of textLines(batch, "BYLAW_BATCH_UNREADABLE")) {
    let text = "";
    for (const { text: line } of lines) {
      const answer = answerTo(line, compat);
      text += json ? jsonLine(answer) : `${answerText(answer)}\n`;
    }
    await write(text);
  }
  conclude(0);
}

function answerTo(line: string, compat: Compat | undefined): Answer {
  let id: Pick<Answer, "id"> = {};
  try {
    const value = parseJson(line);
    if (!isJsonObject(value)) throw invalidCase("A case must be a JSON object");
    if (typeof value["id"] === "string" || typeof value["id"] === "number")
      id = { id: value["id"] };
    return {
      ...id,
      decision: evaluateBehavior({ ...caseIn(value), ...(compat === undefined ? {} : { compat }) }),
    };
  } catch (error) {
    return { ...id, error: { code: codeOf(error), message: messageOf(error) } };
  }
}

function caseIn(value: JsonObject) {
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key));
  if (unknown !== undefined)
    throw invalidCase(`Unknown key ${quote(unknown)}. A case takes ${KEYS.join(", ")}.`);
  const { evaluator, file = null, config = null, iteration = 0 } = value;
  const known = EVALUATORS.find((name: EvaluatorName) => name === evaluator);
  if (known === undefined)
    throw invalidCase(`\`evaluator\` must be one of ${EVALUATORS.join(", ")}`);
  if (typeof iteration !== "number") throw invalidCase("`iteration` must be a number");
  return { evaluator: known, file, config: config as Json, iteration };
}

const invalidCase = (message: string): BylawError =>
  new BylawError({ code: "BYLAW_BEHAVIOR_CONFIG_INVALID", message });

// Scripts depend on these codes, so they stay the same even if our own error codes change.
const CODES: Readonly<Record<string, string>> = {
  BYLAW_BEHAVIOR_INVALID: "parse",
  BYLAW_BEHAVIOR_TARGET_MISSING: "missing_field",
  BYLAW_BEHAVIOR_CONFIG_INVALID: "invalid_config",
};
const codeOf = (error: unknown): string =>
  isBylawError(error) ? (CODES[error.code] ?? "parse") : "parse";

function answerText({ id, decision, error }: Answer): string {
  const name = id === undefined ? "" : `${id}: `;
  if (error !== undefined) return plain(`${name}error ${error.code}: ${error.message}`);
  return plain(
    `${name}${decision === null || decision === undefined ? "nothing" : JSON.stringify(decision)}`,
  );
}
