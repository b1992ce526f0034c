import type { Projection, View } from "@bylaw/kernel";

/** What conditions may ask of a run. */
export interface RunState {
  /** `false`: nothing is recorded, and each state is the one before a first event. It satisfies no allow. */
  readonly recorded: boolean;
  /** The state of a projection, by its name. */
  stateOf(projection: string): unknown;
}

/** Reads projections by name through a view. Reading another one throws. */
export function runStateOf(
  projections: ReadonlyMap<string, Projection<unknown>>,
  view: View,
): RunState {
  return {
    recorded: view.empty !== true,
    stateOf(name) {
      const projection = projections.get(name);
      if (projection === undefined) throw new Error(`No plugin declares the projection ${name}`);
      return view(projection);
    },
  };
}
