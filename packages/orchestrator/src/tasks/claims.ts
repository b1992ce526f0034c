import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { BylawError } from "@bylaw/kernel";
import { currentPhases, phaseOf, treeGet, type Run } from "@bylaw/log";
import { taskBoard, type ClaimRequest, type HeldTask } from "@bylaw/plugin-tasks";
import { problem } from "../http/problem.ts";
import { CREATED_BY_CLAIM, countHeldBy, hasPlannedTasks } from "./holders.ts";
import { hostFacts } from "./host-facts.ts";
import { issueDue } from "./issue-due.ts";
import type { Service } from "../service/service.ts";
import type { Granted } from "./token-issuer.ts";

/** A claimed task with the token for its phase. */
export interface Claimed {
  readonly held: HeldTask;
  readonly granted: Granted;
}

interface WaitingClaim extends ClaimRequest {
  /** How long to wait for a task, in milliseconds. */
  readonly wait_ms: number;
  readonly signal: AbortSignal;
}

/** How often a waiting claim looks for changes, in milliseconds. */
const LOOK_MS = 1_000;
/** How often it tries even without changes, in milliseconds, because a lease may have ended. */
const ASK_MS = 5_000;

/** Gives an agent a task and moves it into its first phase. Resolves to `undefined` if none became available in time. */
export async function claim(
  service: Service,
  { wait_ms, signal, ...request }: WaitingClaim,
): Promise<Claimed | undefined> {
  const { run, settings, operations } = service;
  const until = Date.now() + Math.min(wait_ms, settings.tasks.longest_wait_ms);
  let leave: (() => void) | undefined;
  try {
    for (;;) {
      const asked = Date.now();
      const claimed = await claimNow(service, request);
      if (claimed !== undefined || Date.now() >= until || isOver(service, request)) return claimed;
      // Every waiting claim is retried after each event, so one agent may have only a few.
      leave ??= operations.streams.enter(`waiting ${request.agent}`);
      if (leave === undefined) return undefined;
      const { head } = run;
      do {
        const left = until - Date.now();
        if (left <= 0 || signal.aborted) return undefined;
        await sleep(Math.min(left, LOOK_MS), undefined, { signal }).catch(() => {});
        await look(run);
      } while (run.head === head && Date.now() - asked < ASK_MS);
    }
  } finally {
    leave?.();
  }
}

/** Whether the named task can never become available again. */
const isOver = ({ run }: Service, { task }: ClaimRequest): boolean =>
  task !== undefined && treeGet(run.view(taskBoard).tasks, task)?.status === "completed";

/** Gives an agent an available task, or creates one if claims may do so. */
async function claimNow(service: Service, request: ClaimRequest): Promise<Claimed | undefined> {
  const { tasks, run, settings } = service;
  for (;;) {
    const held = await tasks.claim(request).catch((error: unknown) => {
      // The guard refuses it on any node.
      throw isRefused(error) && !mayHold(service, request.agent) ? tooMany(service) : error;
    });
    const claimed = held === undefined ? undefined : await begun(service, held);
    if (
      claimed !== undefined ||
      !settings.tasks.create_on_claim ||
      request.task !== undefined ||
      hasPlannedTasks(run.view)
    )
      return claimed;
    if (!mayHold(service, request.agent)) throw tooMany(service);
    const id = `${CREATED_BY_CLAIM}${randomBytes(4).toString("hex")}`;
    // The agent's capabilities are not requirements of the task. If it is given back, any agent may take it.
    await tasks.create({ id });
  }
}

/** Whether an agent may hold one more task. */
const mayHold = ({ run, settings: { tasks } }: Service, agent: string): boolean =>
  tasks.per_agent === 0 || countHeldBy(run.view, agent) < tasks.per_agent;

const isRefused = (error: unknown): boolean =>
  error instanceof BylawError && error.code === "BYLAW_EVENT_REFUSED";

const tooMany = ({ settings: { tasks } }: Service) =>
  problem({
    status: 409,
    code: "task_too_many",
    detail: `This agent holds ${tasks.per_agent} tasks already, which is the most it may`,
    fix: "Complete a task or give one back. The setting `tasks.per_agent` is the limit.",
  });

const looking = new WeakMap<Run, Promise<void>>();

/** Reads what other nodes have recorded, once for all waiting claims. */
function look(run: Run): Promise<void> {
  const going = looking.get(run);
  if (going !== undefined) return going;
  const reading = run.catchUp().finally(() => looking.delete(run));
  looking.set(run, reading);
  return reading;
}

// After a crash between the claim and the first phase, a repeated claim continues there.
async function begun(service: Service, held: HeldTask): Promise<Claimed | undefined> {
  const { tokens, run, contract } = service;
  const { task, agent, fence } = held;
  let granted = await tokens.tokenFor(task, agent);
  if (granted !== undefined && granted.phase === null) {
    const host = hostFacts(service, { task, token: granted.phase_token, fence });
    const { applied } = await run.transition({
      agent,
      task,
      to: contract.initial,
      artifacts: {},
      host,
    });
    if (applied === "allow") {
      await issueDue(run, contract, { task });
      granted = await tokens.tokenFor(task, agent);
    }
  }
  return (
    granted && { held: { ...held, phase: phaseOf(run.view(currentPhases), task) ?? null }, granted }
  );
}
