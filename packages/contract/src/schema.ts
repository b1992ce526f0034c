import { ENFORCEMENT_MODES } from "@bylaw/kernel";
import { z } from "zod";
import { conditionSchema } from "./condition.ts";
import { type gateSchema, phaseSchema } from "./schema-phase.ts";
import { duration, name, names, path, text } from "./schema-parts.ts";
import { BUS_EVENTS, CLAIMS, METRICS, SNAPSHOT_PARTS, TRIGGER_ACTIONS } from "./words.ts";

const triggerSchema = z.strictObject({
  action: z
    .enum(TRIGGER_ACTIONS)
    .describe("What the runner or the orchestrator carries out after the transition."),
  parallel: z.boolean().optional().describe("Whether what it starts runs at the same time."),
  params: z.record(name, z.json()).optional().describe("What the action is told."),
});

const transitionSchema = z.strictObject({
  from: name.describe("The phase that is left."),
  to: name.describe("The phase that is entered."),
  gate: name.optional().describe("The gate that guards it."),
  when: z
    .enum(["passed", "rejected"])
    .optional()
    .describe("On which answer of the gate it is open: `passed`, unless said otherwise."),
  requires_token: z
    .boolean()
    .optional()
    .describe(
      "Whether the request needs the phase token; as `phase_tokens.enabled` unless said otherwise.",
    ),
  triggers: z.array(triggerSchema).optional().describe("What follows from it."),
});

const enforcementSchema = z.strictObject({
  mode: z
    .enum(ENFORCEMENT_MODES)
    .optional()
    .describe(
      "What a decision does: applied, told, or only recorded. Strict unless said otherwise.",
    ),
  agent_sdk: z
    .strictObject({
      required: z.boolean().optional().describe("Whether agents have to go through the API."),
      version: text
        .optional()
        .describe("The versions of the agent interface (1.0.0) that are accepted, as a range."),
      endpoint: text
        .optional()
        .describe("Where the API is: agents are told, and a server on another port warns."),
      fallback_endpoint: text.optional().describe("Where it is when there is no network."),
    })
    .optional()
    .describe("How agents reach the orchestrator."),
  phase_tokens: z
    .strictObject({
      enabled: z
        .boolean()
        .optional()
        .describe(
          "Whether phase tokens are needed: yes unless said otherwise. A server refuses no.",
        ),
      algorithm: z
        .enum(["HS256", "EdDSA"])
        .optional()
        .describe("How they are signed. HS256 unless said otherwise."),
      secret_env_var: z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)
        .optional()
        .describe("The environment variable with the secret."),
      expiry_seconds: duration
        .optional()
        .describe("How long they are good for, in seconds. 7200 unless said otherwise."),
      include_claims: z
        .array(z.enum(CLAIMS))
        .optional()
        .describe("Claims that have to be in them."),
    })
    .optional()
    .describe("The tokens that prove a phase."),
  tool_enforcement: z
    .strictObject({
      enabled: z
        .boolean()
        .optional()
        .describe("Whether tool calls are held to their phase. Yes unless said otherwise."),
      violation_action: z
        .enum(["reject", "warn", "log"])
        .optional()
        .describe("What happens to a call that is not allowed."),
      capability_model: z
        .literal("deny_by_default")
        .optional()
        .describe("A tool that no list names is denied."),
      audit_log: path
        .optional()
        .describe("A JSONL file that tool calls are recorded in, besides the log."),
    })
    .optional()
    .describe("How tool calls are held to their phase."),
});

const coordinationSchema = z.strictObject({
  state_access: z
    .strictObject({
      mode: z
        .literal("read_only_snapshot")
        .optional()
        .describe("Agents read snapshots and change nothing."),
      snapshot_includes: z
        .array(z.enum(SNAPSHOT_PARTS))
        .optional()
        .describe("What a snapshot holds."),
      mutation_via: z.literal("orchestrator_api").optional().describe("How state changes."),
    })
    .optional()
    .describe("How agents see shared state."),
  event_bus: z
    .strictObject({
      type: z.enum(["sqlite", "postgres", "memory"]).optional().describe("The store of events."),
      db_path: path
        .optional()
        .describe("Where it is. A server that keeps the run elsewhere (`store`) warns."),
      events: z
        .array(z.enum(BUS_EVENTS))
        .optional()
        .describe("Which of these kinds of events agents may watch. Other events they may."),
    })
    .optional()
    .describe("How what happened is told."),
  conflict_resolution: z
    .strictObject({
      strategy: z
        .literal("orchestrator_merge")
        .optional()
        .describe("The orchestrator decides between two writers."),
      lock_timeout_seconds: duration
        .optional()
        .describe("How long a claim holds without a sign of life, in seconds."),
      optimistic_locking: z
        .boolean()
        .optional()
        .describe("Whether a write names the state that it was decided on."),
    })
    .optional()
    .describe("What happens when two write at once."),
});

