import { quote } from "@bylaw/wording";
import { agentOf, taskOf, type Happening } from "./event-parts.ts";
import { impossible, type Step } from "./rules.ts";

/** How far the question of one agent about one task has come; nothing where none is open. */
export type Question = "sought" | "prayed" | "answered" | undefined;

const ORDER: Readonly<Record<string, readonly [before: Question, after: Question, expected: string]>> = {
  agent_seeks_guidance: [undefined, "sought", "no open question of that agent"],
  coordinator_prays: ["sought", "prayed", "agent_seeks_guidance before it"],
  divine_response_received: ["prayed", "answered", "coordinator_prays before it"],
  agent_resumes_with_guidance: ["answered", undefined, "divine_response_received before it"],
};

/** The events by which a question is asked and answered. */
export const GUIDANCE_EVENTS: ReadonlySet<string> = new Set(Object.keys(ORDER));

/** The events after which the coordinator asks by itself, for a task or for nobody's. */
export const GUIDANCE_OPENERS: ReadonlySet<string> = new Set([
  "developer_incomplete",
  "expansion_needs_clarification",
  "remediation_exhausted",
]);

/** What an event makes of a question. `opened`: the coordinator may ask without having been asked. Pure. */
export function ask(question: Question, event: Happening, { opened }: { readonly opened: boolean }): Step<Question> {
  const [before, after, expected] = ORDER[event.event_type] ?? [];
  const byItself = event.event_type === "coordinator_prays" && question === undefined && opened;
  if (question === before || byItself) return { next: after };
  return outOfOrder(event, expected ?? "nothing");
}

/** An agent that goes on although its question is open. */
export const outOfOrder = (event: Happening, expected: string): { readonly broken: NonNullable<Step<never>["broken"]> } =>
  impossible("GUIDANCE_OUT_OF_ORDER", `Unexpected ${event.event_type} ${partiesOf(event)}, expected ${expected}`);

function partiesOf(event: Happening): string {
  const agent = agentOf(event);
  const task = taskOf(event);
  return `of ${agent === undefined ? "nobody" : quote(agent)} about ${task === undefined ? "no task" : quote(task)}`;
}
