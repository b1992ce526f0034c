import type { Contract } from "@bylaw/contract";
import { EVIDENCE } from "./checks/test-results.ts";
import { declaredChecks } from "./declared.ts";

/**
 * Whether something on the way from a phase to another is judged on a test run. A host that observes tests itself does so before it asks
 * for such a transition. Where the contract takes an agent's word, or has no `test_command`, nothing is.
 */
export function asksForTests(contract: Contract, from: string, to: string): boolean {
  const { transitions, gates, phases, evidence } = contract;
  if (evidence.source !== "observed" || evidence.testCommand === undefined) return false;
  const declared = declaredChecks(contract);
  const ways = transitions.filter((way) => way.from === from && way.to === to && way.when === "passed");
  if (ways.length === 0) return false;
  const rules = phases.find(({ id }) => id === from)?.artifacts.flatMap((artifact) => artifact.rules) ?? [];
  const checks = ways.flatMap(({ gate }) => gates.find(({ id, phase }) => id === gate && phase === from)?.checks ?? []);
  return [...rules, ...checks].some(({ check }) => EVIDENCE.has(check) || declared.get(check)?.evidence === true);
}
