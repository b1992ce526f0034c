import { dirname, resolve } from "node:path";
import { packagesBeside, type BundledPackages } from "@bylaw/config";
import { loadContract, type Contract } from "@bylaw/contract";
import { isPlugin, type Kernel, type Projection, type View } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { overlayRun } from "../service/overlay-run.ts";
import type * as GatesPlugin from "@bylaw/plugin-gates";

/** The functions of the gates that answers go through. */
export type GateFunctions = Pick<
  typeof GatesPlugin,
  "decideGate" | "escalateGates" | "openGates" | "waiveCheck"
>;

/** The gates of a project: the contract that they are in, and the functions that know them. */
export interface ProjectGates {
  readonly contract: Contract;
  readonly plugin: GateFunctions;
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

/** The gates of a kernel whose copy of the plugin may be another than that of these functions, with projections of the same names. */
export function projectGates(
  { declared }: Pick<Kernel, "declared">,
  plugin: GateFunctions,
  contract: Contract,
): ProjectGates {
  const own = new Map(
    (declared.projections as readonly Projection<unknown>[]).map((projection) => [
      projection.name,
      projection,
    ]),
  );
  const through =
    (view: View): View =>
    <State>(projection: Projection<State>): State =>
      view((own.get(projection.name) ?? projection) as Projection<State>);
  return {
    contract,
    plugin,
    view: through,
    run: (run) => overlayRun(run, { view: through(run.view) }),
  };
}

/** The gates that a configuration enforces; nothing where it has none. `bundled`: packages that a project need not install, the gates among them. */
export async function gatesOf(
  kernel: Kernel,
  configFile: string,
  bundled: BundledPackages,
): Promise<ProjectGates | undefined> {
  const [instance] = kernel.plugins.find(({ plugin }) => plugin.name === GATES)?.instances ?? [];
  if (instance === undefined) return undefined;
  const load = await packagesBeside(configFile, bundled);
  const plugin = (await load(GATES)) as unknown as typeof GatesPlugin;
  const { contract: file, tools = [], checks = [] } = instance.options as GateOptions;
  const contract = loadContract(resolve(dirname(configFile), file), {
    tools,
    checks: checks.flatMap((check) =>
      isPlugin(check) ? [check.name] : typeof check === "string" ? [check] : [],
    ),
  });
  return projectGates(kernel, plugin, contract);
}
