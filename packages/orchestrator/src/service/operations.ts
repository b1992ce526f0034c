import type { Contract } from "@bylaw/contract";
import { Experiments, OverviewHistory } from "@bylaw/dashboard";
import { isJsonObject, messageOf, type BylawError, type Kernel } from "@bylaw/kernel";
import { COORDINATOR_TYPES, RUN_TYPES, isChainBroken, type Run } from "@bylaw/log";
import * as gating from "@bylaw/plugin-gates";
import { escalateGates } from "@bylaw/plugin-gates";
import { raiseAlerts } from "@bylaw/plugin-monitoring";
import { createStatus } from "@bylaw/plugin-status";
import type { Tasks } from "@bylaw/plugin-tasks";
import type { Store } from "@bylaw/store";
import { Approvals } from "../approvals/approvals.ts";
import { projectGates } from "../approvals/gates.ts";
import { createQuestions, type QuestionFold } from "../approvals/questions.ts";
import { Audit } from "../audit/audit.ts";
import type { OperatorList } from "../auth/operator-list.ts";
import { Refusals } from "../auth/refusals.ts";
import type { Settings } from "../config/settings.ts";
import { Feed } from "../events/feed.ts";
import { forEachInTurns } from "../events/for-each-in-turns.ts";
import { LogFollower, type LogFold } from "../events/log-follower.ts";
import { StreamLimit } from "../events/stream-limit.ts";
import type { AnswerLinks } from "../notify/answer-link.ts";
import { Notifier } from "../notify/notifier.ts";
import type { Log } from "../observe/log.ts";
import { Metrics } from "../observe/metrics.ts";
import { Scheduler, type Step } from "./scheduler.ts";
import { KEEP } from "./status-file.ts";
import { isStoreFailure } from "./store-health.ts";

interface OperationOptions {
  readonly run: Run;
  readonly store: Store;
  readonly kernel: Kernel;
  readonly contract: Contract;
  readonly tasks: Pick<Tasks, "recover">;
  readonly now: () => string;
  readonly log: Log;
  /** Whether the log turned out to be tampered with. */
  readonly broken: () => boolean;
  /** Called when reading shows that it was. */
  readonly onBreak: (error: BylawError) => void;
  readonly operators: OperatorList;
  readonly links: AnswerLinks;
  readonly notify: Settings["notify"];
  readonly refusals_per_second: number;
  /** Milliseconds between two rounds of scheduled work. */
  readonly every_ms: number;
}

const GATES = "@bylaw/plugin-gates";

/** What operators see and answer, and the scheduled work. Everything in memory here is also in the log. */
export class Operations {
  readonly follower: LogFollower;
  readonly feed: Feed;
  readonly approvals: Approvals;
  readonly audit: Audit;
  readonly status: RunStatus;
  readonly metrics: Metrics;
  readonly refusals: Refusals;
  readonly streams = new StreamLimit();
  /** What the page shows of the run. */
  readonly overview = new OverviewHistory();
  readonly experiments: Experiments;
  readonly scheduler: Scheduler;
  readonly #notifier: Notifier;
  readonly #options: OperationOptions;

  constructor(options: OperationOptions) {
    this.#options = options;
    const { run, store, kernel, contract, now, log } = options;
    const gates = kernel.declared.plugins.includes(GATES)
      ? projectGates(kernel, gating, contract)
      : undefined;
    const questions = createQuestions({ store, run: run.run, gates, hold_at: holdAt(kernel) });
    const onError = (error: unknown): void => this.#failed(error);
    this.audit = new Audit({ store, run: run.run }, () => this.follower);
    this.follower = new LogFollower(store, run.run, [
      this.audit,
      this.overview,
      foldOf(questions, onError),
    ]);
    this.feed = new Feed({ store, run: run.run, known: () => run.head, onError });
    const { follower, feed } = this;
    // Other runs of the store may belong to other servers, with other operators.
    this.experiments = new Experiments({
      events: (...of) => store.events(...of),
      runs: async () => [{ run: run.run, head: await feed.head() }],
    });
    this.approvals = new Approvals({ run, store, kernel, gates, questions, follower, feed, now });
    this.status = createRunStatus(store, run.run);
    this.metrics = new Metrics({
      types: typesOf(kernel),
      numbers: async () => ({
        stats: await this.audit.stats(),
        head: follower.head,
        open_approvals: this.approvals.list.count(),
      }),
    });
    this.refusals = new Refusals({
      run,
      per_second: options.refusals_per_second,
      time: () => Date.parse(now()),
      log,
      onRefused: (code) => this.metrics.refused(code),
    });
    const { operators, links, notify: settings, every_ms } = options;
    this.#notifier = new Notifier({
      ...{ run, store, feed, operators, links, settings, every_ms, now, log },
      questions: this.approvals.list,
    });
    this.scheduler = new Scheduler({
      steps: [...dueSteps(options), { name: "refusals", work: () => this.refusals.flush() }],
      every_ms: options.every_ms,
      log,
      paused: options.broken,
      onStep: (step, outcome) => this.metrics.stepped(step, outcome),
    });
  }

  /** Starts reading the log, and the scheduled work if events can be recorded. */
  start(): void {
    this.follower.fresh().catch((error: unknown) => this.#failed(error));
    this.scheduler.start();
    this.#notifier.start();
  }

  /** Ends streams, long polls and the scheduled work. */
  async close(): Promise<void> {
    this.feed.close();
    await Promise.all([
      this.scheduler.stop(),
      this.#notifier.close(),
      this.follower.close(),
      this.status.close(),
    ]);
  }

  #failed(error: unknown): void {
    if (isChainBroken(error)) this.#options.onBreak(error);
    else if (!isStoreFailure(error))
      this.#options.log.warn({ error: messageOf(error) }, "the log could not be read");
  }
}

