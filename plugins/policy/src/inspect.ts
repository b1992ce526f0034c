import type { PolicyFile, ToolTable } from "@bylaw/policy-language";
import { loadPool } from "./load-pool.ts";
import type { PolicyInstance } from "./options.ts";
import { systemPlaces } from "./places.ts";

/** The policies by which all uses of the plugin decide together. */
export interface PolicySources {
  /** The named and the found files, without the rules that `without` excludes. */
  readonly files: readonly PolicyFile[];
  readonly tools: ToolTable;
}

/** The compiled policies of all uses of the plugin in one kernel, for tools. Throws what loading them throws. */
export function policySources(
  instances: readonly Pick<PolicyInstance, "options" | "configFile" | "excludedRules">[],
): PolicySources {
  const { files, tools } = loadPool(instances, systemPlaces(process.platform));
  return { files, tools };
}
