import { COMPATS } from "@bylaw/behavior";
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
  prompt: z.string().optional().describe("Stands before the prompt of a step"),
  env: z
    .array(variable)
    .optional()
    .describe("Variables of the environment that are handed on; all others stay behind"),
});

const loop = z.strictObject({
  steps: z.int().min(1).describe("How many steps it goes back"),
  max_iterations: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe("How often it may go back. Default: 10"),
  skip: z.array(name).optional().describe("Steps that are left out while it repeats"),
  on_limit: z
    .enum(["continue", "hold", "stop"])
    .optional()
    .describe("What happens when it may go back no more. Default: continue"),
  stall: z
    .int()
    .min(1)
    .optional()
    .describe("How often it may go back while the same checks fail in the same way"),
});

const label = z.string().max(500);
const options = z
  .record(name, z.strictObject({ label: label.optional() }))
  .refine((record) => Object.keys(record).length > 0, "needs an option");
const onTracks = z.array(name).min(1).optional();

const tracks = z.strictObject({
  question: label.optional(),
  options: options.describe("The tracks, by name"),
  default: name.optional().describe("The track of a run that names none"),
});

const choice = z.strictObject({
  question: label.optional(),
  multiple: z
    .boolean()
    .optional()
    .describe("Any number of options may be chosen. Default: exactly one"),
  tracks: onTracks.describe("The tracks that it is asked on. Default: all"),
  after: name.optional().describe("The option of another choice that it is asked after"),
  options: options.describe("What can be chosen, by name"),
});

/** What a step says; a module and an override say any part of it. */
const parts = {
  agent: name.optional().describe("Who does it, one of `agents`"),
  run: invocation.optional(),
  prompt: z.string().optional().describe("Goes to the standard input, and where {prompt} stands"),
  timeout_seconds: z.number().positive().max(604_800).optional().describe("Default: 3600"),
  retries: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe("How often it is tried again when it fails. Default: 0"),
  once: z.boolean().optional().describe("Runs once, also where a loop comes by again"),
  repeatable: z
    .boolean()
    .optional()
    .describe("May run again when a person goes back to before it with --from"),
  interrupted: z
    .enum(["run", "ask"])
    .optional()
    .describe("After a crash in it: run it again, or ask a person. Default: run"),
  when: z
    .string()
    .optional()
    .describe("Runs only where this holds, such as `check.success == true`"),
  skip_if: z.string().optional().describe("Does not run where this holds"),
  depends_on: z
    .array(name)
    .optional()
    .describe("Steps that must have succeeded, else it is skipped"),
  fallback: name.optional().describe("The agent that does it when it failed for good"),
  parallel: name.optional().describe("Steps beside each other with the same word run at once"),
  loop: loop.optional(),
  trigger: name.optional().describe("The agent that a trigger calls when it names none"),
  kind: z
    .enum(["planning", "implementation", "review"])
    .optional()
    .describe("What an oversight looks at. Default: implementation"),
  continue_on_error: z.boolean().optional().describe("The workflow goes on when it failed"),
  output: z
    .enum(["text", "json"])
    .optional()
    .describe("json: the standard output is one JSON value, kept for conditions"),
  env: z
    .array(variable)
    .optional()
    .describe("Variables of the environment that are handed on, beside those of the agent"),
  tracks: onTracks.describe("Runs on these tracks only"),
  choices: z
    .array(name)
    .min(1)
    .optional()
    .describe("Runs only where all of these options are chosen"),
  choices_any: z
    .array(name)
    .min(1)
    .optional()
    .describe("Runs only where one of these options is chosen"),
};

const step = z.strictObject({
  id: name,
  module: name.optional().describe("Takes what it does not say from one of `modules`"),
  ...parts,
});

/** Who gives oversight. */
export const oversightSchema = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .refine(isPlain, "must not contain a user or a password, which would end up in the log")
      .optional()
      .describe("A service that is asked by HTTP"),
    command: z
      .array(z.string())
      .min(1)
      .optional()
      .describe("A program that reads the request as JSON and prints the verdict"),
    mcp: z
      .strictObject({ command: z.array(z.string()).min(1), tool: z.string().min(1).max(100) })
      .optional()
      .describe(
        "A server of the Model Context Protocol, and the tool of it that is asked; what it says in prose is scored by its words",
      ),
    hold_at: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("From this risk on a person is asked. Default: 0.7"),
    timeout_seconds: z.number().positive().max(3_600).optional().describe("Default: 60"),
    every_steps: z
      .int()
      .min(1)
      .optional()
      .describe("After so many steps it is asked, whatever anybody asks for"),
    at_kinds: z
      .boolean()
      .optional()
      .describe("It is asked before work of another kind begins: planning, implementation, review"),
  })
  .refine(
    ({ url, command, mcp }) => [url, command, mcp].filter((one) => one !== undefined).length === 1,
    "needs one of `url`, `command` and `mcp`",
  );

/** A template as it is written: versioned and strict. */
export const templateSchema = z.strictObject({
  bylaw: z.literal(1).describe("The version of this form"),
  name,
  description: z.string().optional(),
  compat: z
    .enum(COMPATS)
    .optional()
    .describe("Reads loops, triggers and conditions as an older system did"),
  tracks: tracks.optional().describe("Ways through the workflow, of which a run takes one"),
  choices: z
    .record(name, choice)
    .optional()
    .describe("Questions whose answers say which steps run"),
  agents: z
    .record(name, agent)
    .optional()
    .describe("Who there is, by name: steps and triggers choose among them"),
  modules: z
    .record(name, z.strictObject(parts))
    .optional()
    .describe("Parts of steps that several steps share"),
  steps: z.array(step).min(1).max(100_000).describe("In the order in which they run"),
  overrides: z
    .record(name, z.strictObject(parts))
    .optional()
    .describe("Changes to steps, by their ids"),
  oversight: oversightSchema.optional(),
});

/** A template as it is written. */
export type TemplateText = z.output<typeof templateSchema>;
export type StepText = TemplateText["steps"][number];

/** The agents of a file that brings nothing else; `*` is what all others run. */
export const agentsSchema = z.record(z.union([name, z.literal("*")]), agent);

/** The JSON Schema of templates, for editors. */
export const templateJsonSchema = (): Readonly<Record<string, unknown>> => ({
  title: "A workflow template of Bylaw",
  ...z.toJSONSchema(templateSchema, { io: "input", unrepresentable: "any" }),
});
