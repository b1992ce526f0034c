import { COMPLETED_PHASE } from "@bylaw/contract";
import { allow, type Transition, type Verdict, type View } from "@bylaw/kernel";
import { quote, quoteAll } from "@bylaw/wording";
import { refuse } from "./codes.ts";
import type { Compiled } from "./compile.ts";
import { directivesOfTask } from "./directive-state.ts";
import { directivesDue } from "./issue-directives.ts";

/** Decides whether the contract has the requested transition from the phase in the log. Reports everything that blocks it. Pure. */
export function judgeTransition(
  { task, from, to }: Transition,
  compiled: Compiled,
): readonly Verdict[] {
  const { phases, ends } = compiled.contract;
  const known = phases.map(({ id }) => id);
  const unknown =
    to === COMPLETED_PHASE || known.includes(to)
      ? []
      : [
          refuse(
            "phase_target_unknown",
            `Unknown phase ${quote(to)}; the contract has ${quoteAll(known)}`,
            "Ask for one of them",
          ),
        ];
  if (from === undefined) return judgeBegin(task, to, unknown, compiled);
  if (from === COMPLETED_PHASE) return [...unknown, completed(task)];
  if (!known.includes(from))
    return [
      ...unknown,
      refuse(
        "phase_unknown",
        `Task ${quote(task)} is in the phase ${quote(from)}, which the contract does not have; it has ${quoteAll(known)}`,
        "Finish the task under the contract that it began with",
      ),
    ];
  if (to === COMPLETED_PHASE) return [judgeCompletion(task, from, compiled)];
  if (ends.includes(from))
    return [
      ...unknown,
      refuse(
        "phase_task_ended",
        `There is no transition from ${quote(from)} to ${quote(to)}: ${quote(from)} is the last phase, so only \`${COMPLETED_PHASE}\` follows`,
        `Ask for \`${COMPLETED_PHASE}\`, or begin another task`,
      ),
    ];
  return judgeMove(from, to, unknown, compiled);
}

function judgeBegin(
  task: string,
  to: string,
  unknown: readonly Verdict[],
  { contract: { initial, phases }, at }: Compiled,
): readonly Verdict[] {
  if (to === initial)
    return [
      allow(`Task ${quote(task)} begins in its first phase`, {
        rule: at(`${to}.begin`, ["phases", phases.findIndex(({ id }) => id === to)]),
      }),
    ];
  return [
    ...unknown,
    refuse(
      "phase_not_initial",
      `Task ${quote(task)} has not begun; it begins in ${quote(initial)}, not in ${quote(to)}`,
      `Ask for ${quote(initial)} first`,
    ),
  ];
}

function judgeCompletion(
  task: string,
  from: string,
  { contract: { phases, ends }, at }: Compiled,
): Verdict {
  const rule = at(`${from}.complete`, ["phases", phases.findIndex(({ id }) => id === from)]);
  if (ends.includes(from))
    return allow(`Task ${quote(task)} completes in ${quote(from)}, which no transition leaves`, {
      rule,
    });
  return refuse(
    "phase_not_last",
    `Task ${quote(task)} cannot complete in ${quote(from)}; it can in ${quoteAll(ends)}`,
    "Go on to a phase that no transition leaves",
    rule,
  );
}

function judgeMove(
  from: string,
  to: string,
  unknown: readonly Verdict[],
  { contract: { transitions }, at }: Compiled,
): readonly Verdict[] {
  const edges = transitions.filter((edge) => edge.from === from);
  const open = edges.filter((edge) => edge.to === to);
  const [first] = open;
  if (first === undefined)
    return [
      ...unknown,
      refuse(
        "phase_transition_undeclared",
        `The contract has no transition from ${quote(from)} to ${quote(to)}; from there it leads to ${quoteAll([...new Set(edges.map((edge) => edge.to))])}`,
        "Ask for one of these phases",
      ),
    ];
  const back = open.every(({ when }) => when === "rejected") ? ", back to work" : "";
  return [
    allow(`The contract has a transition from ${quote(from)} to ${quote(to)}${back}`, {
      rule: at(`transitions.${from}.${to}`, ["transitions", transitions.indexOf(first)]),
    }),
  ];
}

/** The denial for a task that requests anything after its completion. */
export const completed = (task: string): Verdict =>
  refuse("phase_task_completed", `Task ${quote(task)} is completed`, "Claim or begin another task");

/** Denies while a directive of the phase being left has not been issued, because moving on skips it. Pure. */
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
