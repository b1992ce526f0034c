import { checkArgument } from "./check-argument.ts";
import type { LogEvent } from "./event.ts";

/** A pure fold over the events of one run. Replaying a log gives byte-identical state. */
export interface Projection<State> {
  /** Namespaced by its plugin: `@bylaw/plugin-loop/counters`. */
  readonly name: string;
  /** Raised with every change of `reduce`; a snapshot of another version is folded anew. */
  readonly version: number;
  readonly initial: State;
  reduce(state: State, event: LogEvent): State;
  /** `task`: taps read of it only what concerns the task or agent of their subject. Else a decision is made anew if the state that it read has changed. */
  readonly scope?: "task";
}

/** Reads the state of a projection. */
export interface View {
  <State>(projection: Projection<State>): State;
  /** Nothing is recorded: there is no run, and every state is the one before a first event. */
  readonly empty?: true;
}

/** Returns its argument, typed. Throws BYLAW_PLUGIN_INVALID for what is no object literal. */
export const defineProjection = <State>(projection: Projection<State>): Projection<State> =>
  checkArgument("defineProjection", "a projection", projection, { code: "BYLAW_PLUGIN_INVALID" });

/** The view of no run. */
export const emptyView: View = Object.freeze(
  Object.assign(<State>({ initial }: Projection<State>): State => initial, {
    empty: true,
  } as const),
);
