import { quote } from "@bylaw/wording";
import { agentOf, taskOf, type EventContent } from "./event-content.ts";
import { impossible, type Step } from "./rules.ts";

/** The stage of an agent's question about a task; `undefined`: no question is open. */
export type Question = "sought" | "prayed" | "answered" | undefined;

const ORDER: Readonly<
  Record<string, readonly [before: Question, after: Question, needed: string]>
> = {
  agent_seeks_guidance: [undefined, "sought", "that agent must have no open question"],
  coordinator_prays: ["sought", "prayed", "`agent_seeks_guidance` must come first"],
  divine_response_received: ["prayed", "answered", "`coordinator_prays` must come first"],
  agent_resumes_with_guidance: [
    "answered",
    undefined,
    "`divine_response_received` must come first",
  ],
};

/** The events by which a question is asked and answered. */
export const GUIDANCE_EVENTS: ReadonlySet<string> = new Set(Object.keys(ORDER));

/** The events after which the coordinator may ask without an agent's question. */
export const GUIDANCE_OPENERS: ReadonlySet<string> = new Set([
  "developer_incomplete",
  "expansion_needs_clarification",
  "remediation_exhausted",
]);

/** The state of a question after an event. `opened`: whether the coordinator may ask without an agent's question. Pure. */
export function questionAfter(
  question: Question,
  event: EventContent,
  { opened }: { readonly opened: boolean },
): Step<Question> {
  const [before, after, needed] = ORDER[event.event_type] ?? [];
  const onItsOwn = event.event_type === "coordinator_prays" && question === undefined && opened;
  if (question === before || onItsOwn) return { next: after };
  return outOfOrder(event, needed ?? "");
}

/** A violation by an event out of order. `needed`: what has to come first. */
export const outOfOrder = (
  event: EventContent,
  needed: string,
): { readonly broken: NonNullable<Step<never>["broken"]> } =>
  impossible(
    "GUIDANCE_OUT_OF_ORDER",
    `\`${event.event_type}\` ${partiesOf(event)} came out of order: ${needed}.`,
  );

function partiesOf(event: EventContent): string {
  const agent = agentOf(event);
  const task = taskOf(event);
  return `from ${agent === undefined ? "nobody" : quote(agent)} about ${task === undefined ? "no task" : quote(task)}`;
}
