import type { Kernel, LogEvent, Projection, View } from "@bylaw/kernel";

/** The states of a kernel's projections, updated event by event. */
export interface FoldingView {
  readonly view: View;
  add(event: LogEvent): void;
}

export function foldingView({
  declared,
}: {
  readonly declared: Pick<Kernel["declared"], "projections">;
}): FoldingView {
  const states = new Map<unknown, unknown>();
  return {
    view: <State>(projection: Projection<State>): State =>
      states.has(projection) ? (states.get(projection) as State) : projection.initial,
    add(event) {
      for (const projection of declared.projections) {
        states.set(
          projection,
          projection.reduce(
            states.has(projection) ? states.get(projection) : projection.initial,
            event,
          ),
        );
      }
    },
  };
}
