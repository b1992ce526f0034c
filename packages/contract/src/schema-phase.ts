import { z } from "zod";
import { duration, name, names, path, text } from "./schema-parts.ts";

const artifactSchema = z.strictObject({
  type: name.describe("What it is called."),
  schema: path
    .optional()
    .describe("The JSON Schema that it has to fit: an inline one, else a file."),
  description: text.optional().describe("What it is."),
  validation: z
    .array(
      z.strictObject({
        rule: name.describe("The rule."),
        message: text.describe("What is said when it does not hold."),
      }),
    )
    .optional()
    .describe("Rules that it has to keep."),
});

const blockerSchema = z.strictObject({
  check: name.describe("The check."),
  severity: z
    .enum(["blocking", "warning"])
    .optional()
    .describe("Whether it stops the transition or is told. Blocking unless said otherwise."),
  message: text.describe("What is said when it does not pass."),
  threshold: z.number().min(0).max(100).optional().describe("The least coverage in percent."),
  required_reviews: names.min(1).optional().describe("The reviews that there have to be."),
});

export const gateSchema = z.strictObject({
  id: name.describe("What transitions call it."),
  type: z
    .enum(["approval", "validation"])
    .optional()
    .describe("Whether somebody has to approve. Validation unless said otherwise."),
  blockers: z.array(blockerSchema).optional().describe("What is checked."),
  timeout_seconds: duration.optional().describe("How long it may stay open, in seconds."),
  approvers: names.min(1).optional().describe("Who may approve: roles or names."),
  quorum: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe("How many have to approve. One unless said otherwise."),
  auto_advance: z
    .boolean()
    .optional()
    .describe(
      "Nobody approves: a request passes with the checks, and a host may repeat one that did not.",
    ),
});

const constraintSchema = z.strictObject({
  allowed_patterns: names.optional().describe("Globs of the only paths that it may take."),
  forbidden_patterns: names.optional().describe("Globs of paths that it may not take."),
  allowed_commands: names
    .optional()
    .describe("The only commands that it may run, by their first words."),
  forbidden_commands: names
    .optional()
    .describe("Commands that it may not run, by their first words."),
});

const spawnSchema = z.strictObject({
  agent_type: name.describe("What kind of agent."),
  models: names.min(1).describe("One agent for each."),
  parallel: z.boolean().optional().describe("Whether they run at the same time."),
  wait_for_completion: z.boolean().optional().describe("Whether the gate waits for all of them."),
});

export const phaseSchema = z.strictObject({
  id: name.describe("What transitions call it."),
  name: text.describe("What people call it."),
  description: text.optional().describe("What is done in it."),
  required_artifacts: z
    .array(artifactSchema)
    .optional()
    .describe(
      "What has to be there to leave it, or, where no way leaves it, to complete the task.",
    ),
  gates: z.array(gateSchema).optional().describe("The gates of the transitions that leave it."),
  allowed_tools: names.describe("The only tools that may be called in it."),
  forbidden_tools: names
    .optional()
    .describe("Tools that may not be called in it, whatever else allows them."),
  tool_constraints: z
    .record(name, constraintSchema)
    .optional()
    .describe("What a tool may be called with."),
  auto_spawn: z
    .array(spawnSchema)
    .optional()
    .describe("Agents that are started when it is entered."),
});
