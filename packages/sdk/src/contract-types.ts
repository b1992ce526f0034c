import type { JsonObject } from "./json.ts";

/** What the contract asks of an agent in a phase. */
export interface PhaseGuide {
  readonly required_artifacts: readonly {
    readonly type: string;
    readonly description: string | null;
    /** What its content has to keep, a sentence each. */
    readonly rules: readonly string[];
    /** JSON Schema; `null`: any JSON. */
    readonly schema: JsonObject | null;
  }[];
  readonly next_phases: readonly {
    readonly phase: string;
    readonly gate: string | null;
    readonly when: "passed" | "rejected";
  }[];
  /** All of it in words, for the prompt of a model. */
  readonly prompt: string;
}

/** The contract that the service enforces; what else it says of phases and gates is as the service has it. */
export interface ContractAnswer extends JsonObject {
  readonly name: string;
  readonly version: string;
  readonly digest: string;
  readonly mode: string;
  readonly initial: string;
  readonly ends: readonly string[];
  readonly phases: readonly (JsonObject & { readonly id: string; readonly prompt: string })[];
  /** All of it in words. */
  readonly text: string;
}

/** One cause that stands in the way of a transition. */
export interface Blocker {
  readonly code: string;
  readonly reason: string;
  readonly fix?: string;
  /** The checks that failed because of it. */
  readonly checks: readonly string[];
}

/** What the tests came to that the server ran for a transition. */
export interface SeenTests {
  readonly exit_code: number | null;
  readonly counts: JsonObject | null;
  /** Ids of tests, with their files. */
  readonly failed: readonly string[];
  /** The end of what was printed, standard error last. */
  readonly output: string;
}
