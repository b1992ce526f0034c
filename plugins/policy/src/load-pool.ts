import { withoutRules, type PolicyFile, type ToolTable } from "@bylaw/policy-language";
import { digestOf, loadFound, loadPolicy } from "./load.ts";
import { mergeTools } from "./merge-tools.ts";
import type { PolicyInstance } from "./options.ts";
import type { Places } from "./places.ts";

/** What all uses of the plugin in one kernel decide by. */
export interface LoadedPool {
  /** Named and found; without the rules that `without` excludedRules. */
  readonly files: readonly PolicyFile[];
  readonly tools: ToolTable;
  /** Where the files and the configuration lie, by name and with links followed. */
  readonly sources: readonly string[];
  /** See {@link digestOf}. */
  readonly digest: () => string;
}

/** Loads the policies of all uses and of the places. Throws what loading them throws. */
export function loadPool(
  instances: readonly Pick<PolicyInstance, "options" | "configFile" | "excludedRules">[],
  places: Places,
): LoadedPool {
  const uses = instances.map((instance) => ({
    ...loadPolicy({ from: "", ...instance }),
    excludedRules: instance.excludedRules,
  }));
  const tools = mergeTools(uses.map((loaded) => loaded.tools));
  const policies = [
    ...uses,
    { ...loadFound(instances, tools, places), excludedRules: new Set<string>() },
  ];
  return {
    // `without` names a rule of one use; the same name in another use stays, and so does what is found.
    files: policies.flatMap(({ files, excludedRules }) =>
      files.map((file) => withoutRules(file, excludedRules)),
    ),
    tools,
    sources: policies.flatMap(({ sources }) => sources),
    digest: () => digestOf(policies),
  };
}
