import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadContract } from "@bylaw/contract";
import {
  createKernel,
  type EventDraft,
  type JsonObject,
  type Kernel,
  type LogEvent,
  type Verdict,
} from "@bylaw/kernel";
import { chainEvents, type LogReader } from "@bylaw/log";
import { pluginOf } from "@bylaw/testing";
import { monitoring, workflowMetrics, type Metrics } from "../src/index.ts";

const FIXTURE = join(import.meta.dirname, "fixtures/agent_workflow.yaml");
export const contract = loadContract(FIXTURE);
const SESSION = "6f1b1f52-4f0e-4c2e-9d0c-0d9f3a1f7a11";
const BEGIN = Date.parse("2026-01-17T09:00:00Z");

/** The time `seconds` after the beginning. */
export const at = (seconds: number): string => new Date(BEGIN + seconds * 1_000).toISOString();

/** The parts of an event that a test gives: its second, type, task and details. */
export type Sketch = readonly [
  second: number,
  event_type: string,
  task: string | null,
  details?: JsonObject,
];

const drafts = (sketches: readonly Sketch[]): readonly EventDraft[] =>
  sketches.map(([second, event_type, task_id, details = {}]) => ({
    timestamp: at(second),
    session_id: SESSION,
    event_type,
    agent_id: "dev",
    task_id,
    details,
  }));

export const logOf = (...sketches: readonly Sketch[]): readonly LogEvent[] =>
  chainEvents(undefined, drafts(sketches));

/** The measures after a log. */
export const metricsOf = (...sketches: readonly Sketch[]): Metrics =>
  logOf(...sketches).reduce(
    (state, event) => workflowMetrics.reduce(state, event),
    workflowMetrics.initial,
  );

/** A task enters a phase. */
export const enter = (second: number, task: string, to: string, from?: string): Sketch => [
  second,
  "phase_entered",
  task,
  { ...(from === undefined ? {} : { from }), to, decision: { effect: "allow", votes: [] } },
];

/** A request that blocks a task in its phase, by votes with these codes. */
export const blocked = (
  second: number,
  task: string,
  [from, to]: readonly [string, string],
  votes: readonly Partial<Verdict>[],
): Sketch => [
  second,
  "transition_blocked",
  task,
  {
    from,
    to,
    decision: {
      effect: "deny",
      votes: votes.map((vote) => ({ effect: "deny", ...vote }) as unknown as JsonObject),
    },
  },
];

/** Allows transitions of the contract, and denies them like gates and artifacts if the request says so. */
const gatekeeper = pluginOf(
  "gatekeeper",
  ({ hooks }) => {
    hooks.onTransition.tap("gate", ({ artifacts }) => [
      { effect: "allow", reason: "on its way" },
      ...("bad_gate" in artifacts
        ? [
            {
              effect: "deny",
              reason: "no",
              code: "gate_blocked",
              rule: { name: "plan_ok" },
            } as const,
          ]
        : []),
      ...("bad_plan" in artifacts
        ? [
            {
              effect: "deny",
              reason: "no",
              code: "artifact_invalid",
              rule: { name: "plan_document" },
            } as const,
          ]
        : []),
    ]);
  },
  { grants: true, codes: { gate_blocked: "no", artifact_invalid: "no" } },
);

/** A kernel over the contract in a folder, which is a copy of the fixture. */
export function kernelIn(folder: string): Kernel {
  copyFileSync(FIXTURE, join(folder, "agent_workflow.yaml"));
  const plugins = [monitoring({ contract: "agent_workflow.yaml" }), gatekeeper];
  return createKernel(
    { plugins, fallback: "allow" },
    { configFile: join(folder, "bylaw.config.ts") },
  );
}

/** A log that a test fills by hand. */
export interface GivenLog extends LogReader {
  readonly all: readonly LogEvent[];
  add(...sketches: readonly Sketch[]): readonly LogEvent[];
}

export function givenLog(run = "run-1"): GivenLog {
  const all: LogEvent[] = [];
  return {
    run,
    session: SESSION,
    all,
    add(...sketches) {
      const added = chainEvents(all.at(-1), drafts(sketches));
      all.push(...added);
      return added;
    },
    events: async (after, limit) => all.slice(after, after + limit),
  };
}

export const linesOf = (path: string): readonly string[] =>
  readFileSync(path, "utf8").split("\n").slice(0, -1);

export const noView = (): never => {
  throw new Error("an export needs no view");
};
