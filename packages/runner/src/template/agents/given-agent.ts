import type { Agent, TemplateFinding } from "../template.ts";

/** An agent as a file of its own says it. */
export interface GivenAgent extends Agent {
  /** How its steps may send the workflow back, where they do not say so themselves. */
  readonly loop?: {
    readonly steps: number;
    readonly max_iterations?: number | undefined;
    readonly skip?: readonly string[] | undefined;
  };
  /** Whom its steps may call, where they do not say so themselves. */
  readonly trigger?: string;
}

/** What a file of agents came to. */
export interface AgentsRead {
  /** `*` stands for all that have no command. */
  readonly agents: Readonly<Record<string, GivenAgent>>;
  readonly findings: readonly TemplateFinding[];
}

/** A file that holds no agent that can be used. */
export const faulty = (file: string, message: string, fix?: string): AgentsRead => ({
  agents: {},
  findings: [
    {
      file,
      code: "BYLAW_TEMPLATE_INVALID",
      severity: "error",
      message,
      ...(fix === undefined ? {} : { fix }),
    },
  ],
});
