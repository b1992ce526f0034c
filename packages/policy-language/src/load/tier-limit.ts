import type { Effect } from "@bylaw/kernel";
import type { Findings, Path } from "./findings.ts";
import { TIERS, type RuleSource, type Tier } from "../compile/rule.ts";

/** Where a policy file can be found without being named, by the tier of the place. */
export type PolicyPlace = Tier;

interface Bounds {
  /** Agents could write the file. */
  readonly lowered: boolean;
  readonly place: PolicyPlace | undefined;
  /** The rule says its priority. */
  readonly stated: boolean;
}

/**
 * The tier at which a rule counts. An allow counts at most as what the file is: `workspace` where agents could write it, else its place.
 * A deny or an ask keeps what it says; where it says nothing in a file of the admin or the user it counts at their tier.
 */
export function boundTier(
  source: RuleSource,
  { lowered, place, stated }: Bounds,
  path: Path,
  findings: Pick<Findings, "warn">,
): RuleSource {
  const { tier, effect } = source;
  if (effect !== "allow")
    return stated || (place !== "admin" && place !== "user") ? source : { ...source, tier: place };
  const caps = [
    ...(lowered ? (["workspace"] as const) : []),
    ...(place === undefined ? [] : [place]),
  ];
  const cap = TIERS.findLast((one) => caps.includes(one));
  if (cap === undefined || TIERS.indexOf(tier) >= TIERS.indexOf(cap)) return source;
  findings.warn(
    [...path, "priority"],
    `An allow rule in a file ${lowered ? "inside the workspace" : `of the ${WHOSE[cap]}`} counts as priority \`${cap}\`, not \`${tier}\``,
    lowered
      ? "agents could write this file; keep allow rules of a higher tier outside the workspace, or vouch for the file with `operator: true`"
      : "Leave the priority out, or name the file in the option `files`",
  );
  return { ...source, tier: cap };
}

/** The `default` that counts: an allow in a file that agents could write is left out. */
export function boundDefault(
  given: Effect | undefined,
  { lowered }: Pick<Bounds, "lowered">,
  findings: Pick<Findings, "warn">,
): Effect | undefined {
  if (!lowered || given !== "allow") return given;
  findings.warn(
    ["default"],
    '`default = "allow"` is ignored in a file inside the workspace',
    "agents could write this file; set the fallback in bylaw.config, or vouch for the file with `operator: true`",
  );
  return undefined;
}

const WHOSE: Readonly<Record<PolicyPlace, string>> = {
  admin: "admin",
  user: "user",
  workspace: "workspace",
  default: "system",
};
