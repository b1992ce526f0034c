import { COMPAT_MODES } from "@bylaw/behavior";
import { z } from "zod";
import { PLACEHOLDERS } from "./placeholders.ts";

/** The name of a step, an agent or an option. */
export const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    "must be a name: letters, digits, `.`, `_` and `-`, at most 100",
  )
  .refine((text) => text !== "constructor", "must be a name");
const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of a variable")
  .refine((text) => !text.startsWith("BYLAW_"), "is set by the runner");

const argument = z
  .string()
  .max(100_000)
  .superRefine((text, context) => {
    for (const [, found = ""] of text.replaceAll("{{", "").matchAll(/\{([a-z_]+)\}/g))
      if (!(PLACEHOLDERS as readonly string[]).includes(found))
        context.addIssue({
          code: "custom",
          message: `has the unknown placeholder \`{${found}}\`; write \`{{\` for a brace`,
        });
  });

const isPlain = (text: string): boolean => {
  const { username, password } = URL.parse(text) ?? { username: "", password: "" };
  return username === "" && password === "";
};

const invocation = z
  .union([
    z.strictObject({
      command: z
        .array(argument)
        .min(1)
        .max(1_000)
        .describe(
          "A program and its arguments; no shell reads them. Placeholders: {prompt} {step} {agent} …",
        ),
    }),
    z.strictObject({ function: z.string().min(1).describe("A function of the host, by its name") }),
  ])
  .describe("What runs");

const agent = z.strictObject({
  run: invocation,
  prompt: z.string().optional().describe("Text before the prompt of a step"),
  env: z
    .array(variable)
    .optional()
    .describe("Environment variables to pass on; no others are passed on"),
});

const loop = z.strictObject({
  steps: z.int().min(1).describe("The number of steps to go back"),
  max_iterations: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe("The most times to go back. Default: 10"),
  skip: z.array(name).optional().describe("Steps to skip while the loop repeats"),
  on_limit: z
    .enum(["continue", "hold", "stop"])
    .optional()
    .describe("What to do when the limit is reached. Default: continue"),
  stall: z
    .int()
    .min(1)
    .optional()
    .describe("The most times to go back while the same checks fail in the same way"),
});

const label = z.string().max(500);
const options = z
  .record(name, z.strictObject({ label: label.optional() }))
  .refine((record) => Object.keys(record).length > 0, "needs an option");
const onTracks = z.array(name).min(1).optional();

const tracks = z.strictObject({
  question: label.optional(),
  options: options.describe("The tracks, by name"),
  default: name.optional().describe("The track of a run that does not choose one"),
});

const choice = z.strictObject({
  question: label.optional(),
  multiple: z
    .boolean()
    .optional()
    .describe("Whether any number of options may be chosen. Default: exactly one"),
  tracks: onTracks.describe("The tracks on which this choice is offered. Default: all"),
  after: name
    .optional()
    .describe("The option of another choice that must be chosen before this is offered"),
  options: options.describe("The options, by name"),
});

