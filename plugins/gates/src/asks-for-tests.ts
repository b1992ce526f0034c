import type { Contract } from "@bylaw/contract";
import { declaredChecks } from "./declared.ts";
import { needsTestRun, observed, edgesOf } from "./edges.ts";

// A contract never changes, so its edges are compiled once.
const known = new WeakMap<Contract, ReturnType<typeof edgesOf>>();

/**
 * Whether a transition needs a test run. A host that runs tests itself does so before it requests
 * such a transition. False if the contract trusts the agent's report or has no `test_command`.
 */
export function transitionNeedsTests(contract: Contract, from: string, to: string): boolean {
  if (contract.evidence.source !== "observed" || !observed(contract)) return false;
  const edges =
    known.get(contract) ??
    edgesOf(contract, {
      own: new Map(),
      declared: declaredChecks(contract),
      at: (name) => ({ name }),
    });
  known.set(contract, edges);
  return (
    edges
      .get(from)
      ?.get(to)
      ?.some(({ requirements, when }) => when === "passed" && requirements.some(needsTestRun)) ===
    true
  );
}