const monitoringSchema = z.strictObject({
  metrics: z.array(z.enum(METRICS)).optional().describe("What is measured."),
  export: z
    .strictObject({
      type: z.literal("jsonl").optional().describe("The format."),
      path: path.optional().describe("The file."),
    })
    .optional()
    .describe("Where measurements go."),
  alerts: z
    .array(
      z.strictObject({
        condition: z
          .string()
          .min(1)
          .max(200)
          .describe(
            "A metric, `>` `>=` `<` or `<=`, and a number, `%` or duration: `gate_block_rate > 50%`.",
          ),
        action: z.literal("notify_human").describe("What is done."),
        message: text.describe("What is said."),
      }),
    )
    .optional()
    .describe("When somebody is told."),
});

const recoverySchema = z.strictObject({
  agent_crash: z
    .strictObject({
      action: z.enum(["retry", "escalate_to_human"]).optional().describe("What is done."),
      max_retries: z.int().min(0).max(1000).optional().describe("How often it is started again."),
      backoff_seconds: z
        .int()
        .min(0)
        .max(604_800)
        .optional()
        .describe("How long to wait before it, in seconds."),
    })
    .optional()
    .describe("When an agent stops."),
  orchestrator_crash: z
    .strictObject({
      resume_from: z.literal("last_checkpoint").optional().describe("Where it goes on."),
      checkpoint_interval_seconds: duration
        .optional()
        .describe("How far apart snapshots are at most, in seconds."),
    })
    .optional()
    .describe("When the orchestrator stops."),
  gate_timeout: z
    .strictObject({
      action: z.enum(["escalate_to_human", "reject"]).optional().describe("What is done."),
      preserve_state: z.boolean().optional().describe("Whether the task stays as it is."),
    })
    .optional()
    .describe("When nobody answers a gate in time."),
});

/** The whole contract, as it is written. */
export const contractSchema = z
  .strictObject({
    bylaw: z
      .literal(1)
      .optional()
      .describe("The version of this form. Without it the file is read in its original form."),
    name: text.optional().describe("What the workflow is called."),
    version: text.optional().describe("The version of the contract itself."),
    description: text.optional().describe("What it is for."),
    tools: names.optional().describe("Tools that the phases name besides the known ones."),
    checks: z
      .record(
        name,
        z.strictObject({
          description: text.optional().describe("What it stops."),
          passes_when: conditionSchema.describe("When it passes."),
        }),
      )
      .optional()
      .describe("Checks that are conditions over artifacts, evidence and projections."),
    evidence: z
      .enum(["observed", "reported"])
      .optional()
      .describe("Whose word counts for a test run: what was observed, unless `reported`."),
    test_command: z
      .strictObject({
        argv: z
          .array(z.string().min(1))
          .min(1)
          .describe("The program and its arguments; no shell reads them."),
        format: z.enum(["junit", "tap", "json"]).describe("The form of its report."),
        report: path.optional().describe("The file with the report; else its standard output."),
        timeout_seconds: duration
          .optional()
          .describe("How long it may run, in seconds. 600 unless said otherwise."),
      })
      .optional()
      .describe("The command that runs the tests."),
    phases: z.array(phaseSchema).min(1).describe("The phases; a task begins in the first."),
    transitions: z.array(transitionSchema).describe("The only ways from one phase to another."),
    enforcement: enforcementSchema.describe("How the contract is enforced."),
    coordination: coordinationSchema.optional().describe("How agents share state."),
    schemas_dir: path.optional().describe("A folder with schema files, as seen from the contract."),
    schemas: z
      .record(name, z.record(z.string(), z.json()))
      .optional()
      .describe("JSON Schemas of artifacts, by name."),
    monitoring: monitoringSchema
      .optional()
      .describe("What is measured, and when somebody is told."),
    recovery: recoverySchema.optional().describe("What happens when something stops."),
  })
  .describe(
    "A workflow contract: phases, the tools and artifacts of each, the gates between them.",
  );

export type ContractData = z.output<typeof contractSchema>;
export type PhaseData = z.output<typeof phaseSchema>;
export type GateData = z.output<typeof gateSchema>;
export type TransitionData = z.output<typeof transitionSchema>;

/** The keys that came with `bylaw: 1`, as paths in which `[]` stands for any item. */
export const NEW_KEYS: readonly string[] = [
  "tools",
  "checks",
  "evidence",
  "test_command",
  "transitions[].when",
  "phases[].gates[].quorum",
];
