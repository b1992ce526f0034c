import { deniedCalls, isTimeOver, TIME_OVER, consensusState } from "@bylaw/consensus";
import { deny, type ToolCall, type Verdict, type View } from "@bylaw/kernel";
import { agentTurns, turnOf } from "@bylaw/log";

/** What an agent may still do when its time is over. */
export interface RoundTime {
  /** Tools that still run. */
  readonly tools: ReadonlySet<string>;
  /** How many denied calls in a row end the turn. */
  readonly denials: number;
}

/** Denies a call that comes after the warning and its grace. Before the warning nothing is denied. */
export function roundTime({
  tools,
  denials,
}: RoundTime): (call: ToolCall, view: View) => Verdict | undefined {
  return ({ agent, tool, at, host }, view) => {
    const state = view(consensusState);
    if (agent === undefined || tools.has(tool)) return undefined;
    const round = Math.max(1, turnOf(view(agentTurns), agent).round);
    // Without a log, the host gives the state.
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

/** Whether an agent was denied so many calls in a row after its time that its turn must end. */
export const isDenialLoop = (view: View, agent: string, denials: number = DENIALS): boolean =>
  deniedCalls(view(consensusState), agent) >= denials;

/** How many denied calls in a row end a turn by default. */
export const DENIALS = 10;
