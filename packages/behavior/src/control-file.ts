import { parseJson } from "@bylaw/config";
import { BylawError, isJsonObject, messageOf, type Json, type JsonObject } from "@bylaw/kernel";
import { nearest, quote } from "@bylaw/wording";
import { BEHAVIOR_ACTIONS, type BehaviorAction, type BehaviorActionName } from "./action.ts";

/** The longest control file, in UTF-16 code units. */
export const CONTROL_FILE_LIMIT = 65_536;

const FIELDS = ["action", "reason", "triggerAgentId", "step", "run"] as const;

/** The origin of the text, for errors. */
export interface ControlFileOptions {
  readonly file?: string;
}

/**
 * Parses the text of a control file strictly: one JSON object without repeated keys, a known action, and text or null in the text
 * fields. Unknown keys are listed in `ignored` and have no effect. Throws BYLAW_BEHAVIOR_INVALID.
 */
export function parseControlFile(text: string, { file }: ControlFileOptions = {}): BehaviorAction {
  const invalid = (message: string, fix?: string, cause?: unknown): BylawError =>
    new BylawError({
      code: "BYLAW_BEHAVIOR_INVALID",
      message,
      fix,
      cause,
      source: file === undefined ? undefined : { file },
    });
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

const EXAMPLE = 'Write one object: {"action": "continue"}';

function objectIn(text: string, invalid: Invalid): JsonObject {
  if (text.length > CONTROL_FILE_LIMIT)
    throw invalid(
      `The control file has ${text.length} characters; at most ${CONTROL_FILE_LIMIT} are allowed`,
      "Shorten the reason",
    );
  if (text.trim() === "")
    throw invalid("The control file is empty; it must hold one JSON object", EXAMPLE);
  // Some readers take it for a space and others for a fault.
  if (text.startsWith("\uFEFF"))
    throw invalid("The control file begins with a byte order mark", "Write UTF-8 without it");
  let value: Json;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw invalid(messageOf(cause), EXAMPLE, cause);
  }
  if (!isJsonObject(value))
    throw invalid(`The control file must hold one JSON object, not ${kindOf(value)}`, EXAMPLE);
  return value;
}

function actionOf(action: Json | undefined, invalid: Invalid): BehaviorActionName {
  const wanted = BEHAVIOR_ACTIONS.join(", ");
  if (action === undefined)
    throw invalid(`The control file lacks \`action\`, one of ${wanted}`, EXAMPLE);
  if (typeof action !== "string")
    throw invalid(`\`action\` must be one of ${wanted}, not ${kindOf(action)}`);
  const known = BEHAVIOR_ACTIONS.find((name) => name === action);
  if (known !== undefined) return known;
  const near = MEANT.get(action.toLowerCase()) ?? nearest(action, BEHAVIOR_ACTIONS);
  throw invalid(
    `Unknown action ${quote(action)}. Known actions: ${wanted}`,
    near === undefined ? undefined : `Did you mean \`${near}\`?`,
  );
}

// Words that prompts use for actions with another name here.
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
  throw invalid(`\`${field}\` must be text or null, not ${kindOf(text)}`);
}

const kindOf = (value: Json): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "list"
      : isJsonObject(value)
        ? "object"
        : typeof value;
