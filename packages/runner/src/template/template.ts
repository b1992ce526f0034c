import type { Compat } from "@bylaw/behavior";

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
  /** How often it may go back while nothing changes; `null`: as often as it may at all. */
  readonly stall: number | null;
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
  /** The tracks that it belongs to; `null`: all. */
  readonly tracks: readonly string[] | null;
  /** Options of choices that have to be chosen, all of them, for it to run. */
  readonly choices: readonly string[];
  /** Options of which one has to be chosen, where there are any. */
  readonly choices_any: readonly string[];
}

/** The ways through a workflow, of which a run takes one. */
export interface Tracks {
  readonly question: string;
  /** What each is called, by name. */
  readonly options: Readonly<Record<string, string>>;
  /** The one that is taken where nobody says. */
  readonly default: string | null;
}

/** A question whose answers say which steps run. */
export interface Choice {
  readonly id: string;
  readonly question: string;
  /** Any number of options may be chosen, and not just one. */
  readonly multiple: boolean;
  /** The tracks that it is asked on; `null`: all. */
  readonly tracks: readonly string[] | null;
  /** The option that has to be chosen for it to be asked. */
  readonly after: string | null;
  readonly options: Readonly<Record<string, string>>;
}

/** Who is asked when a step wants oversight. */
export interface OversightSource {
  readonly url: string | null;
  readonly command: readonly string[] | null;
  /**
   * A server of the Model Context Protocol, started for each question, and its tool; its prose is
   * scored by its words.
   */
  readonly mcp: { readonly command: readonly string[]; readonly tool: string } | null;
  /** From this risk on a person is asked; 0 to 1. */
  readonly hold_at: number;
  readonly timeout_seconds: number;
  /** After so many steps an oversight is due, whatever anybody asks for; `null`: never. */
  readonly every_steps: number | null;
  /** An oversight is due before work of another kind begins. */
  readonly at_kinds: boolean;
}

/** A workflow, checked and complete. Plain data. */
export interface Template {
  readonly name: string;
  readonly description: string;
  /** The form that it was written in. */
  readonly dialect: "bylaw" | "radium" | "codemachine";
  /** Whose reading of loops, triggers and conditions holds; `null`: ours. */
  readonly compat: Compat | null;
  readonly tracks: Tracks | null;
  readonly choices: readonly Choice[];
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
