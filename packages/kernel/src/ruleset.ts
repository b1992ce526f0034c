import { checkArgument, type ExpectedArgument } from "./check-argument.ts";
import type { EnforcementMode } from "./decision.ts";
import type { Plugin, PluginInstance } from "./plugin.ts";
import type { ApprovalMode } from "./subject.ts";
import type { Effect } from "./verdict.ts";

/** A named list of plugins, shared on npm. It only adds votes, and cannot set a fallback or a mode. */
export interface Ruleset {
  /** The package name. */
  readonly name: string;
  readonly extends?: readonly Ruleset[];
  readonly plugins?: readonly Plugin[];
}

/** The configuration of a host. */
export interface Config {
  readonly extends?: readonly Ruleset[];
  /**
   * Excludes parts of `extends`: a ruleset, a plugin, or `<plugin>/<rule>`. Each entry must match something, and must not match a
   * final rule or a plugin that has one.
   */
  readonly without?: readonly string[];
  readonly plugins?: readonly Plugin[];
  /** The effect of a tool call that nothing else decides. Default: `ask_user`. */
  readonly fallback?: Effect;
  /** Default: `ask`. */
  readonly approval_mode?: ApprovalMode;
  /** Default: `strict`. */
  readonly enforcement_mode?: EnforcementMode;
  /** The time limit for an asynchronous tap, in milliseconds. A tap that takes longer denies. Default: 10,000. */
  readonly deadline_ms?: number;
}

/** The uses of one definition, in the order of the configuration. */
export interface ResolvedPlugin {
  readonly plugin: Plugin;
  readonly instances: readonly PluginInstance<unknown>[];
}

const INVALID: ExpectedArgument = { code: "BYLAW_CONFIG_INVALID" };

/** Returns its argument, typed. Throws BYLAW_CONFIG_INVALID unless it is an object literal. */
export const defineRuleset = (ruleset: Ruleset): Ruleset =>
  checkArgument("defineRuleset", "a ruleset", ruleset, INVALID);

/** Returns its argument, typed. Throws BYLAW_CONFIG_INVALID unless it is an object literal. */
export const defineConfig = (config: Config): Config =>
  checkArgument("defineConfig", "a configuration", config, INVALID);
