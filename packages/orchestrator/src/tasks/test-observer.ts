import { resolve } from "node:path";
import type { Contract } from "@bylaw/contract";
import { observeTests, type Observed } from "@bylaw/evidence";
import { BylawError } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { obstacleTo, type Obstacle } from "@bylaw/process";
import type { Settings } from "../config/settings.ts";

/** Whose tests are run, and where. */
interface TestedWork {
  readonly task: string;
  readonly agent: string;
  readonly workspace: string;
  /** Ends the run; nothing is recorded then. */
  readonly signal: AbortSignal;
}

/** Runs the tests of the contract and records what was seen. Of one task they are run once at a time on this node: who comes second gets that run. */
export type TestObserver = (work: TestedWork) => Promise<Observed>;

interface TestTerms extends Pick<Settings["tools"], "contain" | "allow_root" | "wrap"> {
  readonly run: Run;
  readonly contract: Contract;
  /** Files and folders that the tests do not see. */
  readonly hidden: readonly string[];
  /** Files and folders that the tests do not write. */
  readonly protect: readonly string[];
}

/** Makes what runs the tests. What agents wrote runs as the user of the service: it sees as little of it as what their lines start. */
export function createTestObserver({
  run,
  contract,
  contain,
  allow_root: allowRoot,
  wrap,
  hidden,
  protect,
}: TestTerms): TestObserver {
  const inFlight = new Map<string, Promise<Observed>>();

  async function observe(work: TestedWork): Promise<Observed> {
    const { workspace } = work;
    if (wrap.length > 0)
      return observeTests(run, contract, { ...work, wrap: (argv) => [...wrap, ...argv] });
    if (contain === "never") return observeTests(run, contract, work);
    const obstacle = contain === "always" ? obstacleTo(workspace, { allowRoot }) : undefined;
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

const notContained = ({ reason, fix }: Obstacle): BylawError =>
  new BylawError({
    code: "BYLAW_TEST_COMMAND_FAILED",
    message: `The tests did not start, because they cannot be contained: ${reason}`,
    fix: `${fix}. Or set \`tools.contain\` to \`possible\`.`,
  });
