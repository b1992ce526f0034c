import { COMPLETED_PHASE } from "@bylaw/contract";
import {
  messageOf,
  omitUndefined,
  type Decision,
  type JsonObject,
  type LogEvent,
} from "@bylaw/kernel";
import { currentPhases, phaseOf, type Outcome } from "@bylaw/log";
import { transitionNeedsTests, blockersOf, type Blocker } from "@bylaw/plugin-gates";
import { openDirectives, type OpenDirective } from "@bylaw/plugin-phases";
import type { AgentCaller } from "../auth/caller.ts";
import { hostFacts } from "./host-facts.ts";
import { issueDue } from "./issue-due.ts";
import type { IdempotentRequest } from "../service/idempotency.ts";
import type { Service } from "../service/service.ts";
import type { Granted } from "./token-issuer.ts";

type Vote = Decision["votes"][number];

export interface TransitionRequest {
  readonly to: string;
  readonly artifacts: JsonObject;
  readonly reason?: string | undefined;
  readonly named: IdempotentRequest | undefined;
}

export interface TransitionResult {
  readonly outcome: Outcome;
  /** What blocks the transition, one entry for each cause. */
  readonly blockers: readonly Blocker[];
  /** The result of the test run for this request, if the task did not move on. */
  readonly test_run: SeenTests | null;
  /** The warnings of the contract. */
  readonly notes: readonly string[];
  readonly sequence: number | null;
  readonly phase: string | null;
  /** The token of the new phase. Left out if the task did not move, is completed, or belongs to another agent by now. */
  readonly granted: Granted | undefined;
  /** The directives that are open now. */
  readonly directives: readonly OpenDirective[];
}

/** The part of a test run that an agent needs to fix what failed. */
interface SeenTests {
  readonly exit_code: number | null;
  readonly counts: JsonObject | null;
  /** Ids of the first 20 failed tests, with their files. */
  readonly failed: readonly string[];
  /** The end of the output, standard error last. */
  readonly output: string;
}

/**
 * Requests a transition after running the tests on which it depends, and issues the token of the new phase. No call of the task runs
 * meanwhile. Throws the problem of calls that take too long.
 */
export const transition = (
  service: Service,
  caller: AgentCaller,
  request: TransitionRequest,
): Promise<TransitionResult> =>
  service.executor.still(caller.task, () => move(service, caller, request));

async function move(
  service: Service,
  { agent, task, token, fence }: AgentCaller,
  request: TransitionRequest,
): Promise<TransitionResult> {
  const { run, contract, tokens, tasks } = service;
  const { to, artifacts, reason, named } = request;
  // A repeated request gets its answer from the log, whatever the tests give now.
  const seen = named?.known === true ? null : await observe(service, { agent, task, to });
  const outcome = await run.transition(
    {
      agent,
      task,
      to,
      artifacts,
      host: hostFacts(service, { task, token, fence }),
      ...omitUndefined({ reason, request_id: named?.request_id }),
    },
    named === undefined ? {} : { documents: named.documents },
  );
  const { decision, applied, events } = outcome;
  const notes = decision.votes.filter(({ severity }) => severity === "warning");
  const moved = applied === "allow";
  if (moved) {
    await issueDue(run, contract, { task });
    // Tells the store that the task is over. If this fails, the next claim of any agent does it.
    if (to === COMPLETED_PHASE) await tasks.recover().catch(() => {});
  }
  const phase = phaseOf(run.view(currentPhases), task) ?? null;
  return {
    outcome,
    blockers: moved ? [] : blockersOf(contract, decision),
    test_run: moved ? null : seen,
    notes: notes.map(({ reason: why }) => why),
    sequence: sequenceOf(events),
    phase,
    granted:
      moved && phase === to && to !== COMPLETED_PHASE
        ? await tokens.tokenFor(task, agent)
        : undefined,
    directives: moved ? openDirectives(run.view).filter((one) => one.task === task) : [],
  };
}

const sequenceOf = (events: readonly LogEvent[]): number | null => events.at(-1)?.sequence ?? null;

interface Observation {
  readonly agent: string;
  readonly task: string;
  readonly to: string;
}

async function observe(
  service: Service,
  { agent, task, to }: Observation,
): Promise<SeenTests | null> {
  const { run, contract, settings, workspaceOf, observeTestsOf, over, log } = service;
  const from = phaseOf(run.view(currentPhases), task);
  if (!settings.observe_tests || from === undefined || !transitionNeedsTests(contract, from, to))
    return null;
  try {
    const work = { agent, task, workspace: workspaceOf(task), signal: over };
    const { evidence, output } = await observeTestsOf(work);
    const { exit_code, counts, tests } = evidence;
    const failed = tests?.failed.slice(0, FAILED_SHOWN) ?? [];
    return { exit_code, counts, failed, output: service.conceal(output).slice(-OUTPUT_SHOWN) };
  } catch (error) {
    over.throwIfAborted();
    // Without a test run there is no evidence, and the gate reports what it lacks.
    log.warn({ task, err: messageOf(error) }, "the tests could not be run");
    return null;
  }
}

/** The most failed tests, and the most characters of output, that an agent gets. */
const [FAILED_SHOWN, OUTPUT_SHOWN] = [20, 4_000];

/** Codes of decisions about a transition that the contract lacks: the request is wrong, not the work. */
const NO_WAY: ReadonlySet<string> = new Set([
  "phase_target_unknown",
  "phase_transition_undeclared",
  "phase_not_initial",
  "phase_not_last",
  "phase_task_ended",
  "phase_unknown",
]);

/** The vote against a transition that the contract lacks. */
export const undeclaredTransition = ({ votes }: Decision): Vote | undefined =>
  votes.find(({ code }) => NO_WAY.has(code));

/** The vote against a request that did not come from the holder of the task. */
export const notHolder = ({ votes }: Decision): Vote | undefined =>
  votes.find(
    ({ code, effect }) => effect === "deny" && (code.startsWith("token_") || HOLDER.has(code)),
  );

const HOLDER: ReadonlySet<string> = new Set([
  "task_other_agent",
  "task_fence_stale",
  "task_lease_over",
  "task_not_claimed",
  "phase_task_completed",
  "task_over",
]);
