import { brand } from "./brand.ts";
import { BylawError } from "./errors.ts";
import { freezeJson, isJsonObject, isPlain, owns, type Json, type JsonObject } from "./json.ts";
import { APPROVAL_MODES, type ApprovalMode, type Subject } from "./subject.ts";
import type { HookName } from "./verdict.ts";

interface Field {
  readonly accepts: (value: unknown) => boolean;
  /** What the field must be, for messages. */
  readonly must: string;
}

const isText = (value: unknown): boolean => typeof value === "string";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const text: Field = { accepts: isText, must: "text" };
const texts: Field = { accepts: isTexts, must: "a list of texts" };
const flag: Field = { accepts: (value) => typeof value === "boolean", must: "true or false" };
const object: Field = { accepts: isJsonObject, must: "an object" };
const count: Field = {
  accepts: (value) => Number.isSafeInteger(value) && (value as number) > 0,
  must: "a whole number from 1",
};
const args: Field = {
  accepts: (value) => typeof value === "object" && value !== null,
  must: "an object or a list",
};
const servers: Field = {
  accepts: (value) => isJsonObject(value) && Object.values(value).every(isTexts),
  must: "an object with a list of tool names per server",
};
const calls: Field = {
  accepts: (value) =>
    Array.isArray(value) && value.every((item) => isJsonObject(item) && isText(item["tool"])),
  must: "a list of objects with `tool`",
};
const mode: Field = {
  accepts: (value) => (APPROVAL_MODES as readonly unknown[]).includes(value),
  must: `one of ${APPROVAL_MODES.join(", ")}`,
};

const who = { id: text, run: text, session: text, agent: text, task: text, at: text, phase: text };
const context = { ...who, interactive: flag, claims: object, host: object };
const place = { cwd: text, workspace: text, home: text, approval_mode: mode };
const mcp = { server: text, servers, annotations: object };

interface Shape {
  readonly fields: ReadonlyMap<string, Field>;
  readonly required: readonly string[];
}

const shape = (required: readonly string[], fields: Readonly<Record<string, Field>>): Shape => ({
  fields: new Map(Object.entries({ ...context, ...fields })),
  required,
});
const SHAPES: ReadonlyMap<unknown, Shape> = new Map<HookName, Shape>([
  ["beforeToolCall", shape(["tool", "args"], { tool: text, args, ...mcp, ...place })],
  [
    "onTransition",
    shape(["task", "to", "artifacts"], {
      ...{ from: text, to: text, artifacts: object, reason: text, request_id: text },
    }),
  ],
  [
    "onBehavior",
    shape(["action"], { action: text, reason: text, trigger_agent_id: text, step: text }),
  ],
  [
    "onEnforcement",
    shape([], {
      ...{ text, tool_calls: calls, available_tools: texts },
      ...{ round: count, attempt: count, max_attempts: count },
    }),
  ],
]);

// A newline in a name would let `$` and readers of lines see another name.
const TOOL_NAME = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]{1,256}$/u;

// Marks the subjects of a kernel, whose facts can be trusted.
const Admitted = brand<object>();

/** Whether `owner` itself made this subject. */
export const isAdmitted = (subject: unknown, owner: object): boolean =>
  typeof subject === "object" && subject !== null && Admitted.of(subject) === owner;

/** A subject of `owner` with the facts that its plugins prepared. Callers cannot set facts. */
export const withFacts = (subject: Subject, owner: object, facts: JsonObject): Subject =>
  Object.freeze(new Admitted({ ...subject, facts: Object.freeze(facts) }, owner)) as Subject;

/** What a kernel admits subjects for. */
export interface SubjectOwner {
  readonly approval_mode: ApprovalMode;
}

/** A frozen copy of a subject, strict in keys and types. Throws BYLAW_SUBJECT_INVALID or BYLAW_JSON_INVALID. */
export function admit(input: Subject, owner: SubjectOwner): Subject {
  if (!isJsonObject(input) || !isPlain(input)) throw invalid("The subject must be a plain object");
  const { hook } = input;
  const known = SHAPES.get(hook);
  if (known === undefined)
    throw invalid(`The subject must name its \`hook\`: ${[...SHAPES.keys()].join(", ")}`);
  const subject: Record<string, Json> = { hook };
  for (const key in input) {
    if (key === "hook" || !owns(input, key)) continue;
    const value: unknown = (input as unknown as Record<string, unknown>)[key];
    if (value !== undefined) subject[key] = admitField(key, value, known);
  }
  for (const key of known.required)
    if (subject[key] === undefined) throw invalid(`The subject lacks \`${key}\``);
  if (hook === "beforeToolCall") {
    if (!TOOL_NAME.test(subject["tool"] as string))
      throw invalid("`tool` must have 1 to 256 characters, none of them a control character");
    // So that every plugin reads one mode: the call's own, else the configuration's.
    subject["approval_mode"] ??= owner.approval_mode;
  }
  return Object.freeze(new Admitted(subject, owner)) as Subject;
}

function admitField(key: string, value: unknown, { fields }: Shape): Json {
  const field = fields.get(key);
  if (field === undefined) throw invalid(`Unknown field \`${key}\` of the subject`);
  // Most fields are text, which needs no copy.
  const copy = typeof value === "string" && value.isWellFormed() ? value : freezeJson(value);
  if (!field.accepts(copy)) throw invalid(`\`${key}\` must be ${field.must}`);
  return copy;
}

const invalid = (message: string): BylawError =>
  new BylawError({ code: "BYLAW_SUBJECT_INVALID", message });
