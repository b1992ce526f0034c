import type { JsonObject } from "./json.ts";

/** The guide to a phase. */
export interface PhaseGuide {
  readonly required_artifacts: readonly {
    readonly type: string;
    readonly description: string | null;
    /** The rules for its content, one sentence each. */
    readonly rules: readonly string[];
    /** A JSON Schema; `null` for any JSON. */
    readonly schema: JsonObject | null;
  }[];
  readonly next_phases: readonly {
    readonly phase: string;
    readonly gate: string | null;
    readonly when: "passed" | "rejected";
  }[];
  /** The whole guide in prose, for the prompt of a model. */
  readonly prompt: string;
}

/** The contract that the service enforces. Additional fields are passed through. */
export interface ContractAnswer extends JsonObject {
  readonly name: string;
  readonly version: string;
  readonly digest: string;
  readonly mode: string;
  readonly initial: string;
  readonly ends: readonly string[];
  readonly phases: readonly (JsonObject & { readonly id: string; readonly prompt: string })[];
  /** The whole contract in prose. */
  readonly text: string;
}

/** One cause that blocks a transition. */
export interface Blocker {
  readonly code: string;
  readonly reason: string;
  readonly fix?: string;
  /** The checks that failed because of it. */
  readonly checks: readonly string[];
}

/** The result of the test run that the server made for a transition. */
export interface ObservedTests {
  readonly exit_code: number | null;
  readonly counts: JsonObject | null;
  /** Ids of tests, with their files. */
  readonly failed: readonly string[];
  /** The end of the output, standard error last. */
  readonly output: string;
}