/** The risk from which a person must look, as configured in the kernel's plugin. */
function holdAt({ plugins }: Kernel): number | undefined {
  const found = plugins.find(({ plugin }) => plugin.name === "@bylaw/plugin-vibecheck");
  const options = found?.instances[0]?.options;
  const at = isJsonObject(options) ? options["ask_at"] : undefined;
  return typeof at === "number" ? at : undefined;
}

/** The event types that the kernel's plugins declare, and those of a run. */
const typesOf = ({ declared }: Kernel): ReadonlySet<string> =>
  new Set([...declared.events, ...RUN_TYPES, ...COORDINATOR_TYPES].map(({ name }) => name));

/** An event that cannot be read as a question, such as an imported one, must not block all others. */
const foldOf = (questions: QuestionFold, onError: (error: unknown) => void): LogFold => ({
  add: (events) =>
    forEachInTurns(events, (event) => {
      try {
        questions.add(event);
      } catch (error) {
        onError(error);
      }
    }),
});

interface DueOptions {
  readonly run: Run;
  readonly kernel: Pick<Kernel, "declared">;
  readonly contract: Contract;
  readonly store: Pick<Store, "sweep">;
  readonly tasks: Pick<Tasks, "recover">;
  readonly now: () => string;
}

/**
 * The scheduled work of a run, depending on its plugins: tasks of lost agents, timed-out gates, alerts. It also deletes what has expired in
 * the store, except leases: those of this run are recovered with an event, and others belong to other runs.
 */
function dueSteps({
  run,
  kernel: { declared },
  contract,
  store,
  tasks,
  now,
}: DueOptions): readonly Step[] {
  const knows = (plugin: string): boolean => declared.plugins.includes(plugin);
  const steps: Step[] = [{ name: "read", work: async () => (await run.catchUp(), 0) }];
  if (knows("@bylaw/plugin-tasks"))
    steps.push({ name: "tasks", work: async () => (await tasks.recover()).length });
  if (knows("@bylaw/plugin-gates"))
    steps.push({
      name: "gates",
      work: async () => (await escalateGates(run, contract, { now })).length,
    });
  if (knows("@bylaw/plugin-monitoring"))
    steps.push({
      name: "alerts",
      work: async () => {
        const { raised, cleared } = await raiseAlerts(run, contract, { at: now() });
        return raised.length + cleared.length;
      },
    });
  // The number of deleted documents is not a number of recorded events.
  steps.push({ name: "store", work: async () => (await store.sweep(), 0) });
  return steps;
}

/** The status of the run, as in `status.json`. */
export interface RunStatus {
  /** Resolves to its text, and the sequence of the last event in it. */
  read(): Promise<{ readonly text: string; readonly head: number }>;
  close(): Promise<void>;
}

/** Reads nothing until it is asked, and then only what is new. */
function createRunStatus(store: Pick<Store, "events">, run: string): RunStatus {
  const status = createStatus({ keep: KEEP });
  const follower = new LogFollower(store, run, [status]);
  let kept = { text: "", head: -1 };
  return {
    async read() {
      await follower.fresh();
      if (kept.head !== status.head) kept = { text: status.text(), head: status.head };
      return kept;
    },
    close: () => follower.close(),
  };
}
