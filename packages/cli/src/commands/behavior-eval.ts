import { evaluateBehavior, EVALUATORS, type Compat, type EvaluatorName } from "@bylaw/behavior";
import { isBylawError, parseJson } from "@bylaw/config";
import { BylawError, isJsonObject, messageOf, type Json, type JsonObject } from "@bylaw/kernel";
import { usageError } from "../fault.ts";
import { conclude } from "../outcome.ts";
import { jsonLine, write } from "../output.ts";
import { textLines } from "../read-lines.ts";
import { plain } from "../text.ts";

/** The options of `bylaw behavior eval`. */
export interface EvalOptions {
  readonly batch?: string;
  readonly compat?: Compat;
  readonly json?: boolean;
}

interface Answer {
  readonly id?: string | number;
  readonly decision?: JsonObject | null;
  readonly error?: { readonly code: string; readonly message: string };
}

const KEYS = ["id", "evaluator", "file", "config", "iteration"];

/** Answers every case of a file, in order; a case that cannot be evaluated is answered with its error. */
export async function evaluate({ batch, compat, json = false }: EvalOptions): Promise<void> {
  if (batch === undefined)
    throw usageError("Unexpected absence of `--batch`, expected a file with one case per line", "name a file, or - for the standard input");
  const file = { code: "BYLAW_BATCH_UNREADABLE", expected: "a file with one case per line" } as const;
  for await (const lines of textLines(batch, file)) {
    let text = "";
    for (const { text: line } of lines) {
      const answer = answerTo(line, compat);
      text += json ? jsonLine(answer) : `${said(answer)}\n`;
    }
    await write(text);
  }
  conclude(0);
}

function answerTo(line: string, compat: Compat | undefined): Answer {
  let id: Pick<Answer, "id"> = {};
  try {
    const value = parseJson(line);
    if (!isJsonObject(value)) throw invalidCase("line, expected one case as a JSON object");
    if (typeof value["id"] === "string" || typeof value["id"] === "number") id = { id: value["id"] };
    return { ...id, decision: evaluateBehavior({ ...caseIn(value), ...(compat === undefined ? {} : { compat }) }) };
  } catch (error) {
    return { ...id, error: { code: codeOf(error), message: messageOf(error) } };
  }
}

function caseIn(value: JsonObject) {
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw invalidCase(`key \`${unknown.slice(0, 80)}\`, expected ${KEYS.join(", ")}`);
  const { evaluator, file = null, config = null, iteration = 0 } = value;
  const known = EVALUATORS.find((name: EvaluatorName) => name === evaluator);
  if (known === undefined) throw invalidCase(`evaluator, expected one of ${EVALUATORS.join(", ")}`);
  if (typeof iteration !== "number") throw invalidCase("iteration, expected a number");
  return { evaluator: known, file, config: config as Json, iteration };
}

const invalidCase = (what: string): BylawError => new BylawError({ code: "BYLAW_BEHAVIOR_CONFIG_INVALID", message: `Unexpected ${what}` });

// The names that scripts know; they stay whatever our own are called.
const CODES: Readonly<Record<string, string>> = {
  BYLAW_BEHAVIOR_INVALID: "parse",
  BYLAW_BEHAVIOR_TARGET_MISSING: "missing_field",
  BYLAW_BEHAVIOR_CONFIG_INVALID: "invalid_config",
};
const codeOf = (error: unknown): string => (isBylawError(error) ? (CODES[error.code] ?? "parse") : "parse");

function said({ id, decision, error }: Answer): string {
  const name = id === undefined ? "" : `${id}: `;
  if (error !== undefined) return plain(`${name}error ${error.code}: ${error.message}`);
  return plain(`${name}${decision === null || decision === undefined ? "nothing" : JSON.stringify(decision)}`);
}
