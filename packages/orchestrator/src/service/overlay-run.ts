import type { Kernel, Projection, View } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";

/** A run with some methods replaced. All others use the run itself, because a copy cannot access its private state. */
export const overlayRun = (run: Run, own: Partial<Run>): Run =>
  new Proxy(run, {
    get(target, name) {
      const value: unknown = Reflect.get(Object.hasOwn(own, name) ? own : target, name);
      return typeof value === "function" && !Object.hasOwn(own, name)
        ? (value.bind(target) as unknown)
        : value;
    },
  });

/** Creates views that find a kernel's projections by name, because a configuration may have its own copies of plugins. */
export function viewsByName({ declared }: Pick<Kernel, "declared">): (view: View) => View {
  const projections = declared.projections as readonly Projection<unknown>[];
  const own = new Map(projections.map((projection) => [projection.name, projection]));
  return (view) =>
    <State>(projection: Projection<State>): State =>
      view((own.get(projection.name) ?? projection) as Projection<State>);
}
