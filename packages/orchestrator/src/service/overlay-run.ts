import type { Run } from "@bylaw/log";

/** A run of which some methods are others. All else goes to the run itself, whose private state no copy could reach. */
export const overlayRun = (run: Run, own: Partial<Run>): Run =>
  new Proxy(run, {
    get(target, name) {
      const value: unknown = Reflect.get(Object.hasOwn(own, name) ? own : target, name);
      return typeof value === "function" && !Object.hasOwn(own, name)
        ? (value.bind(target) as unknown)
        : value;
    },
  });
