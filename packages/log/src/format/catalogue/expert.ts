import {
  AGENT,
  TASK,
  WORK,
  count,
  free,
  id,
  number,
  text,
  texts,
  typesOf,
} from "./catalogue-type.ts";

const setup = typesOf("setup");
const expert = typesOf("expert");
const FROM = { from_agent_id: id } as const;
const RUN = { run_id: id, ...AGENT, ...FROM, ...TASK } as const;

/** Agents are defined, and experts are asked. */
export const EXPERT_TYPES = [
  setup("agent_definition_created", "a missing definition of an agent was written", {
    agent_type: text,
    definition_hash: text,
  }),
  setup("expert_created", "an expert that the plan calls for was defined", {
    ...AGENT,
    agent_type: text,
    name: text,
    domain: text,
    capabilities: texts,
    keyword_triggers: texts,
    request_types: texts,
    definition_hash: text,
  }),
  expert("expert_request_received", "an agent asks for an expert", {
    ...FROM,
    from_agent_type: text,
    ...TASK,
    expert_name: text,
    question_summary: text,
  }),
  expert("expert_delegated", "an expert starts on a request", {
    ...RUN,
    agent_type: text,
    request_type: text,
    request_summary: text,
  }),
  expert("delegation_queued", "a request waits for a busy expert", {
    request_id: id,
    ...AGENT,
    ...FROM,
    ...TASK,
    request_type: text,
    queue_position: count,
  }),
  expert("expert_complete", "an expert returns a result", {
    ...RUN,
    duration_seconds: number,
    confidence_level: free,
    deliverables_count: count,
  }),
  expert("expert_failed", "an expert failed or ran out of time", { ...RUN, error_reason: text }),
  expert("expert_out_of_scope", "an expert says that the request is not theirs", {
    ...RUN,
    suggested_alternative: free,
  }),
  expert("delegation_results_delivered", "the agent that asked has the result", {
    ...WORK,
    ...FROM,
    request_type: text,
  }),
];
