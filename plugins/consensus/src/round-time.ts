import { deniedCalls, isTimeOver, TIME_OVER, consensusState } from "@bylaw/consensus";
import { deny, type ToolCall, type Verdict, type View } from "@bylaw/kernel";
import { agentTurns, turnOf } from "@bylaw/log";

/** What an agent may still do after its time is over. */
export interface RoundTime {
  /** The tools that still run. */
  readonly tools: ReadonlySet<string>;
  /** How many denied calls in a row end the turn. */
  readonly denials: number;
}

/** Denies a call after the warning and its grace period. Before the warning it denies nothing. */
export function roundTime({
  tools,
  denials,
}: RoundTime): (call: ToolCall, view: View) => Verdict | undefined {
  return ({ agent, tool, at, host }, view) => {
    const state = view(consensusState);
    if (agent === undefined || tools.has(tool)) return undefined;
    const round = Math.max(1, turnOf(view(agentTurns), agent).round);
    // Without a log, the host provides the state.
    const over =
      view.empty === true ? host?.[TIME_OVER] === true : isTimeOver(state, agent, round, at);
    if (!over) return undefined;
    const nth = deniedCalls(state, agent) + 1;
    const left =
      nth < denials
        ? `call ${[...tools].join(" or ")}; ${denials - nth} more such calls end the turn`
        : "nothing more: end the turn of this agent";
    return deny(
      `The time of the round is over, so \`${tool}\` can no longer be called (denied ${nth} of ${denials} times).`,
      left,
      { code: TIME_OVER },
    );
  };
}

/** Whether so many calls of an agent were denied in a row after its time that its turn must end. */
export const isDenialLoop = (view: View, agent: string, denials: number = DENIALS): boolean =>
  deniedCalls(view(consensusState), agent) >= denials;

/** The default number of denied calls in a row that end a turn. */
export const DENIALS = 10;
