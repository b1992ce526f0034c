import type { EventType } from "@bylaw/log";

import { z } from "zod";

const count = z.int().min(0);
const step = z.string().min(1).max(100);
const attempt = z.int().min(1);
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const stream = z.strictObject({ digest, bytes: count });

/** The result of one attempt: how its program or function ended, and digests of what it printed, never the text. */
const end = {
  ok: z.boolean(),
  exit_code: z.int().nullable(),
  signal: z.string().max(20).nullable(),
  timed_out: z.boolean(),
  duration_ms: z.number().min(0),
  stdout: stream,
  stderr: stream,
  /** Why it could not be started, or what a function threw. */
  error: z.string().max(500).nullable(),
};

/** The worker that drives a run, and the fence of its claim. */
const worker = { worker: z.string().min(1).max(200), fence: attempt };

const way = { track: step.nullable().optional(), chosen: z.array(step).optional() };

/** The template that the event refers to, because a person may have migrated the run to another one in the meantime. */
const definition = digest.optional();

const HOLDS = [
  "failed",
  "interrupted",
  "rejected",
  "control_file",
  "oversight",
  "risk",
  "limit",
  "second",
] as const;

/** The events of a workflow. Only its runner records them. */
export const WORKFLOW_EVENTS: readonly EventType[] = [
  {
    name: "workflow_started",
    details: z.strictObject({
      template: z.string().min(1),
      definition: digest,
      steps: count,
      from: count,
      ...way,
    }),
  },
  { name: "workflow_moved", details: z.strictObject({ by: z.string().min(1), to: count }) },
  {
    name: "workflow_migrated",
    details: z.strictObject({
      by: z.string().min(1).max(200),
      from: digest,
      definition: digest,
      cursor: count,
      redo: count,
      units: z.array(z.strictObject({ step, index: count, next: count })),
      scopes: z.array(z.strictObject({ owner: count, skip: z.array(step) })),
      moved: z.boolean(),
    }),
  },
  { name: "oversight_due", details: z.strictObject({ step, why: z.enum(["steps", "kind"]) }) },
  {
    name: "workflow_held",
    details: z.strictObject({ step, why: z.enum(HOLDS), message: z.string().max(1_000) }),
  },
  { name: "workflow_released", details: z.strictObject({ by: z.string().min(1).max(200), step }) },
  {
    name: "workflow_ended",
    details: z.strictObject({
      outcome: z.enum(["completed", "stopped"]),
      step: step.nullable(),
      reason: z.string().max(1_000).nullable(),
      definition,
    }),
  },
  /** From here on workers may take the run. Each takes it with a lease and renews it while nothing else is recorded. */
  { name: "workflow_offered", details: z.strictObject({}) },
  { name: "workflow_taken", details: z.strictObject({ ...worker, lease_ms: attempt }) },
  { name: "workflow_kept", details: z.strictObject(worker) },
  {
    name: "workflow_left",
    details: z.strictObject({ ...worker, why: z.enum(["ended", "waits", "stopped", "failed"]) }),
  },
  {
    name: "step_started",
    details: z.strictObject({
      step,
      index: count,
      next: count,
      visit: attempt,
      attempt,
      fallback: z.boolean(),
      definition,
    }),
  },
  {
    name: "step_completed",
    details: z.strictObject({
      step,
      attempt,
      ...end,
      output: z.json(),
      print: digest.nullable().optional(),
    }),
  },
  {
    name: "step_skipped",
    details: z.strictObject({
      step,
      index: count,
      next: count,
      why: z.enum(["loop", "when", "skip_if", "depends_on", "once", "completed", "from", "track"]),
      definition,
    }),
  },
  {
    name: "step_settled",
    details: z.strictObject({
      step,
      next: count.nullable(),
      loop: z
        .strictObject({ to: count, skip: z.array(step), kept: z.boolean().optional() })
        .nullable(),
      definition,
    }),
  },
  { name: "call_started", details: z.strictObject({ step, agent: step, attempt, definition }) },
  { name: "call_completed", details: z.strictObject({ step, agent: step, attempt, ...end }) },
  {
    name: "control_file_set_aside",
    details: z.strictObject({
      step: step.nullable(),
      why: z.enum(["stale", "other_step", "other_run", "second", "broken"]),
      digest: digest.nullable(),
    }),
  },
];
