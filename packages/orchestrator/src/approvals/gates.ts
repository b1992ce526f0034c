import { dirname } from "node:path";
import { packageLoaderFor, type BundledPackages } from "@bylaw/config";
import type { Contract } from "@bylaw/contract";
import type { Kernel, View } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { configuredContract } from "../config/configured-contract.ts";
import { overlayRun, viewsByName } from "../service/overlay-run.ts";
import type * as GatesPlugin from "@bylaw/plugin-gates";

/** The functions of plugin-gates that answers need. */
export type GateFunctions = Pick<
  typeof GatesPlugin,
  "decideGate" | "escalateGates" | "openGates" | "waiveCheck"
>;

/** The gates of a project: the contract with the gates, and the functions of the plugin. */
export interface ProjectGates {
  readonly contract: Contract;
  readonly plugin: GateFunctions;
  /** Wraps a view so that the functions find the states of the kernel's own copy of the plugin. */
  view(view: View): View;
  /** Returns a run with such a view. */
  run(run: Run): Run;
}

const GATES = "@bylaw/plugin-gates";

/** The gates of a kernel whose copy of the plugin may differ from that of these functions, as long as projections have the same names. */
export function projectGates(
  kernel: Pick<Kernel, "declared">,
  plugin: GateFunctions,
  contract: Contract,
): ProjectGates {
  const view = viewsByName(kernel);
  return { contract, plugin, view, run: (run) => overlayRun(run, { view: view(run.view) }) };
}

/** The gates that a configuration enforces, if any. `bundled`: packages that a project need not install, including the gates. */
export async function gatesOf(
  kernel: Kernel,
  configFile: string,
  bundled: BundledPackages,
): Promise<ProjectGates | undefined> {
  const [instance] = kernel.plugins.find(({ plugin }) => plugin.name === GATES)?.instances ?? [];
  if (instance === undefined) return undefined;
  const load = await packageLoaderFor(configFile, bundled);
  const plugin = (await load(GATES)) as unknown as typeof GatesPlugin;
  return projectGates(kernel, plugin, configuredContract(instance.options, dirname(configFile)));
}
