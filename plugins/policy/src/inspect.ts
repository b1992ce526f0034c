import type { PolicyFile, ToolTable } from "@bylaw/policy-language";
import { loadPool } from "./load-pool.ts";
import type { PolicyInstance } from "./options.ts";
import { systemPlaces } from "./places.ts";

/** What the uses of the plugin decide by together. */
export interface PolicySources {
  /** Named and found; without the rules that `without` excludedRules. */
  readonly files: readonly PolicyFile[];
  readonly tools: ToolTable;
}

/** The compiled policies behind the uses of the plugin in one kernel, for tools. Throws what loading them throws. */
export function policySources(
  instances: readonly Pick<PolicyInstance, "options" | "configFile" | "excludedRules">[],
): PolicySources {
  const { files, tools } = loadPool(instances, systemPlaces(process.platform));
  return { files, tools };
}
