import type { EventDraft, Guard, LogEvent, Projection, View } from "@bylaw/kernel";
import type { Finding } from "./declared.ts";

/** The states of a set of projections after the events up to `head`. Immutable: adding events returns a new one. */
export interface LogState {
  readonly head: number;
  readonly view: View;
  add(events: readonly LogEvent[]): LogState;
}

/** The state of an empty log, or the given states after `head`. */
export function createLogState(
  projections: readonly Projection<unknown>[],
  states: ReadonlyMap<unknown, unknown> = new Map(),
  head = 0,
): LogState {
  const places = new Map(projections.map((projection, at) => [projection, at]));
  const stateOf = (all: readonly unknown[], until: number): LogState => {
    const state: LogState = {
      head: until,
      view<State>(projection: Projection<State>): State {
        const at = places.get(projection as Projection<unknown>);
        if (at === undefined)
          throw new Error(`No plugin of this kernel declares the projection ${projection.name}`);
        return all[at] as State;
      },
      add(events) {
        // A writer may get an event twice, from its receipt and from the log. Each is reduced once.
        const fresh = events.filter(({ sequence }) => sequence > until);
        const last = fresh.at(-1);
        if (last === undefined) return state;
        const next = projections.map((projection, at) =>
          fresh.reduce((value, event) => projection.reduce(value, event), all[at]),
        );
        return stateOf(next, last.sequence);
      },
    };
    return state;
  };
  return stateOf(
    projections.map((of) => (states.has(of) ? states.get(of) : of.initial)),
    head,
  );
}

/** Why a guard refuses one of these drafts, each checked after those before it. */
export interface Refusal extends Finding {
  readonly draft: EventDraft;
  readonly guard: string;
}

/** The first refusal by a guard, if any. */
export function refusalOf(
  guards: readonly { readonly name: string; readonly guard: Guard }[],
  state: LogState,
  drafts: readonly EventDraft[],
): Refusal | undefined {
  let current = state;
  for (const draft of drafts) {
    for (const { name, guard } of guards) {
      const finding = guard(current.view, draft);
      if (finding !== undefined) return { ...finding, draft, guard: name };
    }
    // Also after the last draft, because an event that a projection cannot reduce must not be written.
    current = current.add([{ ...draft, sequence: current.head + 1 }]);
  }
  return undefined;
}
