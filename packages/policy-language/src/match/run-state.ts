import type { Projection, View } from "@bylaw/kernel";

/** The state of a run, for the conditions of rules. */
export interface RunState {
  /** Whether the run is recorded. If not, each state is the initial one, and it satisfies no allow. */
  readonly recorded: boolean;
  /** Returns the state of a projection, by its name. */
  stateOf(projection: string): unknown;
}

/** Reads projections by name through a view. Throws for a projection that no plugin declares. */
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
