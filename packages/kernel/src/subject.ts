import type { ApprovalMode, HookName, Json, JsonObject, Subject } from "../contract/index.d.ts";
import type { DecisionContext } from "./decision.ts";
import { BylawError } from "./errors.ts";
import { createMark, freezeJson, isJsonObject, isPlain, owns } from "./json.ts";

/** The approval modes, strictest first. */
export const APPROVAL_MODES: readonly ApprovalMode[] = ["ask", "autoEdit", "yolo"];

type Test = (value: unknown) => boolean;
const text: Test = (value) => typeof value === "string";
const texts: Test = (value) => Array.isArray(value) && value.every(text);
const flag: Test = (value) => typeof value === "boolean";
const count: Test = (value) => Number.isSafeInteger(value) && (value as number) > 0;
const object: Test = isJsonObject;
const structure: Test = (value) => typeof value === "object" && value !== null;
const registry: Test = (value) => isJsonObject(value) && Object.values(value).every(texts);
const calls: Test = (value) => Array.isArray(value) && value.every((item) => isJsonObject(item) && text(item["tool"]));
const mode: Test = (value) => (APPROVAL_MODES as readonly unknown[]).includes(value);

const who = { id: text, run: text, session: text, agent: text, task: text, at: text, phase: text };
const context = { ...who, interactive: flag, claims: object, host: object };
const mcp = { server: text, servers: registry, annotations: object };
const place = { cwd: text, workspace: text, home: text, approval_mode: mode };
const counted = { round: count, attempt: count, max_attempts: count };
const move = { from: text, to: text, artifacts: object, reason: text, request_id: text };

interface Shape {
  readonly fields: ReadonlyMap<string, Test>;
  readonly required: readonly string[];
}

const fieldsOf = (fields: Readonly<Record<string, Test>>): ReadonlyMap<string, Test> => new Map(Object.entries({ ...context, ...fields }));
const SHAPES: ReadonlyMap<unknown, Shape> = new Map<HookName, Shape>([
  ["beforeToolCall", { fields: fieldsOf({ tool: text, args: structure, ...mcp, ...place }), required: ["tool", "args"] }],
  ["onTransition", { fields: fieldsOf(move), required: ["task", "to", "artifacts"] }],
  ["onBehavior", { fields: fieldsOf({ action: text, reason: text, trigger_agent_id: text, step: text }), required: ["action"] }],
  ["onEnforcement", { fields: fieldsOf({ text, tool_calls: calls, available_tools: texts, ...counted }), required: [] }],
]);

// What grows field by field beyond its room becomes a dictionary, and each look at it a search: to decide then takes twice as long. The
// engine gives all of these the room that the first few needed.
const Roomy = Object.assign(function roomy() {}, { prototype: Object.prototype }) as unknown as new () => Record<string, Json>;
for (let made = 0; made < 8; made += 1) Object.assign(new Roomy(), { ...context, ...mcp, ...place, tool: text, args: structure });

// A control character in a name is never meant, and a newline would let `$` and line-wise readers see another name.
const TOOL_NAME = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]{1,256}$/u;

// On the subjects of a kernel, which it need not look at again.
const Admission = createMark<object>();

/** Whether `owner` itself made this subject, so that it needs no second look and its facts can be trusted. */
export const isAdmitted = (subject: unknown, owner: object): boolean =>
  typeof subject === "object" && subject !== null && Admission.of(subject) === owner;

/** A subject of `owner` with what its plugins prepared: never taken from a caller, and already frozen. */
export const withFacts = (subject: Subject, owner: object, facts: JsonObject): Subject =>
  Object.freeze(new Admission({ ...subject, facts: Object.freeze(facts) }, owner)) as Subject;

/** The border: a frozen copy of a subject, strict in keys and types. Throws BYLAW_SUBJECT_INVALID or BYLAW_JSON_INVALID. */
export function admit(input: Subject, owner: Pick<DecisionContext, "approval_mode">): Subject {
  if (!isJsonObject(input) || !isPlain(input)) throw invalid("plain data");
  const { hook } = input;
  const shape = SHAPES.get(hook);
  if (shape === undefined) throw invalid("one that names its hook");
  const { fields, required } = shape;
  const subject = new Roomy();
  subject["hook"] = hook;
  for (const key in input) {
    if (key === "hook" || !owns(input, key)) continue;
    const value: unknown = (input as unknown as Record<string, unknown>)[key];
    if (value === undefined) continue;
    const test = fields.get(key);
    if (test === undefined) throw invalid(`one without \`${key}\``);
    // Most fields are text, which needs no copy.
    const isText = test === text && typeof value === "string" && value.isWellFormed();
    const copy = isText ? value : freezeJson(value);
    if (!isText && !test(copy)) throw invalid(`a ${test.name} in \`${key}\``);
    subject[key] = copy;
  }
  for (const key of required) if (subject[key] === undefined) throw invalid(`one with \`${key}\``);
  if (hook === "beforeToolCall") {
    if (!TOOL_NAME.test(subject["tool"] as string)) throw invalid("a tool name of 1 to 256 characters without control characters");
    // So that every plugin reads one mode: the call's own, else the configuration's.
    subject["approval_mode"] ??= owner.approval_mode;
  }
  return Object.freeze(new Admission(subject, owner)) as Subject;
}

function invalid(wanted: string): BylawError {
  return new BylawError({ code: "BYLAW_SUBJECT_INVALID", message: `Unexpected subject, expected ${wanted}` });
}
