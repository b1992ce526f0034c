import { COMPLETED } from "@bylaw/contract";
import { allow, type Transition, type Verdict, type View } from "@bylaw/kernel";
import { quote, quoteAll } from "@bylaw/wording";
import { refuse } from "./codes.ts";
import type { Compiled } from "./compile.ts";
import { directivesOfTask } from "./directive-state.ts";
import { dueOf } from "./issue-directives.ts";

/** Whether the contract has a way from the phase that the log says to the one that is asked for. All that is in the way is told. Pure. */
export function judgeTransition({ task, from, to }: Transition, { contract, at }: Compiled): readonly Verdict[] {
  const { phases, transitions, initial, ends } = contract;
  const known = phases.map(({ id }) => id);
  const refused: Verdict[] = [];
  if (to !== COMPLETED && !known.includes(to))
    refused.push(
      refuse(
        "phase_target_unknown",
        `Unexpected phase ${quote(to)}, expected one of ${quoteAll(known)}`,
        "ask for a phase of the contract",
      ),
    );
  if (from === undefined) {
    if (to === initial)
      return [allow(`Task ${quote(task)} begins in its first phase`, { rule: at(`${to}.begin`, ["phases", known.indexOf(to)]) })];
    return [
      ...refused,
      refuse(
        "phase_not_initial",
        `Unexpected phase ${quote(to)} for task ${quote(task)} that is in none, expected ${quote(initial)}`,
        `ask for ${quote(initial)} first`,
      ),
    ];
  }
  if (from === COMPLETED) return [...refused, completed(task)];
  if (!known.includes(from))
    return [
      ...refused,
      refuse(
        "phase_unknown",
        `Unexpected phase ${quote(from)} of task ${quote(task)}, expected one of ${quoteAll(known)}`,
        "finish the task under the contract that it began with",
      ),
    ];
  if (to === COMPLETED) {
    const rule = at(`${from}.complete`, ["phases", known.indexOf(from)]);
    if (ends.includes(from)) return [allow(`Task ${quote(task)} completes in ${quote(from)}, which no transition leaves`, { rule })];
    return [
      refuse(
        "phase_not_last",
        `Unexpected completion of task ${quote(task)} in ${quote(from)}, expected it in ${quoteAll(ends)}`,
        "go on to a phase that no transition leaves",
        rule,
      ),
    ];
  }
  if (ends.includes(from))
    return [
      ...refused,
      refuse(
        "phase_task_ended",
        `Unexpected transition from ${quote(from)} to ${quote(to)}, expected \`${COMPLETED}\`: the task has come to its last phase`,
        `ask for \`${COMPLETED}\`, or begin another task`,
      ),
    ];
  const ways = transitions.filter((way) => way.from === from);
  const open = ways.filter((way) => way.to === to);
  if (open.length === 0)
    return [
      ...refused,
      refuse(
        "phase_transition_undeclared",
        `Unexpected transition from ${quote(from)} to ${quote(to)}, expected one to ${quoteAll([...new Set(ways.map((way) => way.to))])}`,
        "take one of the declared transitions",
      ),
    ];
  const [first] = open;
  const rule = at(`transitions.${from}.${to}`, ["transitions", first === undefined ? 0 : transitions.indexOf(first)]);
  return [
    allow(
      `The contract has a transition from ${quote(from)} to ${quote(to)}${open.every(({ when }) => when === "rejected") ? ", back to work" : ""}`,
      { rule },
    ),
  ];
}

/** What is said of a task that asks for anything after its completion. */
export const completed = (task: string): Verdict =>
  refuse(
    "phase_task_completed",
    `Unexpected request for task ${quote(task)} that is completed, expected none`,
    "claim or begin another task",
  );

/** Whether all that the phase which is left has asked for was issued: a task that went on would take it along. Pure. */
export function judgeDirectives({ task }: Transition, view: View, { contract, at }: Compiled): readonly Verdict[] {
  const entry = view.empty === true ? undefined : directivesOfTask(view, task);
  if (entry === undefined) return [];
  const [due] = dueOf(contract, entry);
  if (due === undefined) return [];
  return [
    refuse(
      "phase_directives_due",
      `Unexpected transition of task ${quote(task)} before ${quote(due.action)} was issued, expected what entering ${quote(entry.to)} causes`,
      "call `issueDirectives` after each transition, and as a run is opened",
      at(`${entry.to}.directives`, ["phases", contract.phases.findIndex(({ id }) => id === entry.to)]),
    ),
  ];
}
