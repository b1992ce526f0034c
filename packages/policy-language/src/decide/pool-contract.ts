import type { Effect, ToolCall, Verdict } from "@bylaw/kernel";
import type { ToolTable } from "../compile/tool-table.ts";
import type { PoolRule, RuleReport } from "../explain/rule-reports.ts";
import type { PoolMarks } from "../marks/recorded-marks.ts";
import type { RunState } from "../match/run-state.ts";
import type { CommandGlob } from "../paths/call-paths.ts";

/** The policy files of a kernel, compiled into one pool of rules that casts one vote. */
export interface PolicyPool {
  /** The strictest `default` of the files. Undefined if no file has one. */
  readonly fallback: Effect | undefined;
  readonly rules: readonly PoolRule[];
  /** Whether a rule has a condition (`when`). Then calls must be evaluated by {@link evaluateConditional}. */
  readonly conditional: boolean;
  /** The marks that the files define. Undefined if they define none. */
  readonly marks: PoolMarks | undefined;
  /** The projections that conditions ask about, each with one of the rules that ask. */
  readonly projections: ReadonlyMap<string, PoolRule>;
  /**
   * Returns the deciding vote and the votes of rules in shadow; undefined to abstain. Each file with `compat` adds its own vote.
   * Unless the host has prepared the real paths of the call, only the written paths count. Throws TypeError in a conditional pool.
   */
  evaluate(call: ToolCall, run?: RunState): readonly Verdict[] | undefined;
  /** Like {@link evaluate}, but asks every rule, without the index and without a limit. */
  evaluateByScan(call: ToolCall, run?: RunState): readonly Verdict[] | undefined;
  /**
   * Like {@link evaluate}, and evaluates the conditions of rules that match otherwise, over the call and the state of
   * its run. Works for any pool. Rejects if a condition cannot be evaluated.
   */
  evaluateConditional(call: ToolCall, run?: RunState): Promise<readonly Verdict[] | undefined>;
  /** Like {@link evaluateConditional}, but asks every rule, without the index and without a limit. */
  evaluateConditionalByScan(
    call: ToolCall,
    run?: RunState,
  ): Promise<readonly Verdict[] | undefined>;
  /**
   * Reports how every rule relates to a call. In a conditional pool, the reported conditions and votes come from the
   * last evaluation of this same `call` object.
   */
  explain(call: ToolCall, run?: RunState): readonly RuleReport[];
  /**
   * Explains why no rule decides a call: names the part that no rule covers, and the nearest rule. Undefined if
   * finding that would take too long.
   */
  unmatched(call: ToolCall): string | undefined;
  /** The paths that the host must resolve before it evaluates a call: files that a rule is about, and files that the call writes. */
  pathsToResolve(call: ToolCall): readonly string[];
  /** The globs in commands of the call that the host must expand as well, to find links among the results. */
  globsToResolve(call: ToolCall): readonly CommandGlob[];
  /** Whether no command that the rules leave open has an unknown or dangerous effect. Calls that run no line are harmless. */
  isHarmless(call: ToolCall): boolean;
  /** Whether a call only edits files inside the workspace, and none that govern the agent. */
  editsWorkspace(call: ToolCall): boolean;
}

/** The options for compiling a pool. */
export interface PoolOptions {
  readonly tools?: ToolTable;
  /** Absolute paths of the policies in force. {@link PolicyPool.editsWorkspace} is false for a call that edits one of them. */
  readonly protectedFiles?: readonly string[];
  /**
   * The name of the fact of a call that holds its resolved paths. `paths` is a list of lists: the written path, its
   * real path, and other names of the real path. A list with only the written path says that it cannot be resolved.
   * `globs` gives, for each pattern, the `places` that it reaches through a link, as such lists without the written
   * path; without `places`, the folders could not be searched. If the call lacks this fact, paths count as written.
   * Default: `@bylaw/plugin-policy`.
   */
  readonly pathsFact?: string;
  /** Computes a digest of the marks' definitions. Without it, recorded marks are ignored and calls are matched again. */
  readonly digest?: (definitions: string) => string;
}
