import { z } from "zod";
import { duration, name, names, optional, path, text } from "./schema-parts.ts";

const artifactSchema = z.strictObject({
  type: name.describe("What it is called."),
  schema: optional(path, "The JSON Schema that it has to fit: an inline one, else a file."),
  description: optional(text, "What it is."),
  validation: optional(
    z.array(
      z.strictObject({
        rule: name.describe("The rule."),
        message: text.describe("What is said when it does not hold."),
      }),
    ),
    "Rules that it has to keep.",
  ),
});

const blockerSchema = z.strictObject({
  check: name.describe("The check."),
  severity: optional(
    z.enum(["blocking", "warning"]),
    "Whether it stops the transition or is told. Blocking unless said otherwise.",
  ),
  message: text.describe("What is said when it does not pass."),
  threshold: optional(z.number().min(0).max(100), "The least coverage in percent."),
  required_reviews: optional(names.min(1), "The reviews that there have to be."),
});

export const gateSchema = z.strictObject({
  id: name.describe("What transitions call it."),
  type: optional(
    z.enum(["approval", "validation"]),
    "Whether somebody has to approve. Validation unless said otherwise.",
  ),
  blockers: optional(z.array(blockerSchema), "What is checked."),
  timeout_seconds: optional(duration, "How long it may stay open, in seconds."),
  approvers: optional(names.min(1), "Who may approve: roles or names."),
  quorum: optional(z.int().min(1).max(100), "How many have to approve. One unless said otherwise."),
  auto_advance: optional(
    z.boolean(),
    "Nobody approves: a request passes with the checks, and a host may repeat one that did not.",
  ),
});

const constraintSchema = z.strictObject({
  allowed_patterns: optional(names, "Globs of the only paths that it may take."),
  forbidden_patterns: optional(names, "Globs of paths that it may not take."),
  allowed_commands: optional(names, "The only commands that it may run, by their first words."),
  forbidden_commands: optional(names, "Commands that it may not run, by their first words."),
});

const spawnSchema = z.strictObject({
  agent_type: name.describe("What kind of agent."),
  models: names.min(1).describe("One agent for each."),
  parallel: optional(z.boolean(), "Whether they run at the same time."),
  wait_for_completion: optional(z.boolean(), "Whether the gate waits for all of them."),
});

export const phaseSchema = z.strictObject({
  id: name.describe("What transitions call it."),
  name: text.describe("What people call it."),
  description: optional(text, "What is done in it."),
  required_artifacts: optional(
    z.array(artifactSchema),
    "What has to be there to leave it, or, where no way leaves it, to complete the task.",
  ),
  gates: optional(z.array(gateSchema), "The gates of the transitions that leave it."),
  allowed_tools: names.describe("The only tools that may be called in it."),
  forbidden_tools: optional(
    names,
    "Tools that may not be called in it, whatever else allows them.",
  ),
  tool_constraints: optional(z.record(name, constraintSchema), "What a tool may be called with."),
  auto_spawn: optional(z.array(spawnSchema), "Agents that are started when it is entered."),
});
