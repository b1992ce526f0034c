import { BylawError, isJsonObject, type Json } from "@bylaw/kernel";
import { describeIssues } from "@bylaw/wording";
import { z } from "zod";
import { statusSchema, type Reliability } from "./schema.ts";

/** The fields that both forms of a status have: ours, and MassGen's. */
export interface ReadStatus {
  /** 0: written by MassGen, whose form has no version. */
  readonly schema_version: 0 | 1;
  readonly finish_reason: string | null;
  readonly finish_reason_details: string | null;
  readonly is_complete: boolean;
  /** Unix seconds. */
  readonly last_updated: number | null;
  readonly session_id: string | null;
  readonly phase: string | null;
  /** Percent. */
  readonly completion_percentage: number;
  /** By agent id. */
  readonly agents: Readonly<Record<string, ReadAgent>>;
  /** By answer label. */
  readonly votes: Readonly<Record<string, number>>;
  readonly winner: string | null;
}

/** One agent of a {@link ReadStatus}. */
export interface ReadAgent {
  readonly status: string;
  readonly answer_count: number;
  readonly latest_answer_label: string | null;
  readonly times_restarted: number;
  readonly reliability: Reliability;
}

const orNull = <T>(value: T | null | undefined): T | null => value ?? null;
const text = z.string().nullish().transform(orNull);
const number = z
  .number()
  .nonnegative()
  .nullish()
  .transform((value) => value ?? 0);
const texts = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? []);

// MassGen records neither the recovery nor whether an attempt was left: it lists only violations that another attempt followed.
const foreignAttempt = z
  .object({
    round: number,
    attempt: number,
    max_attempts: number,
    reason: z.string(),
    tool_calls: texts,
    error_message: text,
    buffer_preview: text,
    buffer_chars: number,
    timestamp: number,
    docker_health: z.record(z.string(), z.unknown()).optional(),
  })
  .transform((attempt) => ({ ...attempt, recovery: null, final: false }));

const foreignReliability = z.object({
  enforcement_attempts: z.array(foreignAttempt).default([]),
  by_round: z
    .record(z.string(), z.object({ count: z.int(), reasons: z.array(z.string()) }))
    .default({}),
  unknown_tools: texts,
  workflow_errors: texts,
  total_enforcement_retries: number,
  total_buffer_chars_lost: number,
  outcome: z.enum(["ok", "non_compliant", "dropped"]).nullish().transform(orNull),
});

const shared = {
  finish_reason: text,
  finish_reason_details: text,
  is_complete: z.boolean().default(false),
  meta: z.object({ last_updated: z.number().nullish().transform(orNull), session_id: text }),
  coordination: z.object({ phase: z.string().nullable(), completion_percentage: number }),
  results: z.object({ votes: z.record(z.string(), z.number()).default({}), winner: text }),
};

const foreign = z.object({
  ...shared,
  agents: z.record(
    z.string(),
    z.object({
      status: z.string(),
      answer_count: number,
      latest_answer_label: text,
      times_restarted: number,
      reliability: foreignReliability
        .nullish()
        .transform((found) => found ?? foreignReliability.parse({})),
    }),
  ),
});

/**
 * Parses the text of a `status.json`, of this plugin or of MassGen. Throws BYLAW_STATUS_INVALID for any other text, and for an
 * unknown version.
 */
export function readStatus(source: string): ReadStatus {
  let value: Json;
  try {
    value = JSON.parse(source) as Json;
  } catch (error) {
    throw invalid("it is not JSON", error);
  }
  if (!isJsonObject(value)) throw invalid("it is not an object");
  const version = value["schema_version"];
  if (version !== undefined && version !== 1)
    throw invalid(`it has version \`${JSON.stringify(version)}\``);
  const parsed = version === 1 ? statusSchema.safeParse(value) : foreign.safeParse(value);
  if (!parsed.success) throw invalid(describeIssues(parsed.error));
  const { finish_reason, finish_reason_details, is_complete, meta, coordination, agents, results } =
    parsed.data;
  return {
    schema_version: version === 1 ? 1 : 0,
    finish_reason,
    finish_reason_details,
    is_complete,
    last_updated: meta.last_updated,
    session_id: meta.session_id,
    phase: coordination.phase,
    completion_percentage: coordination.completion_percentage,
    agents: Object.fromEntries(Object.entries(agents).map(([id, agent]) => [id, agentOf(agent)])),
    votes: results.votes,
    winner: results.winner,
  };
}

const agentOf = ({
  status,
  answer_count,
  latest_answer_label,
  times_restarted,
  reliability,
}: ReadAgent): ReadAgent => ({
  status,
  answer_count,
  latest_answer_label,
  times_restarted,
  reliability,
});

function invalid(what: string, cause?: unknown): BylawError {
  const message = `This is not a valid status.json: ${what}`;
  return new BylawError({
    code: "BYLAW_STATUS_INVALID",
    message,
    fix: "Read the whole file. A newer version needs a newer reader",
    cause,
  });
}
