import { parseJson } from "@bylaw/config";
import { BylawError, isJsonObject, messageOf, type Json, type JsonObject } from "@bylaw/kernel";
import { nearest, quote } from "@bylaw/wording";
import { BEHAVIOR_ACTIONS, type BehaviorAction, type BehaviorActionName } from "./action.ts";

/** The largest control file that is read, in UTF-16 units. */
export const CONTROL_FILE_LIMIT = 65_536;

const FIELDS = ["action", "reason", "triggerAgentId", "step", "run"] as const;

/** Where the text comes from, for errors. */
export interface ControlFileOptions {
  readonly file?: string;
}

/**
 * Reads the text of a control file strictly: one JSON object, each key once, an action that there is, texts where texts belong. A key
 * that means nothing is told in `ignored` and changes nothing. Throws BYLAW_BEHAVIOR_INVALID.
 */
export function parseControlFile(text: string, { file }: ControlFileOptions = {}): BehaviorAction {
  const invalid = (message: string, fix?: string, cause?: unknown): BylawError =>
    new BylawError({ code: "BYLAW_BEHAVIOR_INVALID", message, fix, cause, source: file === undefined ? undefined : { file } });
  const value = objectIn(text, invalid);
  const action = actionOf(value["action"], invalid);
  return Object.freeze({
    action,
    reason: textOf(value, "reason", invalid),
    triggerAgentId: textOf(value, "triggerAgentId", invalid),
    step: textOf(value, "step", invalid),
    run: textOf(value, "run", invalid),
    ignored: Object.keys(value)
      .filter((key) => !(FIELDS as readonly string[]).includes(key))
      .map((key) => ({ key, near: nearest(key, FIELDS) })),
  });
}

type Invalid = (message: string, fix?: string, cause?: unknown) => BylawError;

const EXAMPLE = 'write one object: {"action": "continue"}';

function objectIn(text: string, invalid: Invalid): JsonObject {
  if (text.length > CONTROL_FILE_LIMIT)
    throw invalid(`Unexpected control file of ${text.length} characters, expected at most ${CONTROL_FILE_LIMIT}`, "say it in fewer words");
  if (text.trim() === "") throw invalid("Unexpected empty control file, expected one JSON object", EXAMPLE);
  // It would be a space to some readers and a fault to others.
  if (text.startsWith("\uFEFF")) throw invalid("Unexpected byte order mark, expected a JSON object", "write UTF-8 without it");
  let value: Json;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw invalid(messageOf(cause), EXAMPLE, cause);
  }
  if (!isJsonObject(value)) throw invalid(`Unexpected ${kindOf(value)}, expected one JSON object`, EXAMPLE);
  return value;
}

function actionOf(action: Json | undefined, invalid: Invalid): BehaviorActionName {
  const wanted = BEHAVIOR_ACTIONS.join(", ");
  if (action === undefined) throw invalid(`Unexpected absence of \`action\`, expected one of ${wanted}`, EXAMPLE);
  if (typeof action !== "string") throw invalid(`Unexpected ${kindOf(action)} for \`action\`, expected one of ${wanted}`);
  const known = BEHAVIOR_ACTIONS.find((name) => name === action);
  if (known !== undefined) return known;
  const near = MEANT.get(action.toLowerCase()) ?? nearest(action, BEHAVIOR_ACTIONS);
  throw invalid(
    `Unexpected action ${quote(action)}, expected one of ${wanted}`,
    near === undefined ? undefined : `did you mean \`${near}\`?`,
  );
}

// Words that prompts use for what has another name here.
const MEANT: ReadonlyMap<string, BehaviorActionName> = new Map([
  ["complete", "continue"],
  ["completed", "continue"],
  ["done", "continue"],
  ["next", "continue"],
  ["pause", "checkpoint"],
  ["repeat", "loop"],
  ["retry", "loop"],
  ["error", "stop"],
  ["abort", "stop"],
]);

function textOf(value: JsonObject, field: string, invalid: Invalid): string | null {
  const text = Object.hasOwn(value, field) ? (value[field] ?? null) : null;
  if (text === null || typeof text === "string") return text;
  throw invalid(`Unexpected ${kindOf(text)} for \`${field}\`, expected text or null`);
}

const kindOf = (value: Json): string =>
  value === null ? "null" : Array.isArray(value) ? "list" : isJsonObject(value) ? "object" : typeof value;
