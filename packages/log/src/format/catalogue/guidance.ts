import { AGENT, TASK, WORK, count, free, text, typesOf } from "./catalogue-type.ts";

const guidance = typesOf("guidance");
const quality = typesOf("quality");

/** A person is asked, and tasks are made ready to be worked on. */
export const GUIDANCE_TYPES = [
  guidance("agent_seeks_guidance", "an agent needs a person's answer", {
    ...WORK,
    question: text,
    options: free,
  }),
  guidance("coordinator_prays", "the coordinator puts the question to a person", {
    ...WORK,
    question: text,
  }),
  guidance("divine_response_received", "the person answered", {
    ...WORK,
    question: text,
    response: free,
  }),
  guidance("agent_resumes_with_guidance", "the agent continues with the answer", {
    ...WORK,
    guidance_summary: free,
  }),
  quality("task_quality_assessment", "the tasks of the plan were looked at", {
    implementable_count: count,
    needs_expansion_count: count,
    needs_clarification_count: count,
  }),
  quality("business_analyst_dispatched", "a business analyst starts on a task", {
    ...TASK,
    ...AGENT,
    missing_criteria: free,
  }),
  quality("task_expanded", "the analyst described the task", {
    ...TASK,
    confidence: free,
    expansion_summary: free,
  }),
  quality("expansion_needs_clarification", "the analyst needs a person's answer", {
    ...TASK,
    questions: free,
    options: free,
  }),
];
