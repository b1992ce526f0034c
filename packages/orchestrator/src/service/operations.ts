import type { Log } from "../observe/logger.ts";
import type { Contract } from "@bylaw/contract";
import { messageOf, type BylawError, type Kernel } from "@bylaw/kernel";
import { COORDINATOR_TYPES, RUN_TYPES, isChainBroken, type Run } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import * as gating from "@bylaw/plugin-gates";
import type { Tasks } from "@bylaw/plugin-tasks";
import { createQuestions, projectGates } from "../approvals/index.ts";
import { createMetrics, type Metrics } from "../observe/metrics.ts";
import { Approvals } from "../approvals/approvals.ts";
import { createAudit, type Audit } from "../audit/audit.ts";
import { dueSteps } from "./due-steps.ts";
import { createScheduler, type Scheduler } from "./scheduler.ts";
import { createFeed, type Feed } from "../events/feed.ts";
import { createLogFollower, type LogFollower } from "../events/log-follower.ts";
import { inSlices } from "../events/in-slices.ts";
import { createRefusals, type Refusals } from "../auth/refusals.ts";
import { createRunStatus, type RunStatus } from "./status.ts";
import { isStoreFailure } from "./store-health.ts";
import { createStreamLimit, type StreamLimit } from "../events/stream-limit.ts";

/** What operators look at and answer, and what time makes due. All that is in memory here the log has too. */
export interface Operations {
  readonly follower: LogFollower;
  readonly feed: Feed;
  readonly approvals: Approvals;
  readonly audit: Audit;
  readonly status: RunStatus;
  readonly metrics: Metrics;
  readonly refusals: Refusals;
  readonly streams: StreamLimit;
  readonly scheduler: Scheduler;
  /** Begins to read the log, and to do what is due where events can be recorded. */
  start(): void;
  /** Ends streams and long polls, and what is due. */
  close(): Promise<void>;
}

interface OperationTerms {
  readonly run: Run;
  readonly store: Store;
  readonly kernel: Kernel;
  readonly contract: Contract;
  readonly tasks: Pick<Tasks, "recover">;
  readonly now: () => string;
  readonly log: Log;
  /** Whether the log turned out to be changed. */
  readonly broken: () => boolean;
  /** Is told where it does so as it is read. */
  readonly onBreak: (error: BylawError) => void;
  readonly refusals_per_second: number;
  /** Milliseconds from one look at what is due to the next. */
  readonly every_ms: number;
}

const GATES = "@bylaw/plugin-gates";

export function createOperations(terms: OperationTerms): Operations {
  const { run, store, kernel, contract, tasks, now, log } = terms;
  const gates = kernel.declared.plugins.includes(GATES)
    ? projectGates(kernel, gating, contract)
    : undefined;
  const failed = (error: unknown): void => {
    if (isChainBroken(error)) terms.onBreak(error);
    else if (!isStoreFailure(error))
      log.warn({ error: messageOf(error) }, "the log could not be read");
  };
  const questions = createQuestions({ store, run: run.run, gates });
  const own = (): LogFollower => follower;
  const audit = createAudit({ store, run: run.run }, own);
  const status = createRunStatus(store, run.run);
  const asked = {
    add: (events: Parameters<Audit["add"]>[0]) =>
      inSlices(events, (event) => {
        try {
          questions.add(event);
        } catch (error) {
          // An event that cannot be read as a question, such as one that was imported, must not keep all others from being read.
          failed(error);
        }
      }),
  };
  const follower = createLogFollower(store, run.run, [audit, asked]);
  const feed = createFeed({ store, run: run.run, known: () => run.head, onError: failed });
  const approvals = new Approvals({ run, store, kernel, gates, questions, follower, feed, now });
  const types = new Set([
    ...kernel.declared.events.map(({ name }) => name),
    ...[...RUN_TYPES, ...COORDINATOR_TYPES].map(({ name }) => name),
  ]);
  const metrics = createMetrics({
    types,
    numbers: async () => ({
      stats: await audit.stats(),
      head: follower.head,
      open_approvals: approvals.count(),
    }),
  });
  const refusals = createRefusals({
    run,
    per_second: terms.refusals_per_second,
    time: () => Date.parse(now()),
    log,
    onRefused: (code) => metrics.refused(code),
  });
  const steps = [
    ...dueSteps({ run, kernel, contract, store, tasks, now }),
    { name: "refusals", work: () => refusals.flush() },
  ];
  const scheduler = createScheduler({
    steps,
    every_ms: terms.every_ms,
    log,
    paused: terms.broken,
    onStep: (step, outcome) => metrics.stepped(step, outcome),
  });
  return {
    follower,
    feed,
    approvals,
    audit,
    status,
    metrics,
    refusals,
    streams: createStreamLimit(),
    scheduler,
    start() {
      follower.fresh().catch(failed);
      scheduler.start();
    },
    async close() {
      feed.close();
      await Promise.all([scheduler.stop(), follower.close(), status.close()]);
    },
  };
}
