import {
  canonicalJson,
  type EventDraft,
  type Guard,
  type Json,
  type JsonObject,
  type View,
} from "@bylaw/kernel";
import { foldName, treeGet, type Finding } from "@bylaw/log";
import { quote } from "@bylaw/wording";
import type { Compiled } from "./compile.ts";
import type { DirectiveReport } from "./directive-events.ts";
import { directiveState, directivesOfTask, type TaskDirectives } from "./directive-state.ts";
import { directivesFor } from "./directives.ts";

/**
 * Makes the guard `directives`: a directive is issued once, for the entry that caused it and as in the contract. It is completed
 * once, and never reviewed by agents that did the work.
 */
export function directiveGuard(compiled: Compiled): Guard {
  return (view, draft) => {
    if (draft.event_type === "directive_issued") return wronglyIssued(view, draft, compiled);
    if (draft.event_type === "directive_completed") return wronglyCompleted(view, draft, compiled);
    return undefined;
  };
}

const refused = (rule: string, message: string): Finding => ({ rule, message });

function wronglyIssued(
  view: View,
  { task_id, details }: EventDraft,
  { contract }: Compiled,
): Finding | undefined {
  const task = task_id === null ? undefined : directivesOfTask(view, task_id);
  const said = details as { readonly directive?: Json };
  const wanted =
    task === undefined
      ? undefined
      : directivesFor(contract, task).find(({ directive }) => directive === said.directive);
  if (task === undefined || wanted === undefined)
    return refused(
      "DIRECTIVE_NOT_DUE",
      `The last transition of task ${named(task_id)} does not cause the directive ${named(said.directive)}`,
    );
  if (task.issued.includes(wanted.directive))
    return refused("DIRECTIVE_TWICE", `The directive ${named(wanted.directive)} is already issued`);
  if (canonicalJson(wanted as unknown as JsonObject) !== canonicalJson(details))
    return refused(
      "DIRECTIVE_DIFFERS",
      `The directive ${named(wanted.directive)} differs from what the contract has`,
    );
  return undefined;
}

function wronglyCompleted(
  view: View,
  { task_id, agent_id, details }: EventDraft,
  compiled: Compiled,
): Finding | undefined {
  const { directive, agent, ok, verdict, blocking_issues } = details as unknown as DirectiveReport;
  const open = treeGet(view(directiveState).open, directive);
  if (open === undefined || open.task !== task_id)
    return refused(
      "DIRECTIVE_NOT_OPEN",
      `${named(directive)} is not an open directive of the task`,
    );
  if (agent_id !== (agent ?? null))
    return refused(
      "DIRECTIVE_AGENT",
      `The event is by agent ${named(agent_id)}, but its details name ${named(agent ?? null)}`,
    );
  if (agent !== undefined && foldName(agent) === "")
    return refused(
      "DIRECTIVE_AGENT",
      `The report on ${named(directive)} has an agent without a name`,
    );
  const judges = verdict !== undefined || blocking_issues !== undefined;
  if (open.action !== "spawn") {
    if (!judges) return undefined;
    return refused(
      "DIRECTIVE_VERDICT",
      `Only an agent that was started gives a verdict, and ${named(open.action)} starts none`,
    );
  }
  if (agent === undefined)
    return ok || judges
      ? refused(
          "DIRECTIVE_AGENT",
          `The report on ${named(directive)} does not say which agent did it`,
        )
      : undefined;
  if (open.agent_type === "review" && ok && verdict === undefined)
    return refused(
      "DIRECTIVE_VERDICT",
      `The review ${named(directive)} has no verdict; it must be \`approved\` or \`rejected\``,
    );
  const task = directivesOfTask(view, open.task);
  if (task === undefined) return undefined;
  if (
    task.issued.includes(directive) &&
    task.reporters.some((other) => foldName(other) === foldName(agent))
  )
    return refused(
      "DIRECTIVE_REPORTER_TWICE",
      `The agent ${named(agent)} has already reported; each directive needs an agent of its own`,
    );
  if ((judges || open.agent_type === "review") && hasWorked(task, agent, compiled))
    return refused(
      "DIRECTIVE_OWN_WORK",
      `The agent ${named(agent)} worked on the task, so it cannot review it`,
    );
  return undefined;
}

// Reviewers make calls too. In a phase that starts agents and has no tool that writes, calls are no work.
function hasWorked({ workers }: TaskDirectives, agent: string, { phases }: Compiled): boolean {
  const name = foldName(agent);
  return workers.some((one) => {
    if (foldName(one.agent) !== name) return false;
    const phase = one.phase === null ? undefined : phases.get(one.phase);
    return phase === undefined || phase.writes || phase.phase.spawns.length === 0;
  });
}

const named = (text: Json | undefined): string => (typeof text === "string" ? quote(text) : "none");
