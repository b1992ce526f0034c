import { Faults } from "@bylaw/kernel";
import { withoutRules, type PolicyFile, type ToolTable } from "@bylaw/policy-language";
import { digestOf, loadFound, loadPolicy } from "./load.ts";
import { mergeTools } from "./merge-tools.ts";
import type { PolicyInstance } from "./options.ts";
import type { Places } from "./places.ts";

/** The rules by which all uses of the plugin in one kernel decide. */
export interface LoadedPool {
  /** The named and the found files, without the rules that `without` excludes. */
  readonly files: readonly PolicyFile[];
  readonly tools: ToolTable;
  /** The paths of the files and the configuration, as named and with links resolved. */
  readonly sources: readonly string[];
  /** See {@link digestOf}. */
  readonly digest: () => string;
}

/** Loads the policies of all uses and all places. Throws what loading them throws. */
export function loadPool(
  instances: readonly Pick<PolicyInstance, "options" | "configFile" | "excludedRules">[],
  places: Places,
): LoadedPool {
  const faults = new Faults();
  const uses = instances.flatMap(
    (instance) =>
      faults.attempt(() => ({
        ...loadPolicy({ from: "", ...instance }),
        excludedRules: instance.excludedRules,
      })) ?? [],
  );
  faults.throwAll();
  const tools = mergeTools(uses.map((loaded) => loaded.tools));
  const policies = [
    ...uses,
    { ...loadFound(instances, tools, places), excludedRules: new Set<string>() },
  ];
  return {
    // `without` names a rule of one use. Rules with the same name in another use or in a found file stay.
    files: policies.flatMap(({ files, excludedRules }) =>
      files.map((file) => withoutRules(file, excludedRules)),
    ),
    tools,
    sources: policies.flatMap(({ sources }) => sources),
    digest: () => digestOf(policies),
  };
}
