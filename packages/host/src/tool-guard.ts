import { homedir } from "node:os";
import {
  BylawError,
  canonicalJson,
  checkArgument,
  freezeJson,
  messageOf,
  omitUndefined,
  type Decision,
  type JsonObject,
  type ToolCall,
} from "@bylaw/kernel";
import { callQuestionId, currentPhases, digestOf, phaseOf, type Outcome } from "@bylaw/log";
import { StoreConflict } from "@bylaw/store";
import { callFromFields } from "./call.ts";
import { changedCall, isSettled } from "./guard-offer.ts";
import type {
  GuardedCall,
  PersonAnswer,
  ToolAnswer,
  ToolGuard,
  ToolGuardOptions,
} from "./guard-contract.ts";
import { lowerDenial, reasonOf } from "./lower.ts";

/**
 * Creates a guard for the tools of an agent framework that records in a run. Throws BYLAW_OPTIONS_INVALID if `options` is not an
 * object literal.
 */
export const createToolGuard = (options: ToolGuardOptions): ToolGuard =>
  new RunGuard(checkArgument("createToolGuard", "options", options));

type Call = Omit<ToolCall, "hook"> & { readonly id: string };

/** The most allowed calls to remember until they start. A forgotten call is judged again. */
const REMEMBERED = 1_000;
const APPROVAL_MS = 60_000;
/** The codes with which a phase refuses a tool, whatever its arguments are. */
const REFUSES_TOOL: ReadonlySet<string> = new Set([
  ...["phase_task_missing", "phase_not_entered", "phase_unknown", "phase_task_completed"],
  ...["phase_tool_forbidden", "phase_tool_not_allowed"],
]);

class RunGuard implements ToolGuard {
  readonly #options: ToolGuardOptions;
  readonly #policy: string;
  /** The answers of calls that are being judged, or that may start. */
  readonly #judged = new Map<string, Promise<ToolAnswer>>();

  constructor(options: ToolGuardOptions) {
    this.#options = options;
    this.#policy = digestOf(options.kernel.policy);
  }

