import type { PolicyFinding } from "@bylaw/policy-language";
import { withVersionB } from "./experiment.ts";
import { loadFound, loadPolicy } from "./load.ts";
import type { PolicyInstance } from "./options.ts";
import { systemPlaces } from "./places.ts";
import { createPolicyPlugin } from "./policy-plugin.ts";

const places = () => systemPlaces(process.platform);

/** Decides tool calls by TOML policy files. All its uses form one pool of rules and give one vote. */
export const policy = createPolicyPlugin(places);

type Instance = PolicyInstance;

/** Warnings about the policies of one use: former spellings, lowered rules. Throws what loading them throws. */
export function policyWarnings(
  instance: Pick<Instance, "options" | "configFile">,
): readonly PolicyFinding[] {
  const use = { from: "", excludedRules: new Set<string>(), ...instance };
  const { files, tools } = loadPolicy(use);
  const others = use.options.experiment === undefined ? [] : loadPolicy(withVersionB(use)).files;
  return [...files, ...others, ...loadFound([instance], tools, places()).files].flatMap(
    ({ warnings }) => warnings,
  );
}
