import { z } from "zod";
import { duration, name, names, optional, path, text } from "./schema-parts.ts";

const artifactSchema = z.strictObject({
  type: name.describe("The name of the artifact."),
  schema: optional(path, "The JSON Schema that it must fit: an inline one, or else a file."),
  description: optional(text, "A description of the artifact."),
  validation: optional(
    z.array(
      z.strictObject({
        rule: name.describe("The rule."),
        message: text.describe("The message if the rule does not hold."),
      }),
    ),
    "The rules that it must follow.",
  ),
});

const blockerSchema = z.strictObject({
  check: name.describe("The check."),
  severity: optional(
    z.enum(["blocking", "warning"]),
    "Whether a failure blocks the transition or only warns. Default: `blocking`.",
  ),
  message: text.describe("The message if the check fails."),
  threshold: optional(z.number().min(0).max(100), "The least coverage, in percent."),
  required_reviews: optional(names.min(1), "The required reviews."),
});

export const gateSchema = z.strictObject({
  id: name.describe("The id of the gate, which transitions name."),
  type: optional(
    z.enum(["approval", "validation"]),
    "Whether somebody must approve. Default: `validation`, nobody.",
  ),
  blockers: optional(z.array(blockerSchema), "The checks of the gate."),
  timeout_seconds: optional(duration, "How long the gate may stay open, in seconds."),
  approvers: optional(names.min(1), "The roles or names that may approve."),
  quorum: optional(z.int().min(1).max(100), "How many must approve. Default: 1."),
  auto_advance: optional(
    z.boolean(),
    "Nobody approves: the checks alone decide, and a host may repeat a request that did not pass.",
  ),
});

const constraintSchema = z.strictObject({
  allowed_patterns: optional(names, "Globs of the only paths that the tool may use."),
  forbidden_patterns: optional(names, "Globs of paths that the tool may not use."),
  allowed_commands: optional(
    names,
    "The only commands that the tool may run, by their first words.",
  ),
  forbidden_commands: optional(names, "Commands that the tool may not run, by their first words."),
});

const spawnSchema = z.strictObject({
  agent_type: name.describe("The type of the agents."),
  models: names.min(1).describe("The models. One agent is started for each."),
  parallel: optional(z.boolean(), "Whether the agents run at the same time."),
  wait_for_completion: optional(z.boolean(), "Whether the gate waits for all of them."),
});

export const phaseSchema = z.strictObject({
  id: name.describe("The id of the phase, which transitions name."),
  name: text.describe("The name of the phase, for people."),
  description: optional(text, "The work that is done in the phase."),
  required_artifacts: optional(
    z.array(artifactSchema),
    "The artifacts needed to leave the phase, or to complete the task in a last phase.",
  ),
  gates: optional(z.array(gateSchema), "The gates of the transitions that leave the phase."),
  allowed_tools: names.describe("The only tools that may be called in the phase."),
  forbidden_tools: optional(
    names,
    "Tools that may not be called in the phase, whatever else allows them.",
  ),
  tool_constraints: optional(
    z.record(name, constraintSchema),
    "Restrictions on the arguments of tools.",
  ),
  auto_spawn: optional(z.array(spawnSchema), "The agents to start when a task enters the phase."),
});
