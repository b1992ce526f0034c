import { ENFORCEMENT_MODES } from "@bylaw/kernel";
import { z } from "zod";
import { conditionSchema } from "./condition.ts";
import { type gateSchema, phaseSchema } from "./schema-phase.ts";
import { duration, name, names, optional, path, text } from "./schema-parts.ts";
import { BUS_EVENTS, CLAIMS, METRICS, SNAPSHOT_PARTS, TRIGGER_ACTIONS } from "./words.ts";

const triggerSchema = z.strictObject({
  action: z.enum(TRIGGER_ACTIONS).describe("The action that follows the transition."),
  parallel: optional(z.boolean(), "Whether the started work runs in parallel."),
  params: optional(z.record(name, z.json()), "The parameters of the action."),
});

const transitionSchema = z.strictObject({
  from: name.describe("The phase that the task leaves."),
  to: name.describe("The phase that the task enters."),
  gate: optional(name, "The gate that guards the transition."),
  when: optional(
    z.enum(["passed", "rejected"]),
    "The answer of the gate that opens the transition. Default: `passed`.",
  ),
  requires_token: optional(
    z.boolean(),
    "Whether the request needs the phase token. Default: `phase_tokens.enabled`.",
  ),
  triggers: optional(z.array(triggerSchema), "The actions that follow the transition."),
});

const enforcementSchema = z.strictObject({
  mode: optional(
    z.enum(ENFORCEMENT_MODES),
    "Whether decisions are applied, only warn, or are only recorded. Default: `strict`.",
  ),
  agent_sdk: optional(
    z.strictObject({
      required: optional(z.boolean(), "Whether agents must use the API."),
      version: optional(text, "The accepted versions of the agent interface (1.0.0), as a range."),
      endpoint: optional(
        text,
        "The address of the API, for agents. A server on another port warns.",
      ),
      fallback_endpoint: optional(text, "The address to use without a network."),
    }),
    "How agents reach the orchestrator.",
  ),
  phase_tokens: optional(
    z.strictObject({
      enabled: optional(
        z.boolean(),
        "Whether phase tokens are needed. Default: true. A server refuses false.",
      ),
      algorithm: optional(z.enum(["HS256", "EdDSA"]), "The signature algorithm. Default: HS256."),
      secret_env_var: optional(
        z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/),
        "The environment variable with the secret.",
      ),
      expiry_seconds: optional(duration, "How long a token is valid, in seconds. Default: 7200."),
      include_claims: optional(z.array(z.enum(CLAIMS)), "The claims that a token must have."),
    }),
    "The tokens that prove the phase of a task.",
  ),
  tool_enforcement: optional(
    z.strictObject({
      enabled: optional(z.boolean(), "Whether the phase restricts tool calls. Default: true."),
      violation_action: optional(
        z.enum(["reject", "warn", "log"]),
        "What happens to a call that the phase does not allow.",
      ),
      capability_model: optional(
        z.literal("deny_by_default"),
        "Tools that no list names are denied.",
      ),
      audit_log: optional(path, "A JSONL file to record tool calls in, in addition to the log."),
    }),
    "How the phase restricts tool calls.",
  ),
});

const coordinationSchema = z.strictObject({
  state_access: optional(
    z.strictObject({
      mode: optional(z.literal("read_only_snapshot"), "Agents read snapshots and change nothing."),
      snapshot_includes: optional(z.array(z.enum(SNAPSHOT_PARTS)), "The contents of a snapshot."),
      mutation_via: optional(z.literal("orchestrator_api"), "How state changes."),
    }),
    "How agents see shared state.",
  ),
  event_bus: optional(
    z.strictObject({
      type: optional(z.enum(["sqlite", "postgres", "memory"]), "The store of events."),
      db_path: optional(path, "The path of the store. A server with another `store` warns."),
      events: optional(
        z.array(z.enum(BUS_EVENTS)),
        "Which of these kinds of events agents may watch. They may watch all other kinds.",
      ),
    }),
    "How events are stored and watched.",
  ),
  conflict_resolution: optional(
    z.strictObject({
      strategy: optional(
        z.literal("orchestrator_merge"),
        "The orchestrator decides between two writers.",
      ),
      lock_timeout_seconds: optional(
        duration,
        "How long a claim lasts without a sign of life, in seconds.",
      ),
      optimistic_locking: optional(
        z.boolean(),
        "Whether a write names the state that it is based on.",
      ),
    }),
    "What happens if two agents write at once.",
  ),
});

