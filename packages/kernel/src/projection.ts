import type { LogEvent } from "./event.ts";

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
export type View = <State>(projection: Projection<State>) => State;

/** Returns its argument, typed. */
export function defineProjection<State>(projection: Projection<State>): Projection<State> {
  return projection;
}

/** A view of a log without events. */
export const emptyView: View = (projection) => projection.initial;

/** The states of a set of projections, folded event by event. */
export class Fold {
  readonly #states = new Map<Projection<unknown>, unknown>();
  #head = 0;

  constructor(projections: Iterable<Projection<unknown>>) {
    for (const projection of projections) this.#states.set(projection, projection.initial);
  }

  /** Sequence of the last event that was folded in. */
  get head(): number {
    return this.#head;
  }

  add(event: LogEvent): void {
    for (const [projection, state] of this.#states) this.#states.set(projection, projection.reduce(state, event));
    this.#head = event.sequence;
  }

  /** A fold that goes on from here, for trying events out. States are never mutated, so nothing is copied deep. */
  fork(): Fold {
    const copy = new Fold([]);
    for (const [projection, state] of this.#states) copy.#states.set(projection, state);
    copy.#head = this.#head;
    return copy;
  }

  readonly view: View = <State>(projection: Projection<State>): State =>
    this.#states.has(projection as Projection<unknown>)
      ? (this.#states.get(projection as Projection<unknown>) as State)
      : projection.initial;
}
