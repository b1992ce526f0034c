import type { Kernel, Projection, View } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";

/** A run with some methods replaced. Everything else goes to the run itself, whose private state no copy could reach. */
export const overlayRun = (run: Run, own: Partial<Run>): Run =>
  new Proxy(run, {
    get(target, name) {
      const value: unknown = Reflect.get(Object.hasOwn(own, name) ? own : target, name);
      return typeof value === "function" && !Object.hasOwn(own, name)
        ? (value.bind(target) as unknown)
        : value;
    },
  });

/** Makes views that find a kernel's projections by name: a configuration may bring its own copies of plugins. */
export function viewsByName({ declared }: Pick<Kernel, "declared">): (view: View) => View {
  const projections = declared.projections as readonly Projection<unknown>[];
  const own = new Map(projections.map((projection) => [projection.name, projection]));
  return (view) =>
    <State>(projection: Projection<State>): State =>
      view((own.get(projection.name) ?? projection) as Projection<State>);
}
