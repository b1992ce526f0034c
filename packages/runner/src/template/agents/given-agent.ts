import type { Agent, TemplateFinding } from "../template.ts";

/** An agent from a file of its own. */
export interface GivenAgent extends Agent {
  /** The loop of its steps that set none. */
  readonly loop?: {
    readonly steps: number;
    readonly max_iterations?: number | undefined;
    readonly skip?: readonly string[] | undefined;
  };
  /** The agent that its steps may call if they name none. */
  readonly trigger?: string;
}

/** The agents of a file, and its faults. */
export interface AgentsRead {
  /** `*` is for every agent without a command. */
  readonly agents: Readonly<Record<string, GivenAgent>>;
  readonly findings: readonly TemplateFinding[];
}

/** The result for a file without a usable agent. */
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
