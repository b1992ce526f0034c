import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import {
  proxyEvents,
  toolChanged,
  type ProxyJudge,
  type RecordedQuestion,
  type ToolChange,
} from "@bylaw/host-mcp/proxy";
import { omitUndefined, type Decision, type Kernel, type ToolCall } from "@bylaw/kernel";
import { callQuestionId, currentPhases, openRun, phaseOf, type Run } from "@bylaw/log";
import { hasOperators, operatorsFile } from "@bylaw/orchestrator/approvals";
import { askRun, decideHere, leaveToHost } from "../decide/ask-run.ts";
import { loadKernelFor } from "../decide/kernel-source.ts";
import { storePlace, withStore } from "../log/open-store.ts";
import { deniedOutright } from "./denied-outright.ts";

/** The place where questions are recorded. */
export interface ProxyRecords {
  readonly kernel: Kernel;
  /** Absolute path of the configuration. */
  readonly config: string;
  /** The value of `--store`. */
  readonly store: string;
  readonly run: string;
}

/** The time, in milliseconds, in which an approval in the client must be used by the waiting call. */
const APPROVAL_MS = 60_000;

/**
 * Records what happened to a tool of a server. Another kernel than the judge's declares the event, because a kernel with one more plugin is
 * another policy, under which nobody could answer the questions of this one.
 */
export async function recordChange(
  { config, store, run: name }: Omit<ProxyRecords, "kernel">,
  server: string,
  change: ToolChange,
): Promise<void> {
  const kernel = await loadKernelFor({ config, more: [proxyEvents()] });
  await withStore(storePlace(store), { create: true }, async (opened) => {
    const run = await openRun(kernel, { run: name, store: opened, join: true });
    try {
      await run.record([{ ...toolChanged(server, change), agent_id: null, task_id: null }]);
    } finally {
      await run.close();
    }
  });
}

/** Judges calls without recording them, and records only questions. In a step of `bylaw run`, it also asks the run. */
export function looseJudge(records: ProxyRecords): ProxyJudge {
  const { kernel } = records;
  const inStep = (process.env["BYLAW_MCP_URL"] ?? "") !== "";
  const inRun = <T>(work: (run: Run) => Promise<T>): Promise<T> =>
    withStore(storePlace(records.store), { create: true }, async (store) => {
      const run = await openRun(kernel, { run: records.run, store, join: true });
      try {
        return await work(run);
      } finally {
        await run.close();
      }
    });
  return {
    decide: (call, options) => (inStep ? decideHere(kernel, call, options) : kernel.decide(call)),
    hides: (call) => deniedOutright(kernel, call),
    async record(call) {
      const asked = await askRun(call);
      const silent = asked === undefined || asked.decision.code === "fallback";
      if (!silent && asked.decision.applied !== "allow") return asked;
      const { answer, ...question } = await recorded(records, call, inRun);
      const known = { ...question, decision: await leaveToHost(call, question.decision, asked) };
      if (answer === undefined) return known;
      return {
        ...known,
        answer: async (verdict) => leaveToHost(call, await answer(verdict), asked),
      };
    },
  };
}

/** Judges and records every call in a run. The phase of a task is the one in the run's log. */
export function runJudge(records: ProxyRecords, run: Run): ProxyJudge {
  const { kernel } = records;
  const current = async (call: ToolCall): Promise<ToolCall> => {
    await run.catchUp();
    const phase = call.task === undefined ? undefined : phaseOf(run.view(currentPhases), call.task);
    return { ...call, run: run.run, ...omitUndefined({ phase }) };
  };
  return {
    async decide(call, options) {
      const decision = await kernel.decide(await current(call), run.view);
      // A question is recorded when somebody is asked, or when another call may run instead.
      return decision.applied === "ask_user" && decision.instead === undefined
        ? decision
        : (await run.toolCall(call, options)).decision;
    },
    hides: async (call) => deniedOutright(kernel, await current(call), run.view),
    record: (call) => recorded(records, call, (work) => work(run)),
  };
}

async function recorded(
  { store, run: name, config }: ProxyRecords,
  call: ToolCall,
  inRun: <T>(work: (run: Run) => Promise<T>) => Promise<T>,
): Promise<RecordedQuestion> {
  const { decision, events } = await inRun(async (run) => {
    await run.catchUp();
    return await run.toolCall(call);
  });
  const [event] = events;
  const question = event === undefined ? "ID" : callQuestionId(name, event);
  const answer_with = `\`bylaw approve yes ${question} --store ${store} --run ${name} --config ${config} --by NAME\``;
  if (event === undefined || hasOperators(operatorsFile(config))) return { decision, answer_with };
  return {
    decision,
    answer_with,
    answer: (verdict) =>
      inRun(async (run): Promise<Decision> => {
        const by = userInfo().username;
        if (verdict === "rejected") {
          await run.refuse({ asked: event.sequence, by, reason: "Rejected in the MCP client" });
          return decision;
        }
        const expires_at = new Date(Date.parse(run.now()) + APPROVAL_MS).toISOString();
        await run.approve({ subject: call, by, expires_at });
        return (await run.toolCall({ ...call, id: randomUUID() })).decision;
      }),
  };
}
