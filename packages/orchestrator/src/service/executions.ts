import { isBylawError } from "@bylaw/config";
import { isJsonObject, messageOf, type Json, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { digestOf } from "@bylaw/log";
import { callTool, type CallContext, type Tool } from "@bylaw/tools";
import type { AgentCaller } from "../auth/caller.ts";
import { problem } from "../http/problem.ts";
import { decideCall, type Call, type Decided } from "./calls.ts";
import { answerDocument, keptAnswer, type NamedRequest } from "./requests.ts";
import type { ServiceParts } from "./service.ts";
import { createStillness } from "./stillness.ts";
import { createTurns } from "./turns.ts";

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

/** What an agent asks to have made. */
interface Request {
  readonly caller: AgentCaller;
  readonly call: Call;
  readonly named: NamedRequest | undefined;
  /** Holds whoever had to wait to its token once more, and looks again what is known of the request. */
  readonly again: () => Promise<NamedRequest | undefined>;
}

/** Runs tools, at most so many at once. */
export interface Executor {
  /** Decides when there is a turn for it, makes the call, and records both. The same request is made once. */
  execute(request: Request): Promise<Execution>;
  /** Works while no call is made at a task. */
  still<T>(task: string, work: () => Promise<T>): Promise<T>;
}

/** Makes the executor of a node. */
export function createExecutor(service: ServiceParts): Executor {
  const { tools, settings, run, workspaceOf, over, now } = service;
  /** By the name of the request: what is being made here, or waits for it. */
  const underway = new Map<string, Promise<Execution>>();
  const turns = createTurns(settings.limits);
  const stillness = createStillness(settings.operate.longest_wait_ms);

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
    const executed = await made(caller, tools.get(call.tool), call);
    const { agent, task } = caller;
    const result = { duration_ms: Math.round(performance.now() - began), ...tracesOf(executed) };
    const documents = named === undefined ? [] : [answerDocument(named, executed as unknown as Json, now())];
    await run.toolResult({ id, tool: call.tool, agent, task, ok: executed.ok, result }, { documents });
    return executed;
  }

  async function decideAndMake(caller: AgentCaller, call: Call, named: NamedRequest | undefined): Promise<Execution> {
    const { outcome, ...decided } = await decideCall(service, caller, call, { named, own: true });
    if (decided.applied !== "allow") {
      const asked = outcome.events.find(({ event_type }) => event_type === "tool_asked");
      return asked === undefined ? decided : { ...decided, asked };
    }
    // Known and not replayed: it was asked for with an earlier token of the same agent, which is another question to the log.
    if (named !== undefined && (outcome.replayed === true || named.known)) {
      const kept = await keptAnswer(service, named);
      if (kept !== undefined) return { ...decided, executed: keptOf(kept) };
      // It began somewhere and nobody knows whether it ended: only what changes nothing is made again.
      if (tools.get(call.tool)?.annotations.readOnlyHint !== true) throw unknownOutcome();
    }
    return { ...decided, executed: await make(decided.id, caller, call, named) };
  }

  // Decided when it is made and not before: until then the task may move on, or be somebody else's.
  const inTurn = ({ caller, call, named, again }: Request): Promise<Execution> =>
    turns.take(caller.agent, (queued) =>
      stillness.call(caller.task, async (held) => decideAndMake(caller, call, queued || held ? await again() : named)),
    );

  return {
    execute(request) {
      const { named } = request;
      if (named === undefined) return inTurn(request);
      const here = underway.get(named.name);
      if (here !== undefined) return here;
      const making = inTurn(request).finally(() => underway.delete(named.name));
      underway.set(named.name, making);
      return making;
    },
    still: (task, work) => stillness.move(task, work),
  };
}

const keptOf = (kept: Json): Executed =>
  isJsonObject(kept) && kept["omitted"] === true ? { ok: true, result: null } : (kept as unknown as Executed);

/** What goes on record of an answer: enough to know it again, and nothing of what is in it, which may be a secret. */
function tracesOf(executed: Executed): JsonObject {
  if (!executed.ok) return { error: executed.code };
  const { result } = executed;
  const exit = isJsonObject(result) && typeof result["exit_code"] === "number" ? { exit_code: result["exit_code"] } : {};
  return { ...exit, digest: digestOf(result), chars: JSON.stringify(result).length };
}

const unknownOutcome = () =>
  problem({
    ...{ status: 409, code: "BYLAW_REQUEST_UNFINISHED" },
    detail: "Unexpected repetition of a call that began and whose end is not on record, expected one that ended",
    fix: "look at what it was to change, and make it again under a new id if it did not",
  });
