import { ENFORCEMENT_MODES } from "@bylaw/kernel";
import { z } from "zod";
import { conditionSchema } from "./condition.ts";
import { type gateSchema, phaseSchema } from "./schema-phase.ts";
import { duration, name, names, optional, path, text } from "./schema-parts.ts";
import { BUS_EVENTS, CLAIMS, METRICS, SNAPSHOT_PARTS, TRIGGER_ACTIONS } from "./words.ts";

const triggerSchema = z.strictObject({
  action: z
    .enum(TRIGGER_ACTIONS)
    .describe("What the runner or the orchestrator carries out after the transition."),
  parallel: optional(z.boolean(), "Whether what it starts runs at the same time."),
  params: optional(z.record(name, z.json()), "What the action is told."),
});

const transitionSchema = z.strictObject({
  from: name.describe("The phase that is left."),
  to: name.describe("The phase that is entered."),
  gate: optional(name, "The gate that guards it."),
  when: optional(
    z.enum(["passed", "rejected"]),
    "On which answer of the gate it is open: `passed`, unless said otherwise.",
  ),
  requires_token: optional(
    z.boolean(),
    "Whether the request needs the phase token; as `phase_tokens.enabled` unless said otherwise.",
  ),
  triggers: optional(z.array(triggerSchema), "What follows from it."),
});

const enforcementSchema = z.strictObject({
  mode: optional(
    z.enum(ENFORCEMENT_MODES),
    "What a decision does: applied, told, or only recorded. Strict unless said otherwise.",
  ),
  agent_sdk: optional(
    z.strictObject({
      required: optional(z.boolean(), "Whether agents have to go through the API."),
      version: optional(
        text,
        "The versions of the agent interface (1.0.0) that are accepted, as a range.",
      ),
      endpoint: optional(
        text,
        "Where the API is: agents are told, and a server on another port warns.",
      ),
      fallback_endpoint: optional(text, "Where it is when there is no network."),
    }),
    "How agents reach the orchestrator.",
  ),
  phase_tokens: optional(
    z.strictObject({
      enabled: optional(
        z.boolean(),
        "Whether phase tokens are needed: yes unless said otherwise. A server refuses no.",
      ),
      algorithm: optional(
        z.enum(["HS256", "EdDSA"]),
        "How they are signed. HS256 unless said otherwise.",
      ),
      secret_env_var: optional(
        z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/),
        "The environment variable with the secret.",
      ),
      expiry_seconds: optional(
        duration,
        "How long they are good for, in seconds. 7200 unless said otherwise.",
      ),
      include_claims: optional(z.array(z.enum(CLAIMS)), "Claims that have to be in them."),
    }),
    "The tokens that prove a phase.",
  ),
  tool_enforcement: optional(
    z.strictObject({
      enabled: optional(
        z.boolean(),
        "Whether tool calls are held to their phase. Yes unless said otherwise.",
      ),
      violation_action: optional(
        z.enum(["reject", "warn", "log"]),
        "What happens to a call that is not allowed.",
      ),
      capability_model: optional(
        z.literal("deny_by_default"),
        "A tool that no list names is denied.",
      ),
      audit_log: optional(path, "A JSONL file that tool calls are recorded in, besides the log."),
    }),
    "How tool calls are held to their phase.",
  ),
});

const coordinationSchema = z.strictObject({
  state_access: optional(
    z.strictObject({
      mode: optional(z.literal("read_only_snapshot"), "Agents read snapshots and change nothing."),
      snapshot_includes: optional(z.array(z.enum(SNAPSHOT_PARTS)), "What a snapshot holds."),
      mutation_via: optional(z.literal("orchestrator_api"), "How state changes."),
    }),
    "How agents see shared state.",
  ),
  event_bus: optional(
    z.strictObject({
      type: optional(z.enum(["sqlite", "postgres", "memory"]), "The store of events."),
      db_path: optional(
        path,
        "Where it is. A server that keeps the run elsewhere (`store`) warns.",
      ),
      events: optional(
        z.array(z.enum(BUS_EVENTS)),
        "Which of these kinds of events agents may watch. Other events they may.",
      ),
    }),
    "How what happened is told.",
  ),
  conflict_resolution: optional(
    z.strictObject({
      strategy: optional(
        z.literal("orchestrator_merge"),
        "The orchestrator decides between two writers.",
      ),
      lock_timeout_seconds: optional(
        duration,
        "How long a claim holds without a sign of life, in seconds.",
      ),
      optimistic_locking: optional(
        z.boolean(),
        "Whether a write names the state that it was decided on.",
      ),
    }),
    "What happens when two write at once.",
  ),
});

