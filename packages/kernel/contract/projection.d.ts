import type { LogEvent } from "./event.d.ts";

/** A pure fold over the events of one run. Replaying a log gives byte-identical state. */
export interface Projection<State> {
  /** Namespaced by its plugin: `@bylaw/plugin-loop/counters`. */
  readonly name: string;
  /** Raised with every change of `reduce`; a snapshot of another version is folded anew. */
  readonly version: number;
  readonly initial: State;
  reduce(state: State, event: LogEvent): State;
}

/** Reads the state of a projection. */
export interface View {
  <State>(projection: Projection<State>): State;
  /** Nothing is recorded: there is no run, and every state is the one before a first event. */
  readonly empty?: true;
}