const monitoringSchema = z.strictObject({
  metrics: optional(z.array(z.enum(METRICS)), "The metrics to measure."),
  export: optional(
    z.strictObject({
      type: optional(z.literal("jsonl"), "The format."),
      path: optional(path, "The file."),
    }),
    "Where to write measurements.",
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
        action: z.literal("notify_human").describe("The action."),
        message: text.describe("The message."),
      }),
    ),
    "When to notify a person.",
  ),
});

const recoverySchema = z.strictObject({
  agent_crash: optional(
    z.strictObject({
      action: optional(z.enum(["retry", "escalate_to_human"]), "The action."),
      max_retries: optional(z.int().min(0).max(1000), "How many times to start the agent again."),
      backoff_seconds: optional(
        z.int().min(0).max(604_800),
        "How long to wait before each restart, in seconds.",
      ),
    }),
    "What to do if an agent crashes.",
  ),
  orchestrator_crash: optional(
    z.strictObject({
      resume_from: optional(z.literal("last_checkpoint"), "Where the orchestrator continues."),
      checkpoint_interval_seconds: optional(
        duration,
        "The longest time between two snapshots, in seconds.",
      ),
    }),
    "What to do if the orchestrator crashes.",
  ),
  gate_timeout: optional(
    z.strictObject({
      action: optional(z.enum(["escalate_to_human", "reject"]), "The action."),
      preserve_state: optional(z.boolean(), "Whether the task stays as it is."),
    }),
    "What to do if nobody answers a gate in time.",
  ),
});

/** The schema of a whole contract. */
export const contractSchema = z
  .strictObject({
    bylaw: optional(
      z.literal(1),
      "The version of the contract format. Without it the file is read in the original form.",
    ),
    name: optional(text, "The name of the workflow."),
    version: optional(text, "The version of the contract itself."),
    description: optional(text, "The purpose of the workflow."),
    tools: optional(names, "Tools that the phases name in addition to the known ones."),
    checks: optional(
      z.record(
        name,
        z.strictObject({
          description: optional(text, "The fault that the check stops."),
          passes_when: conditionSchema.describe("The condition under which the check passes."),
        }),
      ),
      "Checks that are conditions over artifacts, evidence and projections.",
    ),
    evidence: optional(
      z.enum(["observed", "reported"]),
      "Whether a test run must be `observed` (default) or may be `reported` by agents.",
    ),
    test_command: optional(
      z.strictObject({
        argv: z
          .array(z.string().min(1))
          .min(1)
          .describe("The program and its arguments. No shell reads them."),
        format: z.enum(["junit", "tap", "json"]).describe("The format of the test report."),
        report: optional(path, "The file with the report. Default: standard output."),
        timeout_seconds: optional(
          duration,
          "How long the tests may run, in seconds. Default: 600.",
        ),
      }),
      "The command that runs the tests.",
    ),
    phases: z.array(phaseSchema).min(1).describe("The phases. A task begins in the first one."),
    transitions: z.array(transitionSchema).describe("The only transitions between phases."),
    enforcement: enforcementSchema.describe("How the contract is enforced."),
    coordination: optional(coordinationSchema, "How agents share state."),
    schemas_dir: optional(path, "The folder of schema files, relative to the contract."),
    schemas: optional(
      z.record(name, z.record(z.string(), z.json())),
      "JSON Schemas of artifacts, by name.",
    ),
    monitoring: optional(monitoringSchema, "What to measure, and when to notify a person."),
    recovery: optional(recoverySchema, "What to do after a crash or a timeout."),
  })
  .describe(
    "A workflow contract: phases, the tools and artifacts of each, the gates between them.",
  );

export type ContractData = z.output<typeof contractSchema>;
export type PhaseData = z.output<typeof phaseSchema>;
export type GateData = z.output<typeof gateSchema>;
export type TransitionData = z.output<typeof transitionSchema>;

/** The keys that `bylaw: 1` added, as paths in which `[]` stands for any item. */
export const NEW_KEYS: readonly string[] = [
  "tools",
  "checks",
  "evidence",
  "test_command",
  "transitions[].when",
  "phases[].gates[].quorum",
];
