import type { Projection, View } from "../contract/projection.d.ts";

/** Returns its argument, typed. */
export const defineProjection = <State>(projection: Projection<State>): Projection<State> => projection;

/** The view of no run. */
export const emptyView: View = Object.freeze(
  Object.assign(<State>({ initial }: Projection<State>): State => initial, { empty: true } as const),
);
