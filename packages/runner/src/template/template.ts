/** What a step or an agent runs. */
export type Invocation = { readonly command: readonly string[] } | { readonly function: string };

/** Somebody who does steps and can be called. */
export interface Agent {
  /** `null` in a template of an older form: a file of agents says it. */
  readonly run: Invocation | null;
  readonly prompt: string;
  readonly env: readonly string[];
}

/** How a step may send its workflow back. */
export interface StepLoop {
  readonly steps: number;
  readonly max_iterations: number;
  readonly skip: readonly string[];
  readonly on_limit: "continue" | "hold" | "stop";
}

/** One step, with everything said. */
export interface Step {
  readonly id: string;
  readonly agent: string | null;
  readonly run: Invocation | null;
  readonly prompt: string;
  readonly timeout_seconds: number;
  readonly retries: number;
  readonly once: boolean;
  readonly repeatable: boolean;
  readonly interrupted: "run" | "ask";
  readonly when: string | null;
  readonly skip_if: string | null;
  readonly depends_on: readonly string[];
  readonly fallback: string | null;
  readonly parallel: string | null;
  readonly loop: StepLoop | null;
  readonly trigger: string | null;
  readonly kind: "planning" | "implementation" | "review";
  readonly continue_on_error: boolean;
  readonly output: "text" | "json";
  readonly env: readonly string[];
}

/** Who is asked when a step wants oversight. */
export interface OversightSource {
  readonly url: string | null;
  readonly command: readonly string[] | null;
  /** From this risk on a person is asked; 0 to 1. */
  readonly hold_at: number;
  readonly timeout_seconds: number;
}

/** A workflow, checked and complete. Plain data. */
export interface Template {
  readonly name: string;
  readonly description: string;
  /** The form that it was written in. */
  readonly dialect: "bylaw" | "radium" | "codemachine";
  readonly agents: Readonly<Record<string, Agent>>;
  readonly steps: readonly Step[];
  readonly oversight: OversightSource | null;
}

/** One thing that is wrong in a template, or that has no effect. */
export interface TemplateFinding {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly fix?: string;
}
