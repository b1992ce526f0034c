import type { EventDraft, Finding, Guard, LogEvent, Projection, View } from "@bylaw/kernel";

/** The states of a set of projections after the events up to `head`. Adding events makes a new one. */
export interface Fold {
  readonly head: number;
  readonly view: View;
  add(events: readonly LogEvent[]): Fold;
}

/** Folds no event yet. */
export function createFold(projections: readonly Projection<unknown>[], states: ReadonlyMap<unknown, unknown> = new Map(), head = 0): Fold {
  const fold: Fold = {
    head,
    view<State>(projection: Projection<State>): State {
      if (states.has(projection)) return states.get(projection) as State;
      if (projections.includes(projection as Projection<unknown>)) return projection.initial;
      throw new Error(`Unexpected projection ${projection.name}, expected one that a plugin declares`);
    },
    add(events) {
      // A writer may learn of an event twice, by its own receipt and by the log; each is folded once, in order.
      const next = events.filter(({ sequence }) => sequence > head);
      if (next.length === 0) return fold;
      const state = (of: Projection<unknown>): unknown => (states.has(of) ? states.get(of) : of.initial);
      const folded = projections.map((of) => [of, next.reduce((before, event) => of.reduce(before, event), state(of))] as const);
      return createFold(projections, new Map(folded), next.at(-1)?.sequence ?? head);
    },
  };
  return fold;
}

/** Why one of these drafts is impossible after `fold`, each judged on top of those before it. */
export function impossible(
  guards: readonly { readonly name: string; readonly guard: Guard }[],
  fold: Fold,
  drafts: readonly EventDraft[],
): (Finding & { readonly draft: EventDraft; readonly guard: string }) | undefined {
  let state = fold;
  for (const draft of drafts) {
    for (const { name, guard } of guards) {
      const finding = guard(state.view, draft);
      if (finding !== undefined) return { ...finding, draft, guard: name };
    }
    // The last one too: what no projection can fold is not written.
    state = state.add([{ ...draft, sequence: state.head + 1 }]);
  }
  return undefined;
}
