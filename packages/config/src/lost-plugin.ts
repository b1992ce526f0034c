import type { BylawError, Plugin } from "@bylaw/kernel";

/** Stands for a plugin that could not be loaded, and fails with its fault. So nothing is reported that only follows from it. */
export function lostPlugin(name: string, fault: BylawError): Plugin {
  const refuse = (): never => {
    throw fault;
  };
  return {
    ...{ name, version: "0.0.0", grants: false, neverSoftened: false, options: undefined },
    codes: new Set(),
    definition: { shared: false, rules: refuse, apply: refuse },
  };
}
