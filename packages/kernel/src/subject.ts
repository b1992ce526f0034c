import { BylawError } from "./errors.ts";
import { freezeJson, isJsonObject, type Json, type JsonObject } from "./json.ts";
import type { HookName } from "./verdict.ts";

/** Who is asked when nothing decides: `ask` a person, wave edits through, or wave everything through. */
export const APPROVAL_MODES = ["ask", "autoEdit", "yolo"] as const;
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

/** What every subject may say about where it comes from. */
export interface SubjectContext {
  readonly id?: string;
  readonly run?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly task?: string;
  /** RFC 3339, UTC. */
  readonly at?: string;
  /** `false`: nobody can be asked. Left out: somebody can. */
  readonly interactive?: boolean;
  /** The phase of the task. In a run it comes from the log, whatever the caller says. */
  readonly phase?: string;
  /** Verified claims of the caller's token. */
  readonly claims?: JsonObject;
  /** What the host knows and a plugin may want, by name. */
  readonly host?: JsonObject;
  /** What plugins prepared, by plugin name. Only the kernel writes it. */
  readonly facts?: JsonObject;
}

/** May this tool call run? */
export interface ToolCall extends SubjectContext {
  readonly hook: "beforeToolCall";
  readonly tool: string;
  /** The named arguments; an array where a host has only positions. */
  readonly args: JsonObject | readonly Json[];
  /** The MCP server, as the host names it. */
  readonly server?: string;
  /** The tools of every MCP server that the host registered, by server. */
  readonly servers?: { readonly [server: string]: readonly string[] };
  /** The tool's own hints. They come from the tool, so they can only tighten. */
  readonly annotations?: JsonObject;
  /** Absolute directories. */
  readonly cwd?: string;
  readonly workspace?: string;
  readonly home?: string;
  readonly approval_mode?: ApprovalMode;
}

/** May this task enter that phase? */
export interface Transition extends SubjectContext {
  readonly hook: "onTransition";
  readonly task: string;
  readonly from?: string;
  readonly to: string;
  /** The submitted artifacts, by type. */
  readonly artifacts: JsonObject;
  readonly reason?: string;
}

/** An agent asks to steer the workflow: what happens? */
export interface Behavior extends SubjectContext {
  readonly hook: "onBehavior";
  readonly action: string;
  readonly reason?: string;
  readonly trigger_agent_id?: string;
  readonly step?: string;
}

/** One call inside a {@link Response}. */
export interface ResponseCall {
  readonly id?: string;
  readonly tool: string;
  readonly args?: Json;
}

/** A response is complete: does it comply? */
export interface Response extends SubjectContext {
  readonly hook: "onEnforcement";
  readonly text?: string;
  readonly tool_calls?: readonly ResponseCall[];
  readonly available_tools?: readonly string[];
  /** All three count from 1. */
  readonly round?: number;
  readonly attempt?: number;
  readonly max_attempts?: number;
}

export type Subject = ToolCall | Transition | Behavior | Response;

/** The subject of one hook. */
export type SubjectOf<H extends HookName> = Extract<Subject, { hook: H }>;

type Kind = "string" | "boolean" | "count" | "object" | "structure" | "strings" | "servers" | "calls" | "mode";

const CONTEXT: Readonly<Record<string, Kind>> = {
  id: "string",
  run: "string",
  session: "string",
  agent: "string",
  task: "string",
  at: "string",
  interactive: "boolean",
  phase: "string",
  claims: "object",
  host: "object",
};

interface Shape {
  readonly fields: ReadonlyMap<string, Kind>;
  readonly required: readonly string[];
}

const shape = (fields: Readonly<Record<string, Kind>>, required: readonly string[]): Shape => ({
  fields: new Map(Object.entries({ ...CONTEXT, ...fields })),
  required,
});

const SHAPES: ReadonlyMap<string, Shape> = new Map([
  [
    "beforeToolCall",
    shape(
      {
        tool: "string",
        args: "structure",
        server: "string",
        servers: "servers",
        annotations: "object",
        cwd: "string",
        workspace: "string",
        home: "string",
        approval_mode: "mode",
      },
      ["tool", "args"],
    ),
  ],
  [
    "onTransition",
    shape({ from: "string", to: "string", artifacts: "object", reason: "string" }, ["task", "to", "artifacts"]),
  ],
  ["onBehavior", shape({ action: "string", reason: "string", trigger_agent_id: "string", step: "string" }, ["action"])],
  [
    "onEnforcement",
    shape(
      {
        text: "string",
        tool_calls: "calls",
        available_tools: "strings",
        round: "count",
        attempt: "count",
        max_attempts: "count",
      },
      [],
    ),
  ],
]);

const FITS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  count: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  object: isJsonObject,
  structure: (value) => typeof value === "object" && value !== null,
  strings: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  servers: (value) => isJsonObject(value) && Object.values(value).every(FITS.strings),
  calls: (value) =>
    Array.isArray(value) && value.every((item) => isJsonObject(item) && typeof item["tool"] === "string"),
  mode: (value) => (APPROVAL_MODES as readonly unknown[]).includes(value),
};

// A control character in a name is never meant, and a newline would let `$` and line-wise readers see another name.
const CONTROL = /[\u0000-\u001f\u007f]/;

const admitted = new WeakSet<object>();

/** Whether the kernel itself made this subject, so that it needs no second look. */
export function isAdmitted(subject: object): subject is Subject {
  return admitted.has(subject);
}

/**
 * The border: a frozen copy of a subject, strict in keys and types. Throws BYLAW_SUBJECT_INVALID or BYLAW_JSON_INVALID.
 * `facts` are the kernel's own and never taken from a caller.
 */
export function admit(input: Subject, facts?: JsonObject): Subject {
  const known = isJsonObject(input) ? SHAPES.get((input as { hook: string }).hook) : undefined;
  if (known === undefined) throw invalid("Unexpected subject, expected one with the name of a hook in `hook`");
  const subject: Record<string, Json> = {};
  for (const key of Object.keys(input)) {
    const value: unknown = (input as unknown as Record<string, unknown>)[key];
    if (value === undefined || key === "hook") continue;
    const kind = known.fields.get(key);
    if (kind === undefined) throw invalid(`Unexpected key \`${key}\` in a subject of ${input.hook}`);
    if (!FITS[kind](value)) throw invalid(`Unexpected value of \`${key}\`, expected a ${kind}`);
    subject[key] = freezeJson(value);
  }
  for (const key of known.required) {
    if (!Object.hasOwn(subject, key))
      throw invalid(`Unexpected subject without \`${key}\`, expected one for ${input.hook}`);
  }
  const tool = subject["tool"];
  if (typeof tool === "string" && (tool === "" || tool.length > 256 || CONTROL.test(tool))) {
    throw invalid("Unexpected tool name, expected 1 to 256 characters and no control character");
  }
  subject["hook"] = input.hook;
  if (facts !== undefined) subject["facts"] = freezeJson(facts);
  const result = Object.freeze(subject) as unknown as Subject;
  admitted.add(result);
  return result;
}

function invalid(message: string): BylawError {
  return new BylawError({ code: "BYLAW_SUBJECT_INVALID", message });
}
