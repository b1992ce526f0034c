import { deny, type Verdict } from "@bylaw/kernel";
import { POLICY_CODES } from "@bylaw/policy-language";

/** The place of a rule in the contract. */
export type RuleReference = NonNullable<Verdict["rule"]>;

export const CODES = {
  ...POLICY_CODES,
  phase_task_missing: "the call names no task, so no phase allows it",
  phase_not_entered: "the task has entered no phase yet",
  phase_unknown: "the task is in a phase that the contract does not have",
  phase_tool_forbidden: "the phase forbids the tool",
  phase_tool_not_allowed: "the phase does not name the tool",
  phase_path_forbidden: "the phase forbids a path of the call",
  phase_path_not_allowed: "the phase does not allow a path of the call",
  phase_command_forbidden: "the phase forbids a command of the line",
  phase_command_not_allowed: "the phase does not allow a command of the line",
  phase_shell_writes: "the line writes, and the phase has no tool that does",
  phase_vcs_not_allowed:
    "the line changes the history or the tree, and the phase does not allow that",
  phase_protected: "agents may not write the contract, its schemas or its records",
  phase_target_unknown: "the contract does not have the requested phase",
  phase_not_initial: "a task must begin in the first phase",
  phase_task_ended: "the task is in its last phase and can only complete",
  phase_not_last: "a task can complete only in a phase that no transition leaves",
  phase_task_completed: "the task is completed, so it makes no more calls or transitions",
  phase_directives_due: "a directive that the last transition causes has not been issued yet",
  phase_transition_undeclared: "the contract has no such transition",
} as const;

export type Code = keyof typeof CODES | "unknown_command";

/** Denies with one of the codes. `rule` is the place in the contract. */
export const refuse = (code: Code, reason: string, fix?: string, rule?: RuleReference): Verdict =>
  deny(reason, fix, { code, ...(rule === undefined ? {} : { rule }) });
