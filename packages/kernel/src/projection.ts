import type { Projection, View } from "../contract/projection.d.ts";

/** Returns its argument, typed. */
export const defineProjection = <State>(projection: Projection<State>): Projection<State> => projection;

/** A view of a log without events. */
export const emptyView: View = (projection) => projection.initial;
