import type { OptionSpec } from "../command-line/command.ts";
import { usageError } from "../io/report-error.ts";
import { withPackages } from "./package-place.ts";
import { readRuleset, type RulesetPackage } from "./ruleset-package.ts";
import { verifyPackage, type Verified } from "./verify-package.ts";

export const AGAINST_OPTION = [
  "--against <package>",
  "the version that users have: a folder, a tarball, or NAME@VERSION from the registry",
] as const satisfies OptionSpec;

/** Verifies the package that the command line names. Throws BYLAW_USAGE_INVALID if `against` is another ruleset. */
export async function verifyNamed(
  named: string,
  against: string | undefined,
): Promise<{ readonly ruleset: RulesetPackage; readonly verified: Verified }> {
  const all = against === undefined ? [named] : [named, against];
  return await withPackages(all, async (places) => {
    const [ruleset, old] = await Promise.all(places.map(readRuleset));
    if (ruleset === undefined) throw new TypeError("no package");
    checkSameName(ruleset, old ?? ruleset);
    return { ruleset, verified: await verifyPackage(ruleset, old) };
  });
}

/** Throws BYLAW_USAGE_INVALID if the packages have different names, because nobody upgrades from one to the other. */
export function checkSameName({ name }: RulesetPackage, { name: other }: RulesetPackage): void {
  if (name !== other)
    throw usageError(
      `${name} cannot be compared with ${other}`,
      "Name two versions of one ruleset",
    );
}
