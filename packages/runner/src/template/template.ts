import type { Compat } from "@bylaw/behavior";

/** What a step or an agent runs. */
export type Invocation = { readonly command: readonly string[] } | { readonly function: string };

/** An agent that does steps and can be called. */
export interface Agent {
  /** `null` in a template of an older format, where a file of agents must define it. */
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
  /** How often it may go back while nothing changes. `null`: up to the general limit. */
  readonly stall: number | null;
}

/** One step with all defaults filled in. */
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
  /** The tracks on which the step runs; `null` for all. */
  readonly tracks: readonly string[] | null;
  /** Options that must all be chosen for the step to run. */
  readonly choices: readonly string[];
  /** One of these options must be chosen, unless the list is empty. */
  readonly choices_any: readonly string[];
}

/** The paths through a workflow. A run takes one. */
export interface TrackQuestion {
  readonly question: string;
  /** The title of each track, by name. */
  readonly options: Readonly<Record<string, string>>;
  /** The track of a run that does not choose one. */
  readonly default: string | null;
}

/** A question whose answers decide which steps run. */
export interface TemplateQuestion {
  readonly id: string;
  readonly question: string;
  /** Whether any number of options may be chosen, instead of exactly one. */
  readonly multiple: boolean;
  /** The tracks on which it is offered; `null` for all. */
  readonly tracks: readonly string[] | null;
  /** The option that must be chosen for it to be offered. */
  readonly after: string | null;
  readonly options: Readonly<Record<string, string>>;
}

/** Where to request oversight. */
export interface OversightSource {
  readonly url: string | null;
  readonly command: readonly string[] | null;
  /** An MCP server, started for each request, and its tool. Its prose is scored by keywords. */
  readonly mcp: { readonly command: readonly string[]; readonly tool: string } | null;
  /** The risk, from 0 to 1, from which a person is asked. */
  readonly hold_at: number;
  readonly timeout_seconds: number;
  /** After how many steps oversight is due, even without a request; `null` for never. */
  readonly every_steps: number | null;
  /** Whether oversight is due before work of another kind begins. */
  readonly at_kinds: boolean;
}

/** A workflow, checked and complete. Plain data. */
export interface Template {
  readonly name: string;
  readonly description: string;
  /** The format in which it was written. */
  readonly dialect: "bylaw" | "radium" | "codemachine";
  /** The system whose reading of loops, triggers and conditions applies; `null` for ours. */
  readonly compat: Compat | null;
  readonly tracks: TrackQuestion | null;
  readonly choices: readonly TemplateQuestion[];
  readonly agents: Readonly<Record<string, Agent>>;
  readonly steps: readonly Step[];
  readonly oversight: OversightSource | null;
}

/** A problem of a template, or a part without effect. */
export interface TemplateFinding {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly fix?: string;
}
