import { brand } from "./brand.ts";
import type { DecisionContext } from "./combine.ts";
import { BylawError } from "./errors.ts";
import { isText, listOf, oneOf, type Field } from "./field.ts";
import { freezeJson, isJsonObject, isPlain, owns, type Json, type JsonObject } from "./json.ts";
import { APPROVAL_MODES, type Subject } from "./subject.ts";
import type { HookName, Vote } from "./verdict.ts";

const text: Field = { accepts: isText, must: "text" };
const texts = listOf(isText, "a list of texts");
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
  accepts: (value) => isJsonObject(value) && Object.values(value).every(texts.accepts),
  must: "an object with a list of tool names per server",
};
const calls = listOf(
  (item) => isJsonObject(item) && isText(item["tool"]),
  "a list of objects with `tool`",
);
const mode = oneOf(APPROVAL_MODES);

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

// With a line break in a name, a reader of single lines would see a different name.
const TOOL_NAME = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]{1,256}$/u;

/** The kernel that made a subject, and the checks that failed while the subject was prepared. */
interface Admission {
  readonly owner: object;
  /** Absent if none failed. */
  readonly failures?: readonly Vote[];
}

// Marks subjects that a kernel made, so that their facts can be trusted.
const Admitted = brand<Admission>();

/** Returns the admission of a subject if `owner` made it. Undefined otherwise. */
export function admissionOf(subject: unknown, owner: object): Admission | undefined {
  if (typeof subject !== "object" || subject === null) return undefined;
  const admission = Admitted.of(subject);
  return admission?.owner === owner ? admission : undefined;
}

/** Adds the facts that plugins prepared to an admitted subject. Callers cannot set facts themselves. */
export function withFacts(subject: Subject, facts: JsonObject, admission: Admission): Subject {
  const found = Object.keys(facts).length === 0 ? {} : { facts: Object.freeze(facts) };
  return Object.freeze(new Admitted({ ...subject, ...found }, admission)) as Subject;
}

/** Returns a frozen copy of a subject after checking its keys and types. Throws BYLAW_SUBJECT_INVALID or BYLAW_JSON_INVALID. */
export function admit(input: Subject, owner: DecisionContext): Subject {
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
    // Set it here, so that every plugin sees the same mode: that of the call, or else that of the configuration.
    subject["approval_mode"] ??= owner.approval_mode;
  }
  return Object.freeze(new Admitted(subject, { owner })) as Subject;
}

function admitField(key: string, value: unknown, { fields }: Shape): Json {
  const field = fields.get(key);
  if (field === undefined) throw invalid(`Unknown field \`${key}\` of the subject`);
  // Most fields are well-formed text, which needs no copy.
  const copy = typeof value === "string" && value.isWellFormed() ? value : freezeJson(value);
  if (!field.accepts(copy)) throw invalid(`\`${key}\` must be ${field.must}`);
  return copy;
}

const invalid = (message: string): BylawError =>
  new BylawError({ code: "BYLAW_SUBJECT_INVALID", message });