  readonly judge: ToolGuard["judge"] = (given) =>
    closed(async () => {
      const call = this.#callOf(given);
      const key = this.#keyOf(call);
      return await (this.#judged.get(key) ?? this.#remember(key, this.#decide(call)));
    });

  readonly answer: ToolGuard["answer"] = (given, answer) =>
    closed(async () => {
      const call = this.#callOf(given);
      const key = this.#keyOf(call);
      this.#judged.delete(key);
      const settled = await this.#settle(call, answer);
      // Stored only after recording, so that the same answer given twice at the same time cannot replace it.
      return settled.kind === "run" ? this.#remember(key, Promise.resolve(settled)) : settled;
    });

  readonly start: ToolGuard["start"] = (given, answered) =>
    closed(async () => {
      const call = this.#callOf(given);
      const key = this.#keyOf(call);
      const judged = this.#judged.get(key);
      // Deleted before the first await, so that one answer starts only one call.
      this.#judged.delete(key);
      if (answered !== undefined) return await this.#settle(call, answered);
      return await (judged ?? this.#answerTo(call, await this.#options.run.toolCall(call)));
    });

  readonly finish: ToolGuard["finish"] = async (given, { ok, result = null }) => {
    const call = this.#callOf(given);
    // If the framework starts calls by itself, `start` has not used up the answer.
    this.#judged.delete(this.#keyOf(call));
    const { id, tool, agent, task } = call;
    await this.#options.run.toolResult({ id, tool, ok, result, ...omitUndefined({ agent, task }) });
  };

  readonly run: ToolGuard["run"] = async (given, work, answered) => {
    // A call without an id gets one here, so that its end has the same one.
    const call = { ...given, id: given.id ?? crypto.randomUUID() };
    const answer = await this.start(call, answered);
    if (answer.kind !== "run") throw refusalError(answer);
    let outcome: { readonly ok: boolean; readonly result?: JsonObject } = { ok: false };
    try {
      const result = await work(answer.args, answer.changed);
      outcome = { ok: true, ...exitOf(result) };
      return result;
    } finally {
      await this.finish(call, outcome);
    }
  };

  readonly allowedTools: ToolGuard["allowedTools"] = async (tools, caller = {}) => {
    const { kernel, run } = this.#options;
    const allowed = await Promise.all(
      tools.map(async (tool) => {
        const call = this.#callOf({ ...caller, tool, args: {} });
        const subject = { ...call, hook: "beforeToolCall", run: run.run } as const;
        const phase = this.#phaseOf(call);
        const decision = await kernel.decide({ ...subject, ...omitUndefined({ phase }) }, run.view);
        return decision.applied !== "deny" || !refusesTool(decision);
      }),
    );
    return tools.filter((_, at) => allowed[at] === true);
  };

  readonly respond: ToolGuard["respond"] = async (given) => {
    const { run, host, agent, task } = this.#options;
    try {
      const response = { ...omitUndefined({ agent, task }), host: { name: host }, ...given };
      const { applied, decision } = await run.respond(response);
      if (applied === "allow") return { kind: "accepted" };
      return { kind: decision.recovery === "end" ? "end" : "retry", message: reasonOf(decision) };
    } catch (error) {
      return { kind: "end", message: fault(error) };
    }
  };

  async #decide(call: Call): Promise<ToolAnswer> {
    const { run } = this.#options;
    const asked = await run.toolCall(call, { request_id: this.#requestOf(call) });
    // A question stays as the person saw it. Any other decision may be outdated.
    const stale = asked.replayed === true && asked.applied !== "ask_user";
    return await this.#answerTo(call, stale ? await run.toolCall(call) : asked);
  }

  /** The answer to a call that a model just made. Another call may run instead. */
  async #answerTo(call: Call, outcome: Outcome): Promise<ToolAnswer> {
    const { run } = this.#options;
    const request_id = this.#requestOf(call);
    const taken = await changedCall({ run, call, outcome, request_id });
    if (taken.call === undefined) return this.#answerOf(call, { ...outcome, ...taken });
    const changed = reasonOf(outcome.decision);
    return { kind: "run", args: copyOf(taken.call), changed };
  }

  async #settle(call: Call, { approved, by = "user", reason }: PersonAnswer): Promise<ToolAnswer> {
    const { run } = this.#options;
    const request_id = this.#requestOf(call);
    // A question gets one answer, in whichever process it arrives. The answer's document is committed with the question, so an
    // answer to a question that was never asked is used up at once and cannot create one for the next answer.
    const id = digestOf({ run: run.run, request_id, ...call });
    const documents = [{ kind: "answer", id, value: by, if_version: 0 } as const];
    const asked = await run.toolCall(call, { request_id, documents });
    const [question] = asked.events;
    if (asked.replayed !== true || question === undefined) return this.#answerOf(call, asked);
    if (asked.applied !== "ask_user") return this.#answerOf(call, await run.toolCall(call));
    if (await isSettled({ run, call, outcome: asked, request_id }))
      return { kind: "deny", reason: NOT_ASKED };
    if (!approved) {
      const why = reason?.trim() || "no reason given";
      await run.refuse({ asked: question.sequence, by, reason: why }, { documents });
      return { kind: "deny", reason: `A person (${by}) refused this call: ${why}` };
    }
    const expires_at = new Date(Date.parse(run.now()) + APPROVAL_MS).toISOString();
    await run.approve(
      { subject: { ...call, hook: "beforeToolCall" }, by, expires_at },
      { documents },
    );
    return this.#answerOf(call, await run.toolCall(call));
  }

  // With the policy and the phase, because under another one the same call is another question.
  #requestOf(call: Call): string {
    return canonicalJson([call.session ?? "", call.id, this.#policy, this.#phaseOf(call) ?? ""]);
  }

  #answerOf(call: Call, { applied, decision, events }: Outcome): ToolAnswer {
    if (applied === "allow") return { kind: "run", args: copyOf(call) };
    const reason = reasonOf(decision);
    const [event] = events;
    return applied === "deny" || event === undefined
      ? lowerDenial(decision, { halts: true })
      : { kind: "ask", reason, question: callQuestionId(this.#options.run.run, event) };
  }

  #remember(key: string, answer: Promise<ToolAnswer>): Promise<ToolAnswer> {
    this.#judged.set(key, answer);
    const forget = (): void => {
      if (this.#judged.get(key) === answer) this.#judged.delete(key);
    };
    answer.then(({ kind }) => kind === "run" || forget(), forget);
    const [oldest] = this.#judged.keys();
    if (this.#judged.size > REMEMBERED && oldest !== undefined) this.#judged.delete(oldest);
    return answer;
  }

  #callOf(given: GuardedCall): Call {
    const {
      host,
      cwd = process.cwd(),
      workspace,
      home = homedir(),
      interactive = true,
    } = this.#options;
    const { agent, task, session } = this.#options;
    const call = callFromFields({
      agent,
      session,
      ...omitUndefined(given),
      tool: given.tool,
      args: freezeJson(given.args),
      ...{ host, cwd: given.cwd ?? cwd, workspace: workspace ?? cwd, home },
    });
    return {
      ...call,
      interactive,
      id: call.id ?? crypto.randomUUID(),
      ...omitUndefined({ task: given.task ?? task }),
    };
  }

  #phaseOf({ task }: Call): string | undefined {
    return task === undefined ? undefined : phaseOf(this.#options.run.view(currentPhases), task);
  }

  // With the phase, so that an answer does not outlive it.
  #keyOf(call: Call): string {
    const { session = "", id, agent = "", task = "", server = "", cwd = "", tool, args } = call;
    return canonicalJson([
      session,
      id,
      agent,
      task,
      server,
      cwd,
      tool,
      args,
      this.#phaseOf(call) ?? "",
    ]);
  }
}

const copyOf = ({ args }: Pick<ToolCall, "args">): JsonObject =>
  structuredClone(args) as JsonObject;

const refusesTool = ({ votes }: Decision): boolean =>
  votes.some(
    ({ code, effect, shadow }) => effect === "deny" && shadow !== true && REFUSES_TOOL.has(code),
  );

// Records only the exit code of a result, which marks of policies need. The rest may be large or secret.
function exitOf(result: unknown): { readonly result?: JsonObject } {
  const { exit_code, exitCode = exit_code } = (result ?? {}) as Readonly<Record<string, unknown>>;
  return typeof exitCode === "number" ? { result: { exit_code: exitCode } } : {};
}

/** The error of a call that must not run, with the reason for the model. */
export const refusalError = (answer: Exclude<ToolAnswer, { readonly kind: "run" }>): BylawError =>
  new BylawError({
    code: "BYLAW_TOOL_REFUSED",
    message:
      answer.kind === "ask"
        ? `${answer.reason} A person must approve this call first (question \`${answer.question}\`).`
        : answer.reason,
  });

const NOT_ASKED = "This question was answered before, or nobody asked it.";

const fault = (error: unknown): string =>
  error instanceof StoreConflict ? NOT_ASKED : `Bylaw could not judge this: ${messageOf(error)}`;

async function closed(work: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
  try {
    return await work();
  } catch (error) {
    return { kind: "deny", reason: fault(error) };
  }
}
