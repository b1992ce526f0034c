import { ARTIFACT_RULES, GATE_CHECKS } from "@bylaw/contract";
import { deny, type Verdict } from "@bylaw/kernel";
import { oneLine, prose, quote } from "@bylaw/wording";
import type { Finding } from "./checks/check-input.ts";
import { note, refuse } from "./codes.ts";
import type { Edge, Requirement } from "./edges.ts";
import type { Waiver } from "./gate-state.ts";
import type { JudgedRequest } from "./judged-request.ts";
import { COMMIT_TESTED } from "./tested-commit.ts";
import { TREE_UNCHANGED } from "./tested-tree.ts";

/**
 * Turns a finding about a requirement into a denial, or into a note if the requirement only warns
 * or is waived.
 */
export function verdictOf(
  finding: Finding,
  requirement: Requirement,
  edge: Edge,
  one: JudgedRequest,
): Verdict {
  const { check, rule } = requirement;
  const { kind, detail, fix } = finding;
  const name = finding.as ?? check.check;
  const named = finding.as === undefined ? rule : { ...rule, name: `${rule.name}.${finding.as}` };
  const text = `${oneLine(check.message, 500)}: ${oneLine(detail, 2_000)} (checked by ${quote(name)})`;
  if (kind === "broken") return deny(text, fix, { code: "check_failed", rule: named });
  const waiver = waiverOf(finding, requirement, edge, one);
  if (waiver !== undefined)
    return note(
      "gate_waived",
      named,
      `${text}; waived by ${quote(waiver.by)} until ${waiver.expires_at}: ${prose(waiver.reason, 500)}`,
    );
  if (kind === "note" || check.severity === "warning")
    return note("gate_warning", named, text, fix);
  return refuse(
    kind === "stale" ? "gate_stale" : "gate_blocked",
    named,
    text,
    fix ?? `Ask again when ${passesWhen(check.check)}`,
  );
}

const passesWhen = (check: string): string =>
  (check === TREE_UNCHANGED ? "the workspace is the one that was tested" : undefined) ??
  (check === COMMIT_TESTED ? "the commit holds exactly what was tested" : undefined) ??
  (Object.hasOwn(GATE_CHECKS, check) ? GATE_CHECKS[check]?.passes : undefined) ??
  (Object.hasOwn(ARTIFACT_RULES, check) ? ARTIFACT_RULES[check] : undefined) ??
  "the check passes";

export function waiverOf(
  { kind, as }: Finding,
  { check }: Requirement,
  { gate, phase }: Edge,
  { gateState, request }: JudgedRequest,
): Waiver | undefined {
  if (kind === "broken" || kind === "note" || request.at === undefined) return undefined;
  const at = Date.parse(request.at);
  const name = as ?? check.check;
  const gates = [gate?.id ?? phase.id];
  return gateState.waivers.find(
    (one) => gates.includes(one.gate) && one.check === name && at < Date.parse(one.expires_at),
  );
}
