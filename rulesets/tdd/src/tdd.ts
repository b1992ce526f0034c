import { defineRuleset, type Plugin, type Ruleset } from "@bylaw/kernel";
import { artifacts } from "@bylaw/plugin-artifacts";
import { gates } from "@bylaw/plugin-gates";
import { monitoring } from "@bylaw/plugin-monitoring";
import { phases } from "@bylaw/plugin-phases";
import { tasks } from "@bylaw/plugin-tasks";
import { tokens } from "@bylaw/plugin-tokens";

type Phases = NonNullable<Parameters<typeof phases>[0]>;
type Tokens = NonNullable<Parameters<typeof tokens>[0]>;

/** What may be other than usual. */
export interface TddOptions {
  /** The contract file, from the folder of the config. Default: `agent_workflow.yaml`. */
  readonly contract?: string;
  /** The enforcement mode that config and contract say. Default: `strict`. */
  readonly mode?: Phases["mode"];
  /** The keys of tokens, the first signs. Default: those of `@bylaw/plugin-tokens`. */
  readonly keys?: Tokens["keys"];
  /**
   * The folder that artifacts name files in and tests run in, from the folder of the config.
   * Default: that folder.
   */
  readonly workspace?: string;
  /** Tools of the host that the contract may name besides the built-in ones. */
  readonly tools?: readonly string[];
  /** Tools of the host that run a shell line, each with the argument that contains it. */
  readonly shell?: Readonly<Record<string, string>>;
  /** Checks of your own, made by `defineCheck`, that gates of the contract may name. */
  readonly checks?: readonly Plugin[];
  /** Whether an agent has to hold the task that it does something for. Default: `required`. */
  readonly claims?: "required" | "off";
}

/**
 * Holds every task to a workflow contract: phases, tools and transitions, artifacts, gates, tokens,
 * claims and alerts. The contract that comes with it goes from a plan over failing tests and an
 * implementation to a review; copy it, or hand in one of your own.
 */
export function tdd({
  contract = "agent_workflow.yaml",
  mode,
  keys,
  workspace,
  tools = [],
  shell,
  checks = [],
  claims = "required",
}: TddOptions = {}): Ruleset {
  const common = { contract, tools: [...tools], checks: checks.map(({ name }) => name) };
  return defineRuleset({
    name: "@bylaw/ruleset-tdd",
    plugins: [
      phases({
        ...common,
        ...(mode === undefined ? {} : { mode }),
        ...(shell === undefined ? {} : { shell }),
      }),
      artifacts(common),
      gates({
        contract,
        tools: [...tools],
        checks: [...checks],
        ...(workspace === undefined ? {} : { workspace }),
      }),
      tokens({ ...common, ...(keys === undefined ? {} : { keys }) }),
      tasks({ claims }),
      monitoring(common),
    ],
  });
}

/** The ruleset as it usually is, for configurations that are data. */
export const fivePhases: Ruleset = /* @__PURE__ */ tdd();
