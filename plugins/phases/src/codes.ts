import { deny, type RuleReference, type Verdict } from "@bylaw/kernel";
import { POLICY_CODES } from "@bylaw/policy-language";

/** What a caller needs to be told, by code. */
export const CODES = {
  ...POLICY_CODES,
  phase_task_missing: "the call names no task, so no phase allows it",
  phase_not_entered: "the task has entered no phase yet",
  phase_unknown: "the task is in a phase that the contract does not have",
  phase_tool_forbidden: "the phase forbids the tool",
  phase_tool_not_allowed: "the phase does not name the tool",
  phase_path_forbidden: "the phase forbids a path of the call",
  phase_path_not_allowed: "a path of the call is none that the phase allows",
  phase_command_forbidden: "the phase forbids a command of the line",
  phase_command_not_allowed: "a command of the line is none that the phase allows",
  phase_shell_writes: "the line writes, and the phase has no tool that does",
  phase_vcs_not_allowed: "the line changes the history or the tree, and the phase does not allow that",
  phase_protected: "the contract, its schemas and its records are not for agents to write",
  phase_target_unknown: "the contract does not have the phase that is asked for",
  phase_not_initial: "a task begins in the first phase, and in no other",
  phase_task_ended: "the task is in its last phase, and no transition leaves it but completion",
  phase_not_last: "a task completes in a phase that no transition leaves, and in no other",
  phase_task_completed: "the task is completed: it makes no calls and no transitions any more",
  phase_directives_due: "what the contract wants done after the last transition of the task was not issued yet",
  phase_transition_undeclared: "the contract has no transition from the phase of the task to the one that is asked for",
} as const;

export type Code = keyof typeof CODES | "unknown_command";

/** A deny with one of the codes. `rule` says where the contract has it. */
export const refuse = (code: Code, reason: string, fix?: string, rule?: RuleReference): Verdict =>
  deny(reason, fix, { code, ...(rule === undefined ? {} : { rule }) });
