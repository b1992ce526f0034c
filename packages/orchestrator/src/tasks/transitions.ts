import { COMPLETED } from "@bylaw/contract";
import {
  messageOf,
  omitUndefined,
  type Decision,
  type JsonObject,
  type LogEvent,
} from "@bylaw/kernel";
import { currentPhases, phaseOf, type Outcome } from "@bylaw/log";
import { asksForTests, blockersOf, type Blocker } from "@bylaw/plugin-gates";
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
  /** What blocks the transition, one entry a cause. */
  readonly blockers: readonly Blocker[];
  /** The result of the test run for this request, if the task did not move on. */
  readonly test_run: SeenTests | null;
  /** What a contract calls a warning. */
  readonly notes: readonly string[];
  readonly sequence: number | null;
  readonly phase: string | null;
  /** Where the task went on: the token of its phase, unless it is completed or in other hands by now. */
  readonly granted: Granted | undefined;
  /** What somebody is to do now. */
  readonly directives: readonly OpenDirective[];
}

/** The part of a test run that an agent needs to fix what failed. */
interface SeenTests {
  readonly exit_code: number | null;
  readonly counts: JsonObject | null;
  /** Ids of tests, with their files: the first 20. */
  readonly failed: readonly string[];
  /** The end of the output, standard error last. */
  readonly output: string;
}

/**
 * Asks for a transition, after the tests were seen that it is judged on, and hands out the token of the phase that it leads to. No call is
 * made at the task meanwhile. Throws the problem of calls that take too long.
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
  // What was asked before is answered from the log, whatever the tests come to now.
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
    // The store is told that the task is over; if this fails the next claim of anybody does it.
    if (to === COMPLETED) await tasks.recover().catch(() => {});
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
      moved && phase === to && to !== COMPLETED ? await tokens.tokenFor(task, agent) : undefined,
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
  if (!settings.observe_tests || from === undefined || !asksForTests(contract, from, to))
    return null;
  try {
    const work = { agent, task, workspace: workspaceOf(task), signal: over };
    const { evidence, output } = await observeTestsOf(work);
    const { exit_code, counts, tests } = evidence;
    const failed = tests?.failed.slice(0, FAILED_SHOWN) ?? [];
    return { exit_code, counts, failed, output: service.conceal(output).slice(-OUTPUT_SHOWN) };
  } catch (error) {
    over.throwIfAborted();
    // What could not be seen is no evidence: the gate says what it lacks.
    log.warn({ task, err: messageOf(error) }, "the tests could not be run");
    return null;
  }
}

/** The most failed tests, and the most characters of output, that an agent is shown. */
const [FAILED_SHOWN, OUTPUT_SHOWN] = [20, 4_000];

/** What a decision says of a way that the contract does not have: the request is at fault, and not the work. */
const NO_WAY: ReadonlySet<string> = new Set([
  "phase_target_unknown",
  "phase_transition_undeclared",
  "phase_not_initial",
  "phase_not_last",
  "phase_task_ended",
  "phase_unknown",
]);

/** The vote that says that the contract has no such way. */
export const undeclaredTransition = ({ votes }: Decision): Vote | undefined =>
  votes.find(({ code }) => NO_WAY.has(code));

/** The vote that says that the request did not come from who holds the task. */
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
