import { APPROVAL_MODES, type ApprovalMode, type Json } from "@bylaw/kernel";
import { EFFECT_NAMES, type EffectName } from "@bylaw/shell";
import { z } from "zod";
import { ARGUMENT_TYPES, type ConditionSource } from "../match/value-test.ts";
import { geminiFileSchema, geminiRuleSchema } from "../compat/gemini/gemini-schema.ts";
import { MAX_TIMES, SPAN } from "./span.ts";
import { flag, oneOf, text, texts } from "./schema-fields.ts";
import { TIERS } from "../compile/rule.ts";

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const json: z.ZodType<Json> = z.lazy(() =>
  z.union([scalar, z.array(json), z.record(z.string(), json)]),
);
const value = z.custom<Json>((input) => json.safeParse(input).success, {
  error: "text, a number, true, false, or a list or table of them",
});
const number = z.number({ error: "a number" });

const condition: z.ZodType<ConditionSource> = z.lazy(() =>
  z.strictObject(
    {
      eq: value.optional(),
      in: z.array(value, { error: "a list of values" }).optional(),
      glob: texts("a glob").optional(),
      regex: text("a regular expression").optional(),
      min: number.optional(),
      max: number.optional(),
      type: oneOf(ARGUMENT_TYPES).optional(),
      url_prefix: texts("a URL").optional(),
      exists: flag.optional(),
      not: condition.optional(),
    },
    { error: 'a condition like `{ eq = "GET" }`' },
  ),
);

const TIMES = `a whole number from 1 to ${MAX_TIMES}`;

const modes = z.union([oneOf(APPROVAL_MODES), z.array(oneOf(APPROVAL_MODES)).min(1)], {
  error: `one of ${APPROVAL_MODES.join(", ")}, or a list of them`,
});

/** The effects as a policy file names them. */
const ACTIONS = ["allow", "deny", "ask_user"] as const;

const effect = z.enum(Object.keys(EFFECT_NAMES) as [EffectName, ...EffectName[]], {
  error: "the name of an effect",
});

const span = text("a span of time").regex(SPAN, { error: "a span of time like `10m`" });

const reference = z.union(
  [
    text("the name of a mark"),
    z.array(text("the name of a mark")).min(1),
    z.strictObject({
      mark: text("the name of a mark"),
      times: z
        .int({ error: TIMES })
        .min(1, { error: TIMES })
        .max(MAX_TIMES, { error: TIMES })
        .optional(),
      within: span.optional(),
    }),
  ],
  { error: "the name of a mark, a list of them, or { mark, times, within }" },
);

/** One `[[rules]]` table. */
export const ruleSchema = z.strictObject(
  {
    name: text("a name"),
    priority: oneOf(TIERS).optional(),
    action: oneOf(ACTIONS),
    tool: text("a tool name or glob").optional(),
    command: texts("a word pattern").optional(),
    command_regex: text("a regular expression").optional(),
    effects: z
      .union([effect, z.array(effect).min(1, { error: "a list with the name of an effect" })], {
        error: "the name of an effect, or a list of them",
      })
      .optional(),
    pattern: text("a tool-name glob, or a word pattern").optional(),
    server: text("a server name or glob").optional(),
    paths: z
      .union(
        [
          text("a path glob"),
          z.array(text("a path glob")).min(1),
          z.strictObject({
            read: texts("a path glob").optional(),
            write: texts("a path glob").optional(),
          }),
        ],
        { error: "a path glob, a list of them, or { read = […], write = […] }" },
      )
      .optional(),
    network: texts("a host").optional(),
    args: z
      .record(z.string(), condition, {
        error: 'conditions by argument, like `{ method = { eq = "GET" } }`',
      })
      .optional(),
    agent: texts("an agent name or glob").optional(),
    phase: texts("a phase name or glob").optional(),
    modes: modes.optional(),
    interactive: flag.optional(),
    approval_mode: oneOf(APPROVAL_MODES).optional(),
    // `read-when.ts` checks it, to give one message with the right position.
    when: z.unknown().optional(),
    after: reference.optional(),
    unless_after: reference.optional(),
    input: z.literal(false, { error: "false" }).optional(),
    git_ignored: z.literal(true, { error: "true" }).optional(),
    overrides: texts("the name of a rule").optional(),
    reason: text("text").optional(),
    fix: text("text").optional(),
    instead: z
      .record(z.string(), value, { error: 'arguments, like `{ command = "git push" }`' })
      .optional(),
    shadow: flag.optional(),
    final: flag.optional(),
    match: texts("a command or tool name").optional(),
    not_match: texts("a command or tool name").optional(),
  },
  { error: "a table" },
);

