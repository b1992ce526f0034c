import { checkArgument } from "./check-argument.ts";
import type { LogEvent } from "./event.ts";

/** A pure fold over the events of one run. Replaying a log gives an identical state, byte for byte. */
export interface Projection<State> {
  /** The name, prefixed with the plugin: `@bylaw/plugin-loop/counters`. */
  readonly name: string;
  /** Must increase with every change of `reduce`. Snapshots of other versions are discarded and rebuilt. */
  readonly version: number;
  readonly initial: State;
  reduce(state: State, event: LogEvent): State;
  /**
   * `task`: taps read only the part that concerns the task or agent of their subject. Default: a decision is repeated if any of
   * the state that it read has changed.
   */
  readonly scope?: "task";
}

/** Reads the state of a projection. */
export interface View {
  <State>(projection: Projection<State>): State;
  /** Set if there is no run. Then nothing is recorded, and every state is the initial one. */
  readonly empty?: true;
}

/** Returns its argument, typed. Throws BYLAW_PLUGIN_INVALID unless it is an object literal. */
export const defineProjection = <State>(projection: Projection<State>): Projection<State> =>
  checkArgument("defineProjection", "a projection", projection, { code: "BYLAW_PLUGIN_INVALID" });

/** The view without a run. */
export const emptyView: View = Object.freeze(
  Object.assign(<State>({ initial }: Projection<State>): State => initial, {
    empty: true,
  } as const),
);
