import { z } from "zod";

const count = z.int().nonnegative();
const amount = z.number().nonnegative();
const at = z.number().describe("Unix seconds, from the log.");

const attempt = z
  .strictObject({
    round: count.describe("The host's count, from 1."),
    attempt: count.describe("Within the round, from 1."),
    max_attempts: count,
    reason: z.string().describe("One of the reason codes."),
    tool_calls: z.array(z.string()).describe("The names of the tools that were called."),
    error_message: z.string().nullable().describe("The message to the model."),
    buffer_preview: z
      .string()
      .nullable()
      .describe("What the agent had written, including calls: the first 500 characters."),
    buffer_chars: count.describe("How much the agent had written, in characters."),
    recovery: z.enum(["inline", "restart", "end"]).nullable().describe("How the agent recovered."),
    final: z.boolean().describe("Whether no attempt was left."),
    timestamp: at,
    docker_health: z.record(z.string(), z.unknown()).optional(),
  })
  .describe("A response that did not comply.");

const reliability = z
  .strictObject({
    enforcement_attempts: z.array(attempt),
    by_round: z
      .record(z.string(), z.strictObject({ count, reasons: z.array(z.string()) }))
      .describe("Every round that the agent entered."),
    unknown_tools: z.array(z.string()),
    workflow_errors: z
      .array(z.string())
      .describe("Reasons that are errors in the use of a workflow tool."),
    total_enforcement_retries: count.describe("How often the agent was told to try again."),
    total_buffer_chars_lost: count,
    outcome: z.enum(["ok", "non_compliant", "dropped"]).nullable().describe("null: still running."),
  })
  .describe("How well an agent keeps to the workflow.");

const use = z.strictObject({
  call_count: count.describe("Calls that were asked for, also those that did not run."),
  success_count: count,
  failure_count: count,
  denied_count: count,
  asked_count: count,
  total_execution_time_ms: amount.describe("From the decision to the result."),
  total_input_chars: count,
  total_output_chars: count,
  tool_type: z.enum(["mcp", "custom", "provider"]),
  avg_execution_time_ms: amount,
  input_tokens_est: count.describe("A quarter of the characters."),
  output_tokens_est: count,
});

const tools = z.strictObject({
  total_calls: count,
  total_failures: count,
  total_execution_time_ms: amount,
  by_tool: z.record(z.string(), use),
});

const usage = z.strictObject({
  input_tokens: count,
  output_tokens: count,
  reasoning_tokens: count,
  cached_input_tokens: count,
  estimated_cost: amount,
});

const infrastructure = z.strictObject({
  round: count,
  kind: z.string(),
  message: z.string().nullable(),
  timestamp: at,
  docker_health: z.record(z.string(), z.unknown()).optional(),
});

const agent = z.strictObject({
  status: z.enum([
    "waiting",
    "working",
    "restarting",
    "answered",
    "voted",
    "done",
    "ok",
    "non_compliant",
    "dropped",
  ]),
  answer_count: count,
  latest_answer_label: z.string().nullable(),
  vote_cast: z
    .strictObject({
      voted_for_agent: z.string(),
      voted_for_label: z.string().nullable(),
      reason_preview: z.string(),
    })
    .nullable()
    .describe("The last vote that still counts."),
  times_restarted: count,
  last_activity: at.nullable(),
  error: z.strictObject({ type: z.string(), message: z.string(), timestamp: at }).nullable(),
  token_usage: usage,
  tool_metrics: tools,
  round_timing: z.strictObject({ round_number: count, round_start_time: at.nullable() }),
  infrastructure_events: z
    .array(infrastructure)
    .describe("Failures around the agent, which cost no attempt; the last 100."),
  total_infrastructure_events: count,
  enforcement_attempts_omitted: count.describe("How many violations are counted but not listed."),
  total_buffer_chars_carried: count.describe(
    "Characters that a retry began with, so they were not lost.",
  ),
  reliability,
});

/**
 * The content of `status.json`. Every time and number comes from the log. A new field keeps the version; any other change raises it.
 */
export const statusSchema = z
  .strictObject({
    schema_version: z.literal(1),
    finish_reason: z
      .enum(["timeout", "completed", "error", "in_progress"])
      .nullable()
      .describe("null: nothing happened yet."),
    finish_reason_details: z.string().nullable(),
    is_complete: z.boolean().describe("Whether the run is over."),
    meta: z.strictObject({
      last_updated: at.nullable().describe("The time of the last event."),
      session_id: z.string().nullable(),
      sessions: count,
      start_time: at.nullable(),
      elapsed_seconds: amount,
      plan_file: z.string().nullable(),
      last_sequence: count.describe("The sequence of the last event."),
      last_hash: z.string().nullable(),
    }),
    costs: z.strictObject({
      total_estimated_cost: amount,
      total_input_tokens: count,
      total_output_tokens: count,
    }),
    tools,
    rounds: z.strictObject({
      total_rounds: count,
      by_outcome: z
        .strictObject({ ok: count, non_compliant: count, dropped: count, running: count })
        .describe("Agents by outcome."),
    }),
    tasks: z.strictObject({
      planned: count,
      completed: count,
      by_phase: z.record(z.string(), count).describe("How many tasks are in a phase."),
      open: z
        .array(
          z.strictObject({
            id: z.string(),
            status: z.enum([
              "ready",
              "working",
              "review",
              "audit",
              "rework",
              "blocked",
              "failed",
              "completed",
            ]),
            phase: z.string().nullable(),
            agent: z.string().nullable().describe("The agent that has it."),
          }),
        )
        .describe("Tasks that are not completed, the first 1,000."),
      open_omitted: count,
    }),
    workflow: z
      .strictObject({
        template: z.string(),
        status: z.enum(["running", "paused", "held", "completed", "stopped"]),
        step: z.string().nullable().describe("The step that began last."),
        steps: count,
        settled: count.describe("Steps that ended or were skipped."),
        held: z
          .strictObject({ step: z.string(), why: z.string(), message: z.string() })
          .nullable()
          .describe("What needs a person's attention."),
        reason: z.string().nullable().describe("Why it ended."),
      })
      .nullable()
      .describe("The progress of a template; null: the run follows none."),
    pauses: z
      .array(
        z.strictObject({
          task: z.string().nullable(),
          agent: z.string().nullable(),
          step: z.string().nullable(),
          reason: z.string().nullable(),
          since: at,
        }),
      )
      .describe("Open checkpoints."),
    coordination: z.strictObject({
      phase: z
        .enum(["initial_answer", "voting", "presentation"])
        .nullable()
        .describe("null: a run of tasks or steps, without votes."),
      active_agent: z.string().nullable(),
      completion_percentage: count.max(100),
      is_final_presentation: z.boolean(),
    }),
    agents: z.record(z.string(), agent),
    results: z.strictObject({
      votes: z.record(z.string(), count).describe("Votes that count, by the label of the answer."),
      winner: z.string().nullable(),
      final_answer_preview: z.string().nullable(),
    }),
  })
  .describe("The state of a run, folded from its log.");

/** The state of a run. */
export type Status = z.output<typeof statusSchema>;
/** How well an agent keeps to the workflow, field by field as in spec/000. */
export type Reliability = z.output<typeof reliability>;
/** One entry of `agents`. */
export type AgentStatus = z.output<typeof agent>;
/** Figures about tool calls. */
export type Tools = z.output<typeof tools>;
