import type { Response } from "@bylaw/kernel";
import { answerFault } from "./answer.ts";
import { openTools, type Calls } from "./calls.ts";
import type { Fault } from "./fault.ts";
import { nearest } from "@bylaw/wording";
import type { ReasonsOptions } from "./options.ts";
import type { ResponseContext } from "./response-context.ts";
import { terminalIn } from "./terminal.ts";
import { staleness, voteFault } from "./vote.ts";
import { either, given, listed, shown } from "./words.ts";

/**
 * Judges a response, with the checks in the order of the specification. Only the first reason counts, so that a response costs at
 * most one attempt.
 */
export function judge(
  response: Response,
  calls: Calls,
  standing: ResponseContext,
  options: ReasonsOptions,
): Fault | undefined {
  const required = requiredTools(response, standing, options);
  return (
    ended(response, standing) ??
    workflowFault(response, calls, standing, options, required) ??
    otherFault(response, calls, standing, options, required)
  );
}

function ended({ round = 1 }: Response, { turn }: ResponseContext): Fault | undefined {
  if ((turn.outcome !== "non_compliant" && turn.outcome !== "dropped") || round > turn.round)
    return undefined;
  return { code: "turn_over", line: "The turn of this agent is over", recovery: "end" };
}

// The tools that end a turn now, as text.
function requiredTools(
  { available_tools }: Response,
  { vote_only, deferred }: ResponseContext,
  options: ReasonsOptions,
): string {
  const isOpen = openTools(available_tools, options);
  const names = Object.keys(options.workflow_tools).filter(isOpen);
  const closed = vote_only ? "answer" : deferred ? "vote" : undefined;
  const left = names.filter((name) => options.workflow_tools[name] !== closed);
  return either((left.length > 0 ? left : names).map(given));
}

function workflowFault(
  response: Response,
  calls: Calls,
  standing: ResponseContext,
  options: ReasonsOptions,
  required: string,
): Fault | undefined {
  const named = (kind: string): string | undefined =>
    calls.workflow.find((call) => call.kind === kind)?.tool;
  const [vote, answer] = [named("vote"), named("answer")];
  if (vote !== undefined && answer !== undefined) {
    return {
      code: "vote_and_answer",
      line: `Called both ${given(vote)} and ${given(answer)} in one response. Required: ${required}`,
    };
  }
  const closed = calls.workflow.filter(({ open }) => !open);
  if (closed.length > 0 && closed.length === calls.workflow.length) {
    const tools = [...new Set(closed.map(({ tool }) => tool))];
    const code = answer !== undefined && standing.vote_only ? "answer_limit" : "no_workflow_tool";
    return {
      code,
      line: `Called ${listed(tools)} (not available in this round). Required: ${required}`,
    };
  }
  const terminal = terminalIn(response, calls, options);
  if (terminal === undefined) return undefined;
  if (terminal.kind === "vote")
    return voteFault(terminal.target, response, standing, required, options);
  const stale =
    standing.consensus.terms.fairness === "turns" ? staleness(response, standing) : undefined;
  return terminal.kind === "answer"
    ? answerFault(terminal.content, response, standing, options, required, stale)
    : stale;
}

function otherFault(
  { tool_calls = [], available_tools = [], host }: Response,
  calls: Calls,
  standing: ResponseContext,
  options: ReasonsOptions,
  required: string,
): Fault | undefined {
  if (calls.workflow.length > 0 || calls.external.length > 0) return undefined;
  if (tool_calls.length === 0) {
    return {
      code: "no_tool_calls",
      line: `Called no tool. Required: ${required}`,
      message: `Your response ended without a tool call. Finish it with a call of ${required}.`,
    };
  }
  const called = [...calls.unknown, ...calls.ordinary];
  const line = `Called ${listed(called)} (not workflow). Required: ${required}`;
  if (calls.unknown.length > 0) {
    return {
      code: "unknown_tool",
      line,
      message: unknownMessage(calls.unknown, available_tools, options, required),
      recovery: host?.["inline"] === true ? "inline" : "restart",
    };
  }
  if (isProgress(calls, standing, options)) return undefined;
  const wanted = standing.vote_only
    ? `You may give no more answers. Finish with a call of ${required} now.`
    : `Finish your work with a call of ${required}.`;
  return {
    code: "no_workflow_tool",
    line,
    message: `You called ${listed(called)}, which ends no turn. ${wanted}`,
  };
}

/** Similar names are searched for at most this many unknown names, because the search takes time. */
const NEAR = 3;

function unknownMessage(
  unknown: readonly string[],
  available: readonly string[],
  { workflow_tools }: ReasonsOptions,
  required: string,
): string {
  const tools = [...new Set([...Object.keys(workflow_tools), ...available])];
  const near = [...new Set(unknown.slice(0, NEAR).flatMap((name) => nearest(name, tools) ?? []))];
  const meant = near.length === 0 ? "" : ` Did you mean ${either(near.map(given))}?`;
  const rest = tools.length > 50 ? `, and ${tools.length - 50} more` : "";
  return `There is no tool ${either(unknown.slice(0, 10).map((name) => `'${shown(name)}'`))}.${meant} Available tools: ${tools.slice(0, 50).map(given).join(", ")}${rest}. Finish with a call of ${required}.`;
}

/**
 * Whether a response without a workflow tool lets the turn continue: it calls tools that count as work, and not too often in a row.
 */
export function isProgress(
  { workflow, external, ordinary, unknown }: Calls,
  standing: Pick<ResponseContext, "vote_only" | "turn"> | undefined,
  { progress }: ReasonsOptions,
): boolean {
  if (workflow.length > 0 || external.length > 0 || unknown.length > 0 || ordinary.length === 0)
    return false;
  if (standing !== undefined && (standing.vote_only || standing.turn.progress >= progress.in_a_row))
    return false;
  const counts = (tool: string): boolean =>
    progress.tools.some((name) =>
      name.endsWith("*") ? tool.startsWith(name.slice(0, -1)) : tool === name,
    );
  return ordinary.every(counts);
}
