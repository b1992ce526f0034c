import type { Contract } from "@bylaw/contract";
import { declaredChecks } from "./declared.ts";
import { asksForRun, observed, waysOf } from "./ways.ts";

// A contract does not change: its ways are made once.
const known = new WeakMap<Contract, ReturnType<typeof waysOf>>();

/**
 * Whether something on the way from a phase to another is judged on a test run. A host that observes tests itself does so before it asks
 * for such a transition. Where the contract takes an agent's word, or has no `test_command`, nothing is.
 */
export function asksForTests(contract: Contract, from: string, to: string): boolean {
  if (contract.evidence.source !== "observed" || !observed(contract)) return false;
  const ways = known.get(contract) ?? waysOf(contract, { own: new Map(), declared: declaredChecks(contract), at: (name) => ({ name }) });
  known.set(contract, ways);
  return (
    ways
      .get(from)
      ?.get(to)
      ?.some(({ demands, when }) => when === "passed" && demands.some(asksForRun)) === true
  );
}