const monitoringSchema = z.strictObject({
  metrics: optional(z.array(z.enum(METRICS)), "What is measured."),
  export: optional(
    z.strictObject({
      type: optional(z.literal("jsonl"), "The format."),
      path: optional(path, "The file."),
    }),
    "Where measurements go.",
  ),
  alerts: optional(
    z.array(
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
    ),
    "When somebody is told.",
  ),
});

const recoverySchema = z.strictObject({
  agent_crash: optional(
    z.strictObject({
      action: optional(z.enum(["retry", "escalate_to_human"]), "What is done."),
      max_retries: optional(z.int().min(0).max(1000), "How often it is started again."),
      backoff_seconds: optional(
        z.int().min(0).max(604_800),
        "How long to wait before it, in seconds.",
      ),
    }),
    "When an agent stops.",
  ),
  orchestrator_crash: optional(
    z.strictObject({
      resume_from: optional(z.literal("last_checkpoint"), "Where it goes on."),
      checkpoint_interval_seconds: optional(
        duration,
        "How far apart snapshots are at most, in seconds.",
      ),
    }),
    "When the orchestrator stops.",
  ),
  gate_timeout: optional(
    z.strictObject({
      action: optional(z.enum(["escalate_to_human", "reject"]), "What is done."),
      preserve_state: optional(z.boolean(), "Whether the task stays as it is."),
    }),
    "When nobody answers a gate in time.",
  ),
});

/** The whole contract, as it is written. */
export const contractSchema = z
  .strictObject({
    bylaw: optional(
      z.literal(1),
      "The version of this form. Without it the file is read in its original form.",
    ),
    name: optional(text, "What the workflow is called."),
    version: optional(text, "The version of the contract itself."),
    description: optional(text, "What it is for."),
    tools: optional(names, "Tools that the phases name besides the known ones."),
    checks: optional(
      z.record(
        name,
        z.strictObject({
          description: optional(text, "What it stops."),
          passes_when: conditionSchema.describe("When it passes."),
        }),
      ),
      "Checks that are conditions over artifacts, evidence and projections.",
    ),
    evidence: optional(
      z.enum(["observed", "reported"]),
      "Whose word counts for a test run: what was observed, unless `reported`.",
    ),
    test_command: optional(
      z.strictObject({
        argv: z
          .array(z.string().min(1))
          .min(1)
          .describe("The program and its arguments; no shell reads them."),
        format: z.enum(["junit", "tap", "json"]).describe("The form of its report."),
        report: optional(path, "The file with the report; else its standard output."),
        timeout_seconds: optional(
          duration,
          "How long it may run, in seconds. 600 unless said otherwise.",
        ),
      }),
      "The command that runs the tests.",
    ),
    phases: z.array(phaseSchema).min(1).describe("The phases; a task begins in the first."),
    transitions: z.array(transitionSchema).describe("The only ways from one phase to another."),
    enforcement: enforcementSchema.describe("How the contract is enforced."),
    coordination: optional(coordinationSchema, "How agents share state."),
    schemas_dir: optional(path, "A folder with schema files, as seen from the contract."),
    schemas: optional(
      z.record(name, z.record(z.string(), z.json())),
      "JSON Schemas of artifacts, by name.",
    ),
    monitoring: optional(monitoringSchema, "What is measured, and when somebody is told."),
    recovery: optional(recoverySchema, "What happens when something stops."),
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
