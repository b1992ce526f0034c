import { resolve } from "node:path";
import type { Contract } from "@bylaw/contract";
import { observeTests, type Observed } from "@bylaw/evidence";
import { BylawError } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { containmentObstacle, type ContainmentObstacle } from "@bylaw/process";
import type { Settings } from "../config/settings.ts";

/** The work whose tests run, and where. */
interface TestedWork {
  readonly task: string;
  readonly agent: string;
  readonly workspace: string;
  /** Ends the tests. Then nothing is recorded. */
  readonly signal: AbortSignal;
}

/**
 * Runs the tests of the contract and records the result. The tests of one task run once at a time on this node, and a second request gets
 * the running one's result.
 */
export type TestObserver = (work: TestedWork) => Promise<Observed>;

interface ObserverOptions extends Pick<Settings["tools"], "contain" | "allow_root" | "wrap"> {
  readonly run: Run;
  readonly contract: Contract;
  /** Files and folders that the tests cannot read. */
  readonly hidden: readonly string[];
  /** Files and folders that the tests cannot write. */
  readonly protect: readonly string[];
}

/**
 * Creates the function that runs the tests. Tests execute code of agents as the service's user, so they see as little of the service as the
 * agents' shell commands.
 */
export function createTestObserver({
  run,
  contract,
  contain,
  allow_root: allowRoot,
  wrap,
  hidden,
  protect,
}: ObserverOptions): TestObserver {
  const inFlight = new Map<string, Promise<Observed>>();

  async function observe(work: TestedWork): Promise<Observed> {
    const { workspace } = work;
    if (wrap.length > 0)
      return observeTests(run, contract, { ...work, wrap: (argv) => [...wrap, ...argv] });
    if (contain === "never") return observeTests(run, contract, work);
    const obstacle =
      contain === "always" ? containmentObstacle(workspace, { allowRoot }) : undefined;
    if (obstacle !== undefined) throw notContained(obstacle);
    const at = (paths: readonly string[]): readonly string[] =>
      paths.map((path) => resolve(workspace, path));
    return observeTests(run, contract, {
      ...work,
      contain: { hide: at(hidden), protect: at(protect), allowRoot },
    });
  }

  return (work) => {
    const seen = inFlight.get(work.task) ?? observe(work).finally(() => inFlight.delete(work.task));
    inFlight.set(work.task, seen);
    return seen;
  };
}

const notContained = ({ reason, fix }: ContainmentObstacle): BylawError =>
  new BylawError({
    code: "BYLAW_TEST_COMMAND_FAILED",
    message: `The tests did not start, because they cannot be contained: ${reason}`,
    fix: `${fix}. Or set \`tools.contain\` to \`possible\`.`,
  });
