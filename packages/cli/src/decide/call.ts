import { isAbsolute } from "node:path";
import { isBylawError, parseJson } from "@bylaw/config";
import {
  BylawError,
  isJsonObject,
  type ApprovalMode,
  type Json,
  type JsonObject,
  type ToolCall,
} from "@bylaw/kernel";
import { didYouMean, quote } from "@bylaw/wording";

/** Values for the fields that a call leaves out. */
export interface CallDefaults {
  readonly server?: string;
  readonly agent?: string;
  readonly phase?: string;
  readonly approval_mode?: ApprovalMode;
  readonly cwd: string;
  /** The home folder, left out if it is unknown. */
  readonly home?: string;
  readonly interactive: boolean;
}

/** The keys that a line of a batch may have. */
export const CALL_KEYS = [
  "id",
  "tool",
  "args",
  "args_raw",
  "server",
  "servers",
  "agent",
  "phase",
  "cwd",
  "home",
  "workspace",
  "approval_mode",
  "interactive",
] as const;
const KNOWN: ReadonlySet<string> = new Set(CALL_KEYS);
const DIRECTORIES = ["cwd", "home", "workspace"] as const;

/** Reads the call on one line of a batch. Throws {@link BylawError}. */
export function callFromLine(line: Json, defaults: CallDefaults) {
  if (!isJsonObject(line)) throw bad("A call must be a JSON object with `tool` and `args`");
  for (const key of Object.keys(line)) if (!KNOWN.has(key)) throw unknownKey(key);
  const { id, args_raw: raw } = line;
  if (id !== undefined && typeof id !== "string" && typeof id !== "number") {
    throw bad("`id` must be text or a number");
  }
  for (const name of DIRECTORIES) {
    const directory = line[name];
    if (typeof directory === "string" && !isAbsolute(directory)) {
      throw bad(`\`${name}\` must be an absolute path`);
    }
  }
  if (raw === undefined) return { id, call: callOf(line, defaults, id) };
  if (typeof raw !== "string") throw bad("`args_raw` must be text: the arguments as JSON");
  const { args_raw: _, ...fields } = line;
  return { id, call: callOf({ ...fields, args: argsFrom(raw, "args_raw") }, defaults, id) };
}

/** Parses arguments from JSON text, strictly. Throws a {@link BylawError} that names the origin of the text. */
export function argsFrom(text: string, name: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!isBylawError(error)) throw error;
    throw new BylawError({
      code: error.code,
      message: `${error.message} in \`${name}\``,
      cause: error,
    });
  }
}

/** Fills in the defaults of a call. Only the keys are checked here; the kernel checks the types. */
export function callOf(fields: JsonObject, defaults: CallDefaults, id?: string | number): ToolCall {
  // A null does not count as missing: the kernel refuses it.
  const { cwd = defaults.cwd, workspace = cwd } = fields;
  const call: JsonObject = {
    ...defaults,
    ...fields,
    cwd,
    workspace,
    ...(id === undefined ? {} : { id: String(id) }),
    hook: "beforeToolCall",
  };
  // The kernel checks every field before it decides.
  return call as unknown as ToolCall;
}

function bad(message: string, fix?: string): BylawError {
  return new BylawError({ code: "BYLAW_SUBJECT_INVALID", message, fix });
}

function unknownKey(key: string): BylawError {
  return bad(
    `Unknown key ${quote(key)} in a call`,
    didYouMean(key, CALL_KEYS) ?? `Use ${CALL_KEYS.join(", ")}`,
  );
}
