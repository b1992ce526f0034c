import { basename, dirname, extname, join } from "node:path";
import { BylawError, type JsonObject, type LogEvent } from "@bylaw/kernel";
import type { Recordable } from "@bylaw/log";
import { endMarked } from "@bylaw/process";
import { tryStep, type Attempt } from "../step/attempt.ts";
import { makeControlFolder, readControl, removeControl, setControlAside } from "../step/control-file.ts";
import { frameKey, next, type Move, type Start } from "./next.ts";
import type { WorkflowEnd, WorkflowOptions } from "./options.ts";
import type { Frame } from "./standing.ts";
import { workflowState } from "./state.ts";

/**
 * Runs a workflow from where its log says that it stands, until it has ended or a person has to do something. May be called again after
 * a crash, in another process and on another machine. Throws BYLAW_TEMPLATE_CHANGED where the run is one of another template,
 * BYLAW_CONTROL_FILE_UNUSABLE, what the run throws, and the reason of an aborted signal.
 */
export async function runWorkflow(options: WorkflowOptions): Promise<WorkflowEnd> {
  const { run, template, definition, signal } = options;
  const { started } = run.view(workflowState);
  if (started !== null && started.definition !== definition) throw templateChanged(started.template);
  makeControlFolder(options.controlFile);
  const read = new Set<string>();
  for (;;) {
    signal?.throwIfAborted();
    const move = next(template, run.view(workflowState), read);
    const end = endOf(move, options);
    if (end !== undefined) return end;
    await perform(move, options, read);
  }
}

/** What is thrown where a run is one of another template. */
export const templateChanged = (template: string): BylawError =>
  new BylawError({
    code: "BYLAW_TEMPLATE_CHANGED",
    message: `Unexpected template, expected \`${template}\` as it was when the run began`,
    fix: "take the old template back, or begin another run",
  });

function endOf(move: Move, { run }: WorkflowOptions): WorkflowEnd | undefined {
  const { hold, pauses, ended } = run.view(workflowState);
  if (move.do === "held") return { outcome: "held", step: hold?.step ?? null, why: hold?.why ?? null, reason: hold?.message ?? null };
  if (move.do === "paused") return { outcome: "paused", step: pauses[0]?.step ?? null, why: null, reason: pauses[0]?.reason ?? null };
  if (move.do !== "ended") return undefined;
  return { outcome: ended?.outcome === "stopped" ? "stopped" : "completed", step: null, why: null, reason: ended?.reason ?? null };
}

async function perform(move: Move, options: WorkflowOptions, read: Set<string>): Promise<void> {
  const { template, definition, from = 0 } = options;
  const put = (...drafts: readonly Recordable[]): Promise<void> => record(options, drafts);
  switch (move.do) {
    case "begin":
      return put(draft("workflow_started", null, { template: template.name, definition, steps: template.steps.length, from }));
    case "end":
      return put(draft("workflow_ended", null, { outcome: move.outcome, step: move.step, reason: move.reason }));
    case "hold":
      return put(draft("workflow_held", null, { step: move.step, why: move.why, message: move.message }));
    case "enter":
      if (move.skips.length > 0)
        await put(
          ...move.skips.map(({ step, index, next: after, why }) =>
            draft("step_skipped", step.agent, { step: step.id, index, next: after, why }),
          ),
        );
      return move.starts.length === 0 ? undefined : start(options, move.starts);
    case "run":
      return start(options, move.starts);
    case "ask":
      return ask(options, move, read);
    case "oversee":
      return oversee(options, move);
    case "call": {
      const { unit, agent, attempt, step } = move;
      if (attempt > 1) endLeft(options, step);
      await clear(options, step.id, controlFileOf(options, step));
      await put(draft("call_started", agent, { step: step.id, agent, attempt }));
      const { ended } = await tryStep(options, {
        step,
        agent,
        own: false,
        attempt,
        visit: unit.visit,
        controlFile: controlFileOf(options, step),
      });
      return put(draft("call_completed", agent, { step: step.id, agent, attempt, ...json(ended) }));
    }
    case "return":
      return put(draft("agent_returned", move.agent, { agent: move.agent, ok: move.ok }));
    case "settle": {
      const { unit, next: after, loop } = move;
      const to = loop === null ? null : { to: loop.to, skip: [...loop.skip] };
      return put(draft("step_settled", unit.frames[0]?.agent ?? null, { step: unit.step, next: after, loop: to }));
    }
    default:
      return undefined;
  }
}

