import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { currentPhases, phaseOf, treeEntries, type Run } from "@bylaw/log";
import { issueDirectives } from "@bylaw/plugin-phases";
import { taskBoard, type ClaimWish, type HeldTask } from "@bylaw/plugin-tasks";
import { hostFor } from "./host.ts";
import type { Service } from "./service.ts";
import type { Granted } from "./tokens.ts";

/** A task in the hands of an agent, with the token for the phase that it is in. */
export interface Claimed {
  readonly held: HeldTask;
  readonly granted: Granted;
}

interface Wish extends ClaimWish {
  /** How long to wait for a task, in milliseconds. */
  readonly wait_ms: number;
  readonly signal: AbortSignal;
}

/** How often those who wait look whether something has changed. */
const LOOK_MS = 1_000;
/** How often they ask although nothing has: a lease may be over. */
const ASK_MS = 5_000;
/** How the name of a task begins that a claim made. */
const MADE = "claim-";

/** Gives an agent a task and takes it into its first phase. Nothing where none became free in time. */
export async function claim(service: Service, { wait_ms, signal, ...wish }: Wish): Promise<Claimed | undefined> {
  const { tasks, run, settings } = service;
  const until = Date.now() + Math.min(wait_ms, settings.tasks.longest_wait_ms);
  for (;;) {
    const asked = Date.now();
    const held = await tasks.claim(wish);
    const claimed = held === undefined ? undefined : await begun(service, held);
    if (claimed !== undefined) return claimed;
    if (settings.tasks.create_on_claim && wish.task === undefined && isOfClaims(service)) {
      const id = `${MADE}${randomBytes(4).toString("hex")}`;
      await tasks.create({ id, ...(wish.capabilities === undefined ? {} : { capabilities: wish.capabilities.slice(0, 64) }) });
      continue;
    }
    const { head } = run;
    do {
      const left = until - Date.now();
      if (left <= 0 || signal.aborted) return undefined;
      await sleep(Math.min(left, LOOK_MS), undefined, { signal }).catch(() => {});
      await look(run);
    } while (run.head === head && Date.now() - asked < ASK_MS);
  }
}

/** Whether nobody but claims ever created a task. */
function isOfClaims({ run }: Service): boolean {
  for (const [id] of treeEntries(run.view(taskBoard).tasks)) if (!id.startsWith(MADE)) return false;
  return true;
}

const looking = new WeakMap<Run, Promise<void>>();

/** Reads what other nodes have recorded: once for all that wait here. */
function look(run: Run): Promise<void> {
  const going = looking.get(run);
  if (going !== undefined) return going;
  const reading = run.catchUp().finally(() => looking.delete(run));
  looking.set(run, reading);
  return reading;
}

// A crash may have come between the claim and the first phase: whoever asks again goes on from there.
async function begun(service: Service, held: HeldTask): Promise<Claimed | undefined> {
  const { tokens, run, contract } = service;
  const { task, agent, fence } = held;
  let granted = await tokens.tokenFor(task, agent);
  if (granted !== undefined && granted.phase === null) {
    const host = hostFor(service, { task, token: granted.phase_token, fence });
    const { applied } = await run.transition({ agent, task, to: contract.initial, artifacts: {}, host });
    if (applied === "allow") {
      await issueDirectives(run, contract, { task });
      granted = await tokens.tokenFor(task, agent);
    }
  }
  return granted && { held: { ...held, phase: phaseOf(run.view(currentPhases), task) ?? null }, granted };
}
