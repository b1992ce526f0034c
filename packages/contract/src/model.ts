import type { Decision, JsonObject } from "@bylaw/kernel";
import type { Condition } from "./condition.ts";
import type { ContractFinding } from "./finding.ts";
import type { BUS_EVENTS, CLAIMS, METRICS, SNAPSHOT_PARTS, TRIGGER_ACTIONS } from "./words.ts";

type EnforcementMode = Decision["enforcement_mode"];

/** Whether a failed check blocks a transition or only warns. */
export type Severity = "blocking" | "warning";

/** A valid, complete and frozen contract. Lists are in the order of the file. */
export interface Contract {
  readonly name: string;
  readonly version: string;
  readonly description: string | undefined;
  /** `original` for a file without `bylaw`, otherwise the version of the form. */
  readonly form: "original" | 1;
  /** The path of the file, as it was given. */
  readonly file: string;
  /** `sha256:…` of the contract and its schema files as RFC 8785 JSON. Comments do not count. */
  readonly digest: string;
  /** The phase in which a task begins. */
  readonly initial: string;
  /** Phases that no transition leaves. A task completes there by a transition to `COMPLETED`. */
  readonly ends: readonly string[];
  readonly phases: readonly Phase[];
  readonly gates: readonly Gate[];
  readonly transitions: readonly Transition[];
  /** Every tool that the contract may name. */
  readonly tools: readonly string[];
  /** The checks that the contract itself declares. */
  readonly checks: readonly DeclaredCheck[];
  readonly evidence: Evidence;
  readonly enforcement: Enforcement;
  readonly coordination: Coordination;
  readonly monitoring: Monitoring;
  readonly recovery: Recovery;
  /**
   * Paths that no agent may write, relative to the contract: the contract, its schemas, logs and
   * stores.
   */
  readonly protectedPaths: readonly string[];
  /** The warnings about the contract. */
  readonly warnings: readonly ContractFinding[];
}

export interface Phase {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly allowedTools: readonly string[];
  readonly forbiddenTools: readonly string[];
  readonly constraints: readonly ToolConstraint[];
  /**
   * The artifacts needed to leave the phase by a transition with `passed`, or to complete the task
   * in it.
   */
  readonly artifacts: readonly RequiredArtifact[];
  readonly spawns: readonly Spawn[];
}

/**
 * The restrictions on the arguments of a tool. An undefined list restricts nothing; an empty list
 * allows nothing.
 */
export interface ToolConstraint {
  readonly tool: string;
  readonly allowedPatterns: readonly string[] | undefined;
  readonly forbiddenPatterns: readonly string[];
  readonly allowedCommands: readonly string[] | undefined;
  readonly forbiddenCommands: readonly string[];
}

export interface RequiredArtifact {
  readonly type: string;
  readonly description: string | undefined;
  readonly schema: ArtifactSchema | undefined;
  /** The `validation` rules, all blocking. */
  readonly rules: readonly Check[];
}

export interface ArtifactSchema {
  /** The name in the contract. */
  readonly ref: string;
  /** Whether the schema is inline in the contract or in a file. */
  readonly from: "inline" | "file";
  readonly value: JsonObject;
}

/** A check of a gate, or a rule of an artifact. */
export interface Check {
  readonly check: string;
  readonly severity: Severity;
  readonly message: string;
  /** The least coverage, in percent. */
  readonly threshold: number | undefined;
  readonly requiredReviews: readonly string[] | undefined;
}

export interface Gate {
  readonly id: string;
  readonly phase: string;
  readonly type: "approval" | "validation";
  readonly checks: readonly Check[];
  /** In seconds. Undefined for a gate without a timeout. */
  readonly timeoutSeconds: number | undefined;
  readonly approvers: readonly string[];
  /** How many approvers must approve. 0 for a gate that nobody needs to approve. */
  readonly quorum: number;
  readonly autoAdvance: boolean;
}

export interface Transition {
  readonly from: string;
  readonly to: string;
  readonly gate: string | undefined;
  /** The answer of the gate that opens the transition. */
  readonly when: "passed" | "rejected";
  readonly requiresToken: boolean;
  readonly triggers: readonly Trigger[];
}

export interface Trigger {
  readonly action: (typeof TRIGGER_ACTIONS)[number];
  readonly parallel: boolean;
  readonly params: JsonObject;
}

export interface Spawn {
  readonly agentType: string;
  readonly models: readonly string[];
  readonly parallel: boolean;
  readonly waitForCompletion: boolean;
}

export interface DeclaredCheck {
  readonly name: string;
  readonly description: string | undefined;
  readonly passesWhen: Condition;
}

export interface Evidence {
  /** Whether a test run must be observed, or may be reported by agents. */
  readonly source: "observed" | "reported";
  readonly testCommand: TestCommand | undefined;
}

export interface TestCommand {
  readonly argv: readonly string[];
  readonly format: "junit" | "tap" | "json";
  /** The file with the report. Undefined means standard output. */
  readonly report: string | undefined;
  readonly timeoutSeconds: number;
}

export interface Enforcement {
  readonly mode: EnforcementMode;
  readonly tokens: {
    readonly enabled: boolean;
    readonly algorithm: "HS256" | "EdDSA";
    /** The environment variable with the secret. Undefined means the default one. */
    readonly secretEnvVar: string | undefined;
    readonly expirySeconds: number;
    /** Claims that a token must have, besides those that every token has. */
    readonly claims: readonly (typeof CLAIMS)[number][];
  };
  readonly tools: {
    readonly enabled: boolean;
    /** The enforcement of tool calls: the laxer one of `mode` and `violation_action`. */
    readonly mode: EnforcementMode;
    readonly auditLog: string | undefined;
  };
  readonly sdk: {
    readonly required: boolean;
    readonly version: string | undefined;
    readonly endpoint: string | undefined;
    readonly fallbackEndpoint: string | undefined;
  };
}

export interface Coordination {
  readonly snapshotIncludes: readonly (typeof SNAPSHOT_PARTS)[number][];
  readonly bus: {
    readonly type: "sqlite" | "postgres" | "memory" | undefined;
    readonly path: string | undefined;
    readonly events: readonly (typeof BUS_EVENTS)[number][];
  };
  readonly leaseSeconds: number;
  readonly optimisticLocking: boolean;
}

export interface Monitoring {
  readonly metrics: readonly (typeof METRICS)[number][];
  readonly exportPath: string | undefined;
  readonly alerts: readonly Alert[];
}

/** `metric operator value`: rates from 0 to 1, durations in seconds, others as plain numbers. */
export interface Alert {
  readonly metric: string;
  readonly operator: ">" | ">=" | "<" | "<=";
  readonly value: number;
  readonly action: "notify_human";
  readonly message: string;
}

export interface Recovery {
  readonly agentCrash: {
    readonly action: "retry" | "escalate_to_human";
    readonly maxRetries: number;
    readonly backoffSeconds: number;
  };
  readonly checkpointIntervalSeconds: number;
  readonly gateTimeout: {
    readonly action: "escalate_to_human" | "reject";
    readonly preserveState: boolean;
  };
}
