import { deny, type ToolCall, type Verdict, type View } from "@bylaw/kernel";
import { TIME_OVER, agentTurns, consensusState, deniedCalls, isTimeOver, turnOf } from "@bylaw/log";

/** What is left to an agent whose time is over, and how often it may ask for more. */
export interface RoundTime {
  /** Tools that still run. */
  readonly tools: ReadonlySet<string>;
  /** So many denied calls in a row end the turn. */
  readonly denials: number;
}

/** Denies a call that comes after the warning and its grace; before the warning nothing is ever denied. */
export function roundTime({ tools, denials }: RoundTime): (call: ToolCall, view: View) => Verdict | undefined {
  return ({ agent, tool, at, host }, view) => {
    const state = view(consensusState);
    if (agent === undefined || tools.has(tool)) return undefined;
    const round = Math.max(1, turnOf(view(agentTurns), agent).round);
    // Without a log the host says it.
    const over = view.empty === true ? host?.[TIME_OVER] === true : isTimeOver(state, agent, round, at);
    if (!over) return undefined;
    const nth = deniedCalls(state, agent) + 1;
    const left =
      nth < denials
        ? `call ${[...tools].join(" or ")}; ${denials - nth} more such calls end the turn`
        : "nothing more: end the turn of this agent";
    return deny(`Unexpected call of \`${tool}\` after the time of the round, expected the end of the turn (${nth} of ${denials})`, left, {
      code: TIME_OVER,
    });
  };
}

/** Whether an agent was denied so many calls in a row after its time that its turn has to be ended. */
export const isDenialLoop = (view: View, agent: string, denials: number = DENIALS): boolean =>
  deniedCalls(view(consensusState), agent) >= denials;

/** How many denied calls in a row end a turn where nobody says so. */
export const DENIALS = 10;
