import { dirname, resolve } from "node:path";
import { packagesBeside } from "@bylaw/config";
import { loadContract, type Contract } from "@bylaw/contract";
import { isPlugin, type Kernel, type Projection, type View } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type * as GatesPlugin from "@bylaw/plugin-gates";
import { bundled } from "../kernel-source.ts";

/** The gates of a project: the contract that they are in, and the functions that know them. */
export interface ProjectGates {
  readonly contract: Contract;
  readonly plugin: typeof GatesPlugin;
  /** A view through which the functions find the states of the kernel's own copy of the plugin. */
  view(view: View): View;
  /** A run with such a view. */
  run(run: Run): Run;
}

const GATES = "@bylaw/plugin-gates";

interface GateOptions {
  readonly contract: string;
  readonly tools?: readonly string[];
  readonly checks?: readonly unknown[];
}

/** The gates that a configuration enforces; nothing where it has none. */
export async function gatesOf({ plugins, declared }: Kernel, configFile: string): Promise<ProjectGates | undefined> {
  const [instance] = plugins.find(({ plugin }) => plugin.name === GATES)?.instances ?? [];
  if (instance === undefined) return undefined;
  const load = await packagesBeside(configFile, { ...bundled(), [GATES]: import.meta.resolve(GATES) });
  const plugin = (await load(GATES)) as unknown as typeof GatesPlugin;
  const { contract: file, tools = [], checks = [] } = instance.options as GateOptions;
  const contract = loadContract(resolve(dirname(configFile), file), {
    tools,
    checks: checks.flatMap((check) => (isPlugin(check) ? [check.name] : typeof check === "string" ? [check] : [])),
  });
  // A ruleset may bring a copy of its own, whose projections are other objects of the same names.
  const own = new Map((declared.projections as readonly Projection<unknown>[]).map((projection) => [projection.name, projection]));
  const through =
    (view: View): View =>
    <State>(projection: Projection<State>): State =>
      view((own.get(projection.name) ?? projection) as Projection<State>);
  return { contract, plugin, view: through, run: (run) => ({ ...run, head: run.head, view: through(run.view) }) };
}