async function start(options: WorkflowOptions, starts: readonly Start[]): Promise<void> {
  for (const { step, attempt } of starts) {
    if (attempt > 1) endLeft(options, step);
    await clear(options, step.id, controlFileOf(options, step));
  }
  const agentOf = ({ step, fallback }: Start): string | null => (fallback ? step.fallback : step.agent);
  await record(
    options,
    starts.map((one) => {
      const { step, index, next: after, visit, attempt, fallback } = one;
      return draft("step_started", agentOf(one), { step: step.id, index, next: after, visit, attempt, fallback });
    }),
  );
  const results = await Promise.allSettled(
    starts.map(async (one) => {
      const { step, attempt, visit, fallback } = one;
      const work: Attempt = { step, agent: agentOf(one), own: !fallback, attempt, visit, controlFile: controlFileOf(options, step) };
      const { ended, output } = await tryStep(options, work);
      await record(options, [draft("step_completed", agentOf(one), { step: step.id, attempt, ...json(ended), output })]);
    }),
  );
  // None of them is left behind before the first failure is told.
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

const endLeft = (options: WorkflowOptions, step: Start["step"]): void =>
  endMarked({ BYLAW_RUN: options.run.run, BYLAW_STEP: step.id, BYLAW_CONTROL_FILE: controlFileOf(options, step) });

// What lies there before a step begins was not written in it.
async function clear(options: WorkflowOptions, step: string, file: string): Promise<void> {
  const found = readControl(file);
  if (found.state === "none") return;
  await record(options, [draft("control_file_set_aside", null, { step, why: "stale", digest: found.digest })]);
  setControlAside(file);
}

async function ask(
  options: WorkflowOptions,
  { unit, frame, step }: Extract<Move, { readonly do: "ask" | "oversee" }>,
  read: Set<string>,
): Promise<void> {
  const { run, definition } = options;
  const file = controlFileOf(options, step);
  const found = readControl(file);
  const aside = async (why: string): Promise<void> => {
    await record(options, [
      draft("control_file_set_aside", frame.agent, { step: step.id, why, digest: found.state === "none" ? null : found.digest }),
    ]);
    setControlAside(file);
  };
  if (found.state === "broken") {
    if (!unit.released.includes("control_file"))
      await record(options, [draft("workflow_held", frame.agent, { step: step.id, why: "control_file", message: found.message })]);
    setControlAside(file);
  } else if (found.state === "read") {
    const { action } = found;
    if (isOnRecord(frame, action)) removeControl(file);
    else if (frame.asked === "granted") await aside("second");
    else if (action.run !== null && action.run !== run.run) await aside("other_run");
    else if (action.step !== null && action.step !== step.id) await aside("other_step");
    else {
      const outcome = await run.behave({
        action: action.action,
        step: step.id,
        ...(frame.agent === null ? {} : { agent: frame.agent }),
        ...(action.reason === null ? {} : { reason: action.reason }),
        ...(action.triggerAgentId === null ? {} : { trigger_agent_id: action.triggerAgentId }),
        host: { definition, control: found.digest },
      });
      if (outcome.events.length === 0) throw unrecorded(outcome.decision.reason);
      options.onEvents?.(outcome.events);
      removeControl(file);
    }
  }
  read.add(frameKey(unit));
}

const isOnRecord = (
  { request }: Frame,
  { action, reason, triggerAgentId }: { readonly action: string; readonly reason: string | null; readonly triggerAgentId: string | null },
): boolean => request !== null && request.action === action && request.reason === reason && request.target === triggerAgentId;

const unrecorded = (reason: string): BylawError => new BylawError({ code: "BYLAW_EVENT_REFUSED", message: reason });

async function oversee(options: WorkflowOptions, { unit, frame, step }: Extract<Move, { readonly do: "ask" | "oversee" }>): Promise<void> {
  const { template, run } = options;
  const plan = template.steps.map(({ id }) => id).slice(0, 200);
  const question = {
    kind: step.kind,
    goal: template.description === "" ? template.name : template.description,
    plan: `Step ${step.id} of: ${plan.join(", ")}`,
    agent: frame.agent,
    step: unit.step,
  };
  if (options.oversee === undefined)
    return record(options, [
      draft("oversight_failed", frame.agent, {
        by: "nobody",
        error: "Unexpected request for oversight, expected a template that says who gives it",
      }),
    ]);
  const before = run.head;
  await options.oversee(question);
  await run.catchUp();
  if (run.head === before) throw unrecorded("Unexpected oversight that is not on record, expected its event");
  return undefined;
}

async function record({ run, onEvents }: WorkflowOptions, drafts: readonly Recordable[]): Promise<void> {
  const events: readonly LogEvent[] = await run.record(drafts);
  onEvents?.(events);
}

const draft = (event_type: string, agent_id: string | null, details: JsonObject): Recordable => ({
  event_type,
  agent_id,
  task_id: null,
  details,
});

const json = (value: object): JsonObject => ({ ...value }) as JsonObject;

// Steps that run at once have a file each.
function controlFileOf(
  { controlFile }: WorkflowOptions,
  { id, parallel }: { readonly id: string; readonly parallel: string | null },
): string {
  if (parallel === null) return controlFile;
  const ending = extname(controlFile);
  return join(dirname(controlFile), `${basename(controlFile, ending)}.${id}${ending}`);
}
