import type { EventDraft, Finding, Guard, LogEvent, Projection, View } from "@bylaw/kernel";

/** The states of a set of projections after the events up to `head`. Adding events makes a new one. */
export interface Fold {
  readonly head: number;
  readonly view: View;
  add(events: readonly LogEvent[]): Fold;
}

/** Folds no event yet, or goes on from states after `head`. */
export function createFold(projections: readonly Projection<unknown>[], states: ReadonlyMap<unknown, unknown> = new Map(), head = 0): Fold {
  const places = new Map(projections.map((projection, at) => [projection, at]));
  // By place: each event makes a new set of states, and a Map of them would be most of what a run leaves to the collector.
  const foldOf = (all: readonly unknown[], until: number): Fold => {
    const fold: Fold = {
      head: until,
      view<State>(projection: Projection<State>): State {
        const at = places.get(projection as Projection<unknown>);
        if (at === undefined) throw new Error(`Unexpected projection ${projection.name}, expected one that a plugin declares`);
        return all[at] as State;
      },
      add(events) {
        // A writer may learn of an event twice, by its own receipt and by the log; each is folded once, in order.
        let head = until;
        let next: unknown[] | undefined;
        for (const event of events) {
          if (event.sequence <= until) continue;
          next ??= [...all];
          // By index: for one event, which is the rule, lists and functions in between would take as long as to fold it.
          for (let at = 0; at < projections.length; at += 1) next[at] = (projections[at] as Projection<unknown>).reduce(next[at], event);
          head = event.sequence;
        }
        return next === undefined ? fold : foldOf(next, head);
      },
    };
    return fold;
  };
  return foldOf(
    projections.map((of) => (states.has(of) ? states.get(of) : of.initial)),
    head,
  );
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
