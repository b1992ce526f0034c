import type { Transition, View } from "@bylaw/kernel";
import type { CheckInput, Finding } from "./checks/check-input.ts";
import type { Compiled } from "./compile.ts";
import type { Requirement } from "./edges.ts";
import type { GateState } from "./gate-state.ts";

/** Asks a check that the contract declares as a condition. It answers asynchronously. */
export type AskDeclared = (requirement: Requirement, input: CheckInput) => readonly Finding[];

export interface JudgedRequest {
  readonly request: Transition;
  readonly view: View;
  readonly compiled: Compiled;
  readonly gateState: GateState;
  readonly late: AskDeclared;
}