/** The parts of a step. A module and an override may have any of them. */
const parts = {
  agent: name.optional().describe("The agent that does the step, one of `agents`"),
  run: invocation.optional(),
  prompt: z.string().optional().describe("The text for standard input, and in place of {prompt}"),
  timeout_seconds: z.number().positive().max(604_800).optional().describe("Default: 3600"),
  retries: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe("How often to retry the step when it fails. Default: 0"),
  once: z.boolean().optional().describe("Runs only once, even if a loop repeats it"),
  repeatable: z.boolean().optional().describe("May run again when a person goes back with --from"),
  interrupted: z
    .enum(["run", "ask"])
    .optional()
    .describe("After a crash during the step: run it again, or ask a person. Default: run"),
  when: z
    .string()
    .optional()
    .describe("Runs only if this condition holds, such as `check.success == true`"),
  skip_if: z.string().optional().describe("Does not run if this condition holds"),
  depends_on: z
    .array(name)
    .optional()
    .describe("Steps that must have succeeded; otherwise this one is skipped"),
  fallback: name.optional().describe("The agent that takes over when all retries have failed"),
  parallel: name.optional().describe("Adjacent steps with the same value run in parallel"),
  loop: loop.optional(),
  trigger: name.optional().describe("The agent that a trigger calls by default"),
  kind: z
    .enum(["planning", "implementation", "review"])
    .optional()
    .describe("The kind of work that an oversight judges. Default: implementation"),
  continue_on_error: z
    .boolean()
    .optional()
    .describe("Whether the workflow continues when the step fails"),
  output: z
    .enum(["text", "json"])
    .optional()
    .describe("json: standard output must be one JSON value, which conditions can use"),
  env: z
    .array(variable)
    .optional()
    .describe("Environment variables to pass on, in addition to those of the agent"),
  tracks: onTracks.describe("Runs only on these tracks"),
  choices: z.array(name).min(1).optional().describe("Runs only if all of these options are chosen"),
  choices_any: z
    .array(name)
    .min(1)
    .optional()
    .describe("Runs only if one of these options is chosen"),
};

const step = z.strictObject({
  id: name,
  module: name.optional().describe("The entry of `modules` from which missing parts are taken"),
  ...parts,
});

/** The source of oversight. */
export const oversightSchema = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .refine(isPlain, "must not contain a user or a password, which would end up in the log")
      .optional()
      .describe("The URL of an HTTP service"),
    command: z
      .array(z.string())
      .min(1)
      .optional()
      .describe("A program that reads the request as JSON and prints the verdict"),
    mcp: z
      .strictObject({ command: z.array(z.string()).min(1), tool: z.string().min(1).max(100) })
      .optional()
      .describe("An MCP server and its tool. Its answer in prose is scored by keywords"),
    hold_at: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("The risk from which a person is asked. Default: 0.7"),
    timeout_seconds: z.number().positive().max(3_600).optional().describe("Default: 60"),
    every_steps: z
      .int()
      .min(1)
      .optional()
      .describe("Requests oversight after this many steps, even without a request"),
    at_kinds: z
      .boolean()
      .optional()
      .describe(
        "Requests oversight before work of another kind begins: planning, implementation, review",
      ),
  })
  .refine(
    ({ url, command, mcp }) => [url, command, mcp].filter((one) => one !== undefined).length === 1,
    "needs exactly one of `url`, `command` and `mcp`",
  );

/** The schema of a template as it is written: versioned and strict. */
export const templateSchema = z.strictObject({
  bylaw: z.literal(1).describe("The version of the format"),
  name,
  description: z.string().optional(),
  compat: z
    .enum(COMPAT_MODES)
    .optional()
    .describe("Reads loops, triggers and conditions as an older system did"),
  tracks: tracks.optional().describe("Paths through the workflow; a run takes one"),
  choices: z
    .record(name, choice)
    .optional()
    .describe("Questions whose answers decide which steps run"),
  agents: z.record(name, agent).optional().describe("The agents for steps and triggers, by name"),
  modules: z
    .record(name, z.strictObject(parts))
    .optional()
    .describe("Parts that several steps share"),
  steps: z.array(step).min(1).max(100_000).describe("The steps, in the order in which they run"),
  overrides: z
    .record(name, z.strictObject(parts))
    .optional()
    .describe("Changes to steps, by step id"),
  oversight: oversightSchema.optional(),
});

/** A template as it is written. */
export type TemplateText = z.output<typeof templateSchema>;
export type StepText = TemplateText["steps"][number];

/** The agents of a separate file. `*` is for every agent without a command. */
export const agentsSchema = z.record(z.union([name, z.literal("*")]), agent);

/** The JSON Schema of templates, for editors. */
export const templateJsonSchema = (): Readonly<Record<string, unknown>> => ({
  title: "A workflow template of Bylaw",
  ...z.toJSONSchema(templateSchema, { io: "input", unrepresentable: "any" }),
});
