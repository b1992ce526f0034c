import { defineRuleset, type Plugin, type Ruleset } from "@bylaw/kernel";
import { artifacts } from "@bylaw/plugin-artifacts";
import { gates } from "@bylaw/plugin-gates";
import { monitoring } from "@bylaw/plugin-monitoring";
import { phases } from "@bylaw/plugin-phases";
import { tasks } from "@bylaw/plugin-tasks";
import { tokens } from "@bylaw/plugin-tokens";

type Phases = NonNullable<Parameters<typeof phases>[0]>;
type Tokens = NonNullable<Parameters<typeof tokens>[0]>;

/** The options of the ruleset. */
export interface TddOptions {
  /** The contract file, relative to the folder of the config. Default: `agent_workflow.yaml`. */
  readonly contract?: string;
  /** The enforcement mode. Config and contract must set the same one. Default: `strict`. */
  readonly mode?: Phases["mode"];
  /** The keys of tokens. The first one signs. Default: those of `@bylaw/plugin-tokens`. */
  readonly keys?: Tokens["keys"];
  /** The folder of the files that artifacts name, and of the tests, relative to the folder of the config. Default: that folder. */
  readonly workspace?: string;
  /** Tools of the host that the contract may name besides the built-in ones. */
  readonly tools?: readonly string[];
  /** Tools of the host that run a shell line, each with the argument that contains it. */
  readonly shell?: Readonly<Record<string, string>>;
  /** Your own checks, created by `defineCheck`, that gates of the contract may name. */
  readonly checks?: readonly Plugin[];
  /** Whether an agent must hold the task on which it acts. Default: `required`. */
  readonly claims?: "required" | "off";
}

/**
 * Enforces a workflow contract on every task: phases, tools and transitions, artifacts, gates, tokens, claims and alerts. The
 * default contract leads from a plan through failing tests and an implementation to a review. Copy and edit it, or pass your own.
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

/** The ruleset with its default options, for configurations that are data. */
export const fivePhases: Ruleset = /* @__PURE__ */ tdd();
