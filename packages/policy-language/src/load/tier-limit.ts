import type { Effect } from "@bylaw/kernel";
import type { Findings, Path } from "./findings.ts";
import { TIERS, type RuleSource, type Tier } from "../compile/rule.ts";

/** The tier of the location where a policy file was discovered. */
export type PolicyPlace = Tier;

interface Bounds {
  /** Whether agents could write the file. */
  readonly lowered: boolean;
  readonly place: PolicyPlace | undefined;
  /** Whether the rule states its priority. */
  readonly stated: boolean;
}

/**
 * Returns the rule with the tier that counts. The file limits the tier of an allow: to `workspace` if agents could
 * write it, otherwise to its location. A deny or an ask keeps its own tier. Without a stated one, it gets the tier of
 * the location, if that is `admin` or `user`.
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
      ? "Agents could write this file. Keep allow rules of a higher tier outside the workspace, or vouch for the file with `operator: true`"
      : "Omit the priority, or name the file in the option `files`",
  );
  return { ...source, tier: cap };
}

/** Returns the rule without an `instead` that agents could have written. */
export function boundOffer(
  source: RuleSource,
  { lowered, place }: Pick<Bounds, "lowered" | "place">,
  path: Path,
  findings: Pick<Findings, "warn">,
): RuleSource {
  if (source.instead === undefined || !(lowered || place === "workspace")) return source;
  findings.warn(
    [...path, "instead"],
    "`instead` is ignored in a file inside the workspace",
    "Agents could write this file. Keep the rule outside the workspace, or vouch for the file with `operator: true`",
  );
  return { ...source, instead: undefined };
}

/** Returns the `default` of a file. Ignores an allow if agents could write the file. */
export function boundDefault(
  given: Effect | undefined,
  { lowered }: Pick<Bounds, "lowered">,
  findings: Pick<Findings, "warn">,
): Effect | undefined {
  if (!lowered || given !== "allow") return given;
  findings.warn(
    ["default"],
    '`default = "allow"` is ignored in a file inside the workspace',
    "Agents could write this file. Set the fallback in bylaw.config, or vouch for the file with `operator: true`",
  );
  return undefined;
}

const WHOSE: Readonly<Record<PolicyPlace, string>> = {
  admin: "admin",
  user: "user",
  workspace: "workspace",
  default: "system",
};
