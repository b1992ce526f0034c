import { isBylawError } from "@bylaw/config";
import { digestJson, isJsonObject, messageOf, type Json, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { callTool, type CallContext, type Tool } from "@bylaw/tools";
import type { AgentCaller } from "../auth/caller.ts";
import { problem } from "../http/problem.ts";
import { decideCall, type Call, type Decided } from "./calls.ts";
import { answerDocument, keptAnswer, type NamedRequest } from "./requests.ts";
import type { ServiceParts } from "./service.ts";

/** What became of a call that was made: what the tool said, or why it did not. */
type Executed =
  | { readonly ok: true; readonly result: Json }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly fix: string | null };

/** A call that was decided and, where it was allowed, made. */
interface Execution extends Decided {
  readonly id: string;
  /** Left out where it was not allowed. */
  readonly executed?: Executed;
  /** The event of a question to a person. */
  readonly asked?: LogEvent;
}

/** Runs tools, at most so many at once. */
export interface Executor {
  /** Decides, makes the call, and records both. The same request is made once. */
  execute(caller: AgentCaller, call: Call, named: NamedRequest | undefined): Promise<Execution>;
}

/** Makes the executor of a node. */
export function createExecutor(service: ServiceParts): Executor {
  const { tools, settings, run, workspaceOf, over, now } = service;
  /** By the name of the request: what is being made here. */
  const underway = new Map<string, Promise<Executed>>();
  let free = settings.limits.executions;
  const waiting: (() => void)[] = [];

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  }

  async function made({ agent, task }: AgentCaller, tool: Tool<CallContext> | undefined, { tool: name, args }: Call): Promise<Executed> {
    if (tool === undefined)
      return {
        ok: false,
        code: "BYLAW_TOOL_UNKNOWN",
        message: `Unexpected tool \`${name.slice(0, 80)}\`, expected one that this server has`,
        fix: "see GET /tools",
      };
    try {
      const context = { agent, task, session: run.session, workspace: workspaceOf(task), signal: over };
      return { ok: true, result: await callTool(tool, args, context) };
    } catch (error) {
      const { code, fix = null } = isBylawError(error) ? error : { code: "BYLAW_TOOL_FAILED" };
      return { ok: false, code, message: messageOf(error), fix };
    }
  }

  async function make(id: string, caller: AgentCaller, call: Call, named: NamedRequest | undefined): Promise<Executed> {
    const began = performance.now();
    const executed = await inTurn(() => made(caller, tools.get(call.tool), call));
    const { agent, task } = caller;
    const result = { duration_ms: Math.round(performance.now() - began), ...(await tracesOf(executed)) };
    const documents = named === undefined ? [] : [answerDocument(named, executed as unknown as Json, now())];
    await run.toolResult({ id, tool: call.tool, agent, task, ok: executed.ok, result }, { documents });
    return executed;
  }

  return {
    async execute(caller, call, named) {
      const { outcome, ...decided } = await decideCall(service, caller, call, { named, own: true });
      if (decided.applied !== "allow") {
        const asked = outcome.events.find(({ event_type }) => event_type === "tool_asked");
        return asked === undefined ? decided : { ...decided, asked };
      }
      if (named === undefined) return { ...decided, executed: await make(decided.id, caller, call, named) };
      const here = underway.get(named.name);
      if (here !== undefined) return { ...decided, executed: await here };
      // Known and not replayed: it was asked for with an earlier token of the same agent, which is another question to the log.
      if (outcome.replayed === true || named.known) {
        const kept = await keptAnswer(service, named);
        if (kept !== undefined) return { ...decided, executed: keptOf(kept) };
        // It began somewhere and nobody knows whether it ended: only what changes nothing is made again.
        if (tools.get(call.tool)?.annotations.readOnlyHint !== true) throw unknownOutcome();
      }
      const making = make(decided.id, caller, call, named).finally(() => underway.delete(named.name));
      underway.set(named.name, making);
      return { ...decided, executed: await making };
    },
  };
}

const keptOf = (kept: Json): Executed =>
  isJsonObject(kept) && kept["omitted"] === true ? { ok: true, result: null } : (kept as unknown as Executed);

/** What goes on record of an answer: enough to know it again, and nothing of what is in it, which may be a secret. */
async function tracesOf(executed: Executed): Promise<JsonObject> {
  if (!executed.ok) return { error: executed.code };
  const { result } = executed;
  const exit = isJsonObject(result) && typeof result["exit_code"] === "number" ? { exit_code: result["exit_code"] } : {};
  return { ...exit, digest: await digestJson(result), chars: JSON.stringify(result).length };
}

const unknownOutcome = () =>
  problem({
    ...{ status: 409, code: "BYLAW_REQUEST_UNFINISHED" },
    detail: "Unexpected repetition of a call that began and whose end is not on record, expected one that ended",
    fix: "look at what it was to change, and make it again under a new id if it did not",
  });
