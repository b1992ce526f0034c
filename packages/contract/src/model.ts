import type { Decision, JsonObject } from "@bylaw/kernel";
import type { Condition } from "./condition.ts";
import type { ContractFinding } from "./finding.ts";
import type { BUS_EVENTS, CLAIMS, METRICS, SNAPSHOT_PARTS, TRIGGER_ACTIONS } from "./words.ts";

type EnforcementMode = Decision["enforcement_mode"];

/** Whether a failed check stops a transition or is only told. */
export type Severity = "blocking" | "warning";

/**
 * A contract that may be enforced: checked, complete, frozen. Lists are in the order of the file.
 */
export interface Contract {
  readonly name: string;
  readonly version: string;
  readonly description: string | undefined;
  /** `original` for a file without `bylaw`, else the version of the form. */
  readonly form: "original" | 1;
  /** The file as it was named. */
  readonly file: string;
  /**
   * `sha256:` over the RFC 8785 text of what the contract says, the schemas in files included.
   * Comments do not count.
   */
  readonly digest: string;
  /** Where a task begins. */
  readonly initial: string;
  /** Phases that no transition leaves. A task completes there, by a transition to `COMPLETED`. */
  readonly ends: readonly string[];
  readonly phases: readonly Phase[];
  readonly gates: readonly Gate[];
  readonly transitions: readonly Transition[];
  /** Every tool that the contract may name. */
  readonly tools: readonly string[];
  /** The checks that the contract declares itself. */
  readonly checks: readonly DeclaredCheck[];
  readonly evidence: Evidence;
  readonly enforcement: Enforcement;
  readonly coordination: Coordination;
  readonly monitoring: Monitoring;
  readonly recovery: Recovery;
  /**
   * Paths, as seen from the contract, that no agent may write: the contract, its schemas, logs and
   * stores.
   */
  readonly protectedPaths: readonly string[];
  /** What is doubtful in it. */
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
   * What has to be there to leave the phase by a transition that is open on `passed`, or to
   * complete the task in it.
   */
  readonly artifacts: readonly RequiredArtifact[];
  readonly spawns: readonly Spawn[];
}

/**
 * What a tool may be called with. A list that is not given is undefined and constrains nothing; an
 * empty one allows nothing.
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
  /** Its `validation` rules, all blocking. */
  readonly rules: readonly Check[];
}

export interface ArtifactSchema {
  /** As the contract names it. */
  readonly ref: string;
  /** Inline in the contract, or the file it was read from. */
  readonly from: "inline" | "file";
  readonly value: JsonObject;
}

/** One thing that is checked. */
export interface Check {
  readonly check: string;
  readonly severity: Severity;
  readonly message: string;
  /** The least coverage in percent. */
  readonly threshold: number | undefined;
  readonly requiredReviews: readonly string[] | undefined;
}

export interface Gate {
  readonly id: string;
  readonly phase: string;
  readonly type: "approval" | "validation";
  readonly checks: readonly Check[];
  /** In seconds; undefined for a gate that stays open. */
  readonly timeoutSeconds: number | undefined;
  readonly approvers: readonly string[];
  /** How many of them have to approve; 0 for a gate that asks nobody. */
  readonly quorum: number;
  readonly autoAdvance: boolean;
}

export interface Transition {
  readonly from: string;
  readonly to: string;
  readonly gate: string | undefined;
  /** On which answer of the gate it is open. */
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
  /** Whose word counts for a test run. */
  readonly source: "observed" | "reported";
  readonly testCommand: TestCommand | undefined;
}

export interface TestCommand {
  readonly argv: readonly string[];
  readonly format: "junit" | "tap" | "json";
  /** The file with the report; undefined for its standard output. */
  readonly report: string | undefined;
  readonly timeoutSeconds: number;
}

export interface Enforcement {
  readonly mode: EnforcementMode;
  readonly tokens: {
    readonly enabled: boolean;
    readonly algorithm: "HS256" | "EdDSA";
    /** The environment variable with the secret; undefined for the usual one. */
    readonly secretEnvVar: string | undefined;
    readonly expirySeconds: number;
    /** Claims that have to be in a token, besides those that are in every one. */
    readonly claims: readonly (typeof CLAIMS)[number][];
  };
  readonly tools: {
    readonly enabled: boolean;
    /** The enforcement of tool calls: the laxer of `mode` and `violation_action`. */
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

/** `metric operator value`: rates between 0 and 1, durations in seconds, the rest as numbers. */
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
