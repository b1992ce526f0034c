import type { JsonObject } from "@bylaw/kernel";
import type { EventType } from "@bylaw/log";
import { z } from "zod";

const word = z.string().min(1).max(10_000);

/** The details of `directive_issued`: this has to be done now. */
const directiveIssued = z.strictObject({
  /** Identifies the entry into the phase that caused it, and its position among the entry's directives. */
  directive: word,
  /** `spawn`, or the action of a trigger. */
  action: word,
  /** For `spawn`: the kind of agent, and the model. */
  agent_type: word.optional(),
  model: word.optional(),
  /** The parameters of a trigger. */
  params: z.record(z.string(), z.unknown()).optional(),
  /** Whether it may run at the same time as others. */
  parallel: z.boolean(),
  /** Whether the task waits for it. */
  wait: z.boolean(),
});

/** The details of `directive_completed`: it was done, or given up. */
const directiveCompleted = z
  .strictObject({
    directive: word,
    /** `false`: it was tried and abandoned. */
    ok: z.boolean(),
    /** The agent that did it. */
    agent: word.optional(),
    /** For a review. */
    verdict: z.enum(["approved", "rejected"]).optional(),
    blocking_issues: z.array(word).max(1_000).optional(),
    summary: z.string().max(100_000).optional(),
  })
  .refine(({ ok, verdict }) => ok || verdict !== "approved", "must not approve with `ok: false`")
  .refine(
    ({ verdict, blocking_issues = [] }) => verdict !== "approved" || blocking_issues.length === 0,
    "must not approve while issues block",
  );

/** The types of events that this plugin declares. */
export const EVENT_TYPES: readonly EventType[] = [
  { name: "directive_issued", details: directiveIssued },
  { name: "directive_completed", details: directiveCompleted },
];

/** A directive that is due because a task entered a phase. */
export interface DirectiveIssued {
  readonly directive: string;
  readonly action: string;
  readonly agent_type?: string;
  readonly model?: string;
  readonly params?: JsonObject;
  readonly parallel: boolean;
  readonly wait: boolean;
}

/** The report on a directive. */
export interface DirectiveReport {
  readonly directive: string;
  readonly ok: boolean;
  readonly agent?: string;
  readonly verdict?: "approved" | "rejected";
  readonly blocking_issues?: readonly string[];
  readonly summary?: string;
}