/** One `[[marks]]` table. Its conditions are those of a rule. */
export const markSchema = z.strictObject(
  {
    ...ruleSchema.pick({
      ...({ name: true, tool: true, command: true, command_regex: true, effects: true } as const),
      ...({
        server: true,
        paths: true,
        network: true,
        args: true,
        agent: true,
        phase: true,
      } as const),
    }).shape,
    outcome: z.literal("passed", { error: "`passed`, or left out" }).optional(),
    cleared_by: texts("the name of a mark").optional(),
  },
  { error: "a table" },
);

/** The top level of a policy file. `rules` are validated one by one. */
export const fileSchema = z.strictObject({
  default: oneOf(ACTIONS).optional(),
  compat: oneOf(["radium", "gemini"]).optional(),
  rules: z.array(z.unknown(), { error: "an array of tables, `[[rules]]`" }).optional(),
  marks: z.array(z.unknown(), { error: "an array of tables, `[[marks]]`" }).optional(),
});

/** One `[[rules]]` table of a file with `compat = "radium"`. */
export const radiumRuleSchema = z.strictObject(
  {
    name: text("a name"),
    priority: oneOf(["admin", "user", "default"]).optional(),
    action: oneOf(ACTIONS),
    tool_pattern: z.string({ error: "a tool-name pattern" }),
    arg_pattern: z.string({ error: "an argument pattern" }).optional(),
    reason: text("text").optional(),
  },
  { error: "a table" },
);

/** The top level of a file with `compat = "radium"`. */
export const radiumFileSchema = z.strictObject({
  compat: z.literal("radium"),
  approval_mode: oneOf(APPROVAL_MODES).optional(),
  rules: z.array(z.unknown(), { error: "an array of tables, `[[rules]]`" }).optional(),
});

/** Other tools whose policy files are read with those tools' own rules. */
export type Compat = "radium" | "gemini";

const COMPAT_SCHEMAS = {
  radium: { file: radiumFileSchema, rule: radiumRuleSchema },
  gemini: { file: geminiFileSchema, rule: geminiRuleSchema },
} as const;

/** The keys that a table of the file may have, for suggestions. */
export function keysAt(path: readonly (string | number)[], compat?: Compat): readonly string[] {
  if (compat !== undefined) {
    const { file, rule } = COMPAT_SCHEMAS[compat];
    return Object.keys((path.length === 0 ? file : rule).shape);
  }
  if (path.length === 0) return Object.keys(fileSchema.shape);
  if (path[2] === "after" || path[2] === "unless_after") return ["mark", "times", "within"];
  if (path[2] === "when") return WHEN_KEYS;
  if (path.includes("args")) return CONDITION_KEYS;
  if (path.at(-1) === "paths") return ["read", "write"];
  return Object.keys((path[0] === "marks" ? markSchema : ruleSchema).shape);
}

/** The keys of a condition in `when`. */
export const WHEN_KEYS = [
  "all",
  "any",
  "not",
  "fact",
  "projection",
  "operator",
  "value",
  "path",
] as const;

const CONDITION_KEYS = [
  "eq",
  "in",
  "glob",
  "regex",
  "min",
  "max",
  "type",
  "url_prefix",
  "exists",
  "not",
];

/** Old spellings of approval modes. */
export const LEGACY_MODES: Readonly<Record<string, ApprovalMode>> = {
  autoedit: "autoEdit",
  auto_edit: "autoEdit",
};
