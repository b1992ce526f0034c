import { isBylawError } from "@bylaw/config";
import { isJsonObject, messageOf, type Json, type JsonObject, type LogEvent } from "@bylaw/kernel";
import { digestOf } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { callTool } from "@bylaw/tools";
import type { AgentCaller } from "../auth/caller.ts";
import type { Settings } from "../config/settings.ts";
import { problem } from "../http/problem.ts";
import { answerDocument, keptAnswer, type IdempotentRequest } from "../service/idempotency.ts";
import { TaskLock } from "../tasks/task-lock.ts";
import { decideCall, type Call, type CallSource, type Decided } from "./calls.ts";
import { ExecutionQueue } from "./execution-queue.ts";

/** The outcome of a call that was made: the tool's answer, or why it failed. */
type Executed =
  | { readonly ok: true; readonly result: Json }
  | {
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      readonly fix: string | null;
    };

/** A call that was decided and, if allowed, made. */
export interface Execution extends Decided {
  readonly id: string;
  /** Left out if the call was not allowed. */
  readonly executed?: Executed;
  /** The event of a question to a person. */
  readonly asked?: LogEvent;
}

/** A call that an agent asks the server to make. */
interface ExecutionRequest {
  readonly caller: AgentCaller;
  readonly call: Call;
  readonly named: IdempotentRequest | undefined;
  /** Checks the token again after a wait, and looks up the request again. */
  readonly again: () => Promise<IdempotentRequest | undefined>;
}

interface ExecutorSource extends CallSource {
  readonly settings: Settings;
  readonly store: Pick<Store, "get">;
  /** Aborted when the time for requests to end has passed. */
  readonly over: AbortSignal;
}

/** Decides about calls and runs their tools, within the limits of the node. */
export class Executor {
  readonly #source: ExecutorSource;
  /** Running and waiting executions, by the name of the request. */
  readonly #inFlight = new Map<string, Promise<Execution>>();
  readonly #queue: ExecutionQueue;
  readonly #lock: TaskLock;

  constructor(source: ExecutorSource) {
    this.#source = source;
    this.#queue = new ExecutionQueue(source.settings.limits);
    this.#lock = new TaskLock(source.settings.operate.longest_wait_ms);
  }

  /** Decides in its turn, makes the call, and records both. A repeated request is made once. */
  execute(request: ExecutionRequest): Promise<Execution> {
    const { named } = request;
    if (named === undefined) return this.#inTurn(request);
    const here = this.#inFlight.get(named.name);
    if (here !== undefined) return here;
    const running = this.#inTurn(request).finally(() => this.#inFlight.delete(named.name));
    this.#inFlight.set(named.name, running);
    return running;
  }

  /** Runs `work` while no call of the task is running. */
  still<T>(task: string, work: () => Promise<T>): Promise<T> {
    return this.#lock.move(task, work);
  }

  // The decision is made only now, because while the call waits, the task may move on or change its agent.
  #inTurn({ caller, call, named, again }: ExecutionRequest): Promise<Execution> {
    return this.#queue.take(caller.agent, (queued) =>
      this.#lock.call(caller.task, async (held) =>
        this.#decideAndRun(caller, call, queued || held ? await again() : named),
      ),
    );
  }

  async #decideAndRun(
    caller: AgentCaller,
    call: Call,
    named: IdempotentRequest | undefined,
  ): Promise<Execution> {
    const { tools, store } = this.#source;
    const { outcome, ...decided } = await decideCall(this.#source, caller, call, {
      named,
      own: true,
    });
    if (decided.applied !== "allow") {
      const asked = outcome.events.find(({ event_type }) => event_type === "tool_asked");
      return asked === undefined ? decided : { ...decided, asked };
    }
    // Known but not replayed: it was made with an earlier token of the same agent, which the log treats as another question.
    if (named !== undefined && (outcome.replayed === true || named.known)) {
      const kept = await keptAnswer(store, named);
      if (kept !== undefined) return { ...decided, executed: keptOf(kept) };
      // The call began, and it is unknown whether it ended. Only a read-only call is made again.
      if (tools.get(call.tool)?.annotations.readOnlyHint !== true) throw unknownOutcome();
    }
    return { ...decided, executed: await this.#runOnRecord(decided.id, caller, call, named) };
  }

  async #runOnRecord(
    id: string,
    caller: AgentCaller,
    call: Call,
    named: IdempotentRequest | undefined,
  ): Promise<Executed> {
    const { run, now } = this.#source;
    const { agent, task } = caller;
    const began = performance.now();
    const executed = await this.#run(caller, call);
    const result = { duration_ms: Math.round(performance.now() - began), ...tracesOf(executed) };
    const documents =
      named === undefined ? [] : [answerDocument(named, executed as unknown as Json, now())];
    const event = { id, tool: call.tool, agent, task, ok: executed.ok, result };
    await run.toolResult(event, { documents });
    return executed;
  }

  async #run({ agent, task }: AgentCaller, { tool: name, args }: Call): Promise<Executed> {
    const { tools, run, workspaceOf, over } = this.#source;
    const tool = tools.get(name);
    if (tool === undefined) {
      const message = `This server has no tool \`${name.slice(0, 80)}\``;
      return { ok: false, code: "BYLAW_TOOL_UNKNOWN", message, fix: "See GET /tools." };
    }
    try {
      const about = { agent, task, session: run.session };
      const context = { ...about, workspace: workspaceOf(task), signal: over };
      return { ok: true, result: await callTool(tool, args, context) };
    } catch (error) {
      const { code, fix = null } = isBylawError(error) ? error : { code: "BYLAW_TOOL_FAILED" };
      return { ok: false, code, message: messageOf(error), fix };
    }
  }
}

const keptOf = (kept: Json): Executed =>
  isJsonObject(kept) && kept["omitted"] === true
    ? { ok: true, result: null }
    : (kept as unknown as Executed);

/** The traces of an answer for the log: enough to recognize it, but none of its content, which may be secret. */
function tracesOf(executed: Executed): JsonObject {
  if (!executed.ok) return { error: executed.code };
  const { result } = executed;
  const exit =
    isJsonObject(result) && typeof result["exit_code"] === "number"
      ? { exit_code: result["exit_code"] }
      : {};
  return { ...exit, digest: digestOf(result), chars: JSON.stringify(result).length };
}

const unknownOutcome = () =>
  problem({
    status: 409,
    code: "BYLAW_REQUEST_UNFINISHED",
    detail: "This call began, and it is unknown whether it ended",
    fix: "Check whether it had its effect. If not, make it again under a new request id.",
  });
