import { basename, resolve } from "node:path";
import { createKernel, type Kernel } from "@bylaw/kernel";
import { isConfig, isContract } from "../config/file-kind.ts";
import { loadKernelFor } from "../decide/kernel-source.ts";
import { whileLoading } from "../io/exit-code.ts";
import { withPackages } from "../ruleset/package-place.ts";
import { readRuleset } from "../ruleset/ruleset-package.ts";

/**
 * The kernel of one version: a policy, a contract, a configuration, or a ruleset package. Nothing else decides. Throws what loading it
 * throws.
 */
export async function loadVersion(named: string): Promise<Kernel> {
  if (isConfig(named)) return await loadKernelFor({ config: named });
  if (/\.toml$/i.test(named)) return await loadKernelFor({ policy: [named] });
  if (isContract(named)) return await whileLoading(named, () => contractKernel(resolve(named)));
  // A configuration that is a module may have any name.
  if (/\.(?:[cm]?[jt]s|json)$/i.test(named)) return await loadKernelFor({ config: named });
  return await withPackages([named], async ([place]) => {
    if (place === undefined) throw new TypeError("no package");
    return (await readRuleset(place)).kernel;
  });
}

// The log has no tokens, so what a contract says about them cannot be decided again.
async function contractKernel(contract: string): Promise<Kernel> {
  const [{ phases }, { artifacts }, { gates }] = await Promise.all([
    import("@bylaw/plugin-phases"),
    import("@bylaw/plugin-artifacts"),
    import("@bylaw/plugin-gates"),
  ]);
  const plugins = [
    phases({ contract, elsewhere: ["tokens"] }),
    artifacts({ contract }),
    gates({ contract }),
  ];
  return createKernel({ plugins }, { name: basename(contract) });
}
