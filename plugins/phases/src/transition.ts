import { COMPLETED } from "@bylaw/contract";
import { allow, type Transition, type Verdict, type View } from "@bylaw/kernel";
import { quote, quoteAll } from "@bylaw/wording";
import { refuse } from "./codes.ts";
import type { Compiled } from "./compile.ts";
import { directivesOfTask } from "./directive-state.ts";
import { directivesDue } from "./issue-directives.ts";

/**
 * Whether the contract has a way from the phase that the log says to the one that is asked for. All
 * that is in the way is told. Pure.
 */
export function judgeTransition(
  { task, from, to }: Transition,
  { contract, at }: Compiled,
): readonly Verdict[] {
  const { phases, transitions, initial, ends } = contract;
  const known = phases.map(({ id }) => id);
  const refused: Verdict[] = [];
  if (to !== COMPLETED && !known.includes(to))
    refused.push(
      refuse(
        "phase_target_unknown",
        `Unknown phase ${quote(to)}; the contract has ${quoteAll(known)}`,
        "Ask for one of them",
      ),
    );
  if (from === undefined) {
    if (to === initial)
      return [
        allow(`Task ${quote(task)} begins in its first phase`, {
          rule: at(`${to}.begin`, ["phases", known.indexOf(to)]),
        }),
      ];
    return [
      ...refused,
      refuse(
        "phase_not_initial",
        `Task ${quote(task)} has not begun; it begins in ${quote(initial)}, not in ${quote(to)}`,
        `Ask for ${quote(initial)} first`,
      ),
    ];
  }
  if (from === COMPLETED) return [...refused, completed(task)];
  if (!known.includes(from))
    return [
      ...refused,
      refuse(
        "phase_unknown",
        `Task ${quote(task)} is in the phase ${quote(from)}, which the contract does not have; it has ${quoteAll(known)}`,
        "Finish the task under the contract that it began with",
      ),
    ];
  if (to === COMPLETED) {
    const rule = at(`${from}.complete`, ["phases", known.indexOf(from)]);
    if (ends.includes(from))
      return [
        allow(`Task ${quote(task)} completes in ${quote(from)}, which no transition leaves`, {
          rule,
        }),
      ];
    return [
      refuse(
        "phase_not_last",
        `Task ${quote(task)} cannot complete in ${quote(from)}; it can in ${quoteAll(ends)}`,
        "Go on to a phase that no transition leaves",
        rule,
      ),
    ];
  }
  if (ends.includes(from))
    return [
      ...refused,
      refuse(
        "phase_task_ended",
        `There is no transition from ${quote(from)} to ${quote(to)}: ${quote(from)} is the last phase, so only \`${COMPLETED}\` follows`,
        `Ask for \`${COMPLETED}\`, or begin another task`,
      ),
    ];
  const edges = transitions.filter((edge) => edge.from === from);
  const open = edges.filter((edge) => edge.to === to);
  if (open.length === 0)
    return [
      ...refused,
      refuse(
        "phase_transition_undeclared",
        `The contract has no transition from ${quote(from)} to ${quote(to)}; from there it leads to ${quoteAll([...new Set(edges.map((edge) => edge.to))])}`,
        "Ask for one of these phases",
      ),
    ];
  const [first] = open;
  const rule = at(`transitions.${from}.${to}`, [
    "transitions",
    first === undefined ? 0 : transitions.indexOf(first),
  ]);
  return [
    allow(
      `The contract has a transition from ${quote(from)} to ${quote(to)}${open.every(({ when }) => when === "rejected") ? ", back to work" : ""}`,
      { rule },
    ),
  ];
}

/** What is said of a task that asks for anything after its completion. */
export const completed = (task: string): Verdict =>
  refuse("phase_task_completed", `Task ${quote(task)} is completed`, "Claim or begin another task");

/**
 * Whether all that the phase which is left has asked for was issued: a task that went on would take
 * it along. Pure.
 */
export function judgeDirectives(
  { task }: Transition,
  view: View,
  { contract, at }: Compiled,
): readonly Verdict[] {
  const entry = view.empty === true ? undefined : directivesOfTask(view, task);
  if (entry === undefined) return [];
  const [due] = directivesDue(contract, entry);
  if (due === undefined) return [];
  return [
    refuse(
      "phase_directives_due",
      `Task ${quote(task)} cannot go on before ${quote(due.action)} is issued, which entering ${quote(entry.to)} causes`,
      "Call `issueDirectives` after each transition and when a run is opened",
      at(`${entry.to}.directives`, [
        "phases",
        contract.phases.findIndex(({ id }) => id === entry.to),
      ]),
    ),
  ];
}
