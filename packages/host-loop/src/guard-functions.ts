import { parseJson } from "@bylaw/config";
import {
  createToolGuard,
  type GuardedCall,
  type PersonAnswer,
  type ToolGuard,
  type ToolGuardOptions,
} from "@bylaw/host";
import { BylawError, messageOf } from "@bylaw/kernel";

/** A call that a person must approve. */
export interface Question {
  readonly tool: string;
  readonly args: unknown;
  readonly reason: string;
  /** The id of the question for `bylaw approve`. */
  readonly question: string;
}

/** The options of {@link guardFunctions}. */
export interface GuardOptions extends Omit<ToolGuardOptions, "host"> {
  /** Asks a person and waits for the answer. If left out, the call is refused, and can be made again with an answer. */
  readonly ask?: (question: Question) => PersonAnswer | Promise<PersonAnswer>;
}

/** The functions of an agent, by the name of the tool. */
export type ToolFunctions = Readonly<Record<string, (args: never) => unknown>>;

/** A call by a model. */
export interface ToolUse {
  readonly id: string;
  readonly tool: string;
  /** An object, or JSON text as in the OpenAI API. */
  readonly args: unknown;
}

/** The result of a call, for the model. */
export interface ToolOutput {
  readonly ok: boolean;
  /** The result as text or JSON, or the reason why there is none. */
  readonly content: string;
  /** The question, if a person must answer first. Then make the call again with the answer, in any process. */
  readonly question?: string;
}

/** Functions that run only allowed calls. */
export interface GuardedFunctions extends Pick<ToolGuard, "respond"> {
  /**
   * Runs a call if it is allowed. Never throws. `answered`: a person's answer to the call. Without it, pass only calls that the model just
   * made, never calls from a client.
   */
  readonly call: (use: ToolUse, answered?: PersonAnswer) => Promise<ToolOutput>;
  /** The tools that the phase of the task allows. Offer only these to the model. */
  readonly names: () => Promise<readonly string[]>;
}

/** Guards the functions of your own agent loop with a run. */
export function guardFunctions(
  functions: ToolFunctions,
  { ask, ...options }: GuardOptions,
): GuardedFunctions {
  const guard = createToolGuard({ ...options, host: "loop" });
  return {
    respond: guard.respond,
    names: () => guard.allowedTools(Object.keys(functions)),
    async call({ id, tool, args: given }, answered) {
      try {
        const work = Object.hasOwn(functions, tool) ? functions[tool] : undefined;
        if (work === undefined) throw new Error(`There is no tool \`${tool}\``);
        const args = typeof given === "string" ? parseJson(given) : given;
        const call = { id, tool, args };
        const judged = answered === undefined ? await judge(guard, call, ask) : { answered };
        if ("refused" in judged) return judged.refused;
        const result = await guard.run(call, (own) => work(own as never), judged.answered);
        return { ok: true, content: textOf(result) };
      } catch (error) {
        return { ok: false, content: messageOf(error) };
      }
    },
  };
}

type Judged = { readonly answered: PersonAnswer | undefined } | { readonly refused: ToolOutput };

/** Judges a call that a model just made, and asks a person if `ask` is given. */
export async function judge(
  guard: ToolGuard,
  call: GuardedCall,
  ask: GuardOptions["ask"],
): Promise<Judged> {
  const answer = await guard.judge(call);
  if (answer.kind === "run") return { answered: undefined };
  if (answer.kind === "deny") return { refused: { ok: false, content: answer.reason } };
  const { reason, question } = answer;
  if (ask !== undefined)
    return { answered: await ask({ tool: call.tool, args: call.args, reason, question }) };
  const content = `${reason} A person must approve this call first (question \`${question}\`).`;
  return { refused: { ok: false, content, question } };
}

const textOf = (result: unknown): string => {
  if (typeof result === "string") return result;
  const text = JSON.stringify(result ?? null) as string | undefined;
  if (text !== undefined) return text;
  throw new BylawError({ code: "BYLAW_JSON_INVALID", message: "The result is not plain JSON" });
};
