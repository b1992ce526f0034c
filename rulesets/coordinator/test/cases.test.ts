import { readFileSync } from "node:fs";
import { createKernel, type EventDraft, type LogEvent } from "@bylaw/kernel";
import {
  createCatalogue,
  createLogVerifier,
  createMemoryStore,
  formatEventLine,
  openRun,
  parseEventLine,
  type Run,
} from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { COORDINATOR_RULES, coordinatorOrder } from "@bylaw/plugin-coordinator";
import { describe, expect, it } from "vitest";
import { coordinator } from "../src/index.ts";

interface Case {
  readonly id: string;
  /** The number of events of the log that come before the case. */
  readonly after: number;
  readonly record: readonly Pick<EventDraft, "event_type" | "agent_id" | "task_id" | "details">[];
  readonly must: "record" | "refuse";
  readonly rule?: string;
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const linesOf = (path: string): readonly string[] => read(path).trimEnd().split("\n");
const log = linesOf("../log.jsonl").map(parseEventLine);
const cases = linesOf("../cases.jsonl").map((line) => JSON.parse(line) as Case);

const kernel = createKernel({ extends: [coordinator] });
const plan = { file: "docs/refund-plan.md", total_tasks: 3 };
const BY_THE_RUN = new Set([
  "session_start",
  "session_resumed",
  "task_restarted_on_resume",
  "task_reverification_required",
]);

/** Replays a log at its original times: its coordinator records the events, and its sessions begin and resume. */
async function redo(
  events: readonly LogEvent[],
): Promise<{ readonly run: Run; readonly store: Store }> {
  const store = createMemoryStore();
  let at = "";
  let run: Run | undefined;
  for (const { timestamp, session_id: session, event_type, agent_id, task_id, details } of events) {
    at = timestamp;
    if (run?.session !== session)
      run = await openRun(kernel, { run: "r1", store, session, plan, now: () => at });
    if (!BY_THE_RUN.has(event_type)) await run.record([{ event_type, agent_id, task_id, details }]);
  }
  if (run === undefined) throw new Error("an empty log");
  return { run, store };
}

describe("the recorded log", () => {
  it("is the same after a replay, including chain, sessions and resume", async () => {
    const { store } = await redo(log);
    expect((await store.events("r1", 0, 1_000)).map(formatEventLine)).toEqual(
      linesOf("../log.jsonl"),
    );
  });

  it("has no findings, even with the strictest catalogue", () => {
    const verifier = createLogVerifier({
      order: coordinatorOrder,
      catalogue: createCatalogue({ mode: "strict" }),
    });
    expect(linesOf("../log.jsonl").flatMap((line) => verifier.line(line))).toEqual([]);
  });

  it("contains a rework, a question, a problem, a crash and an end", () => {
    const types = new Set(log.map(({ event_type }) => event_type));
    const wanted = [
      "critic_fail",
      "auditor_blocked",
      "agent_resumes_with_guidance",
      "infrastructure_restored",
      "task_expanded",
    ];
    expect(
      [...wanted, ...BY_THE_RUN, "workflow_complete"].filter((type) => !types.has(type)),
    ).toEqual([]);
  });
});

it.each(cases.map((one) => [one.id, one] as const))(
  "every case: %s",
  async (_, { after, record, must, rule }) => {
    const { run, store } = await redo(log.slice(0, after));
    const answer = await run.record(record).then(
      () => ({ must: "record" }),
      ({ code, fix }: { readonly code: string; readonly fix?: string }) => ({
        must: "refuse",
        code,
        rule: /rule (\w+) of/.exec(fix ?? "")?.[1],
      }),
    );
    expect(answer).toEqual(
      must === "record" ? { must } : { must, code: "BYLAW_EVENT_REFUSED", rule },
    );
    expect((await store.events("r1", 0, 1_000)).length).toBe(
      after + (must === "record" ? record.length : 0),
    );
  },
);

describe("the cases as a whole", () => {
  it("have unique ids", () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  });

  it("break every rule of the life cycle that an event of a coordinator can break", () => {
    const broken = new Set(cases.map(({ rule }) => rule));
    const all = Object.entries(COORDINATOR_RULES).flatMap(([id, { severity }]) =>
      severity === "error" && id !== "INVALID_FIELD" ? [id] : [],
    );
    // Only a run can restart a task, and only one that is in progress.
    expect([...all, "OWN_WORK"].filter((id) => !broken.has(id))).toEqual([
      "RESTART_NOT_IN_PROGRESS",
    ]);
  });

  it("leave enough events allowed for a coordinator", () => {
    expect(cases.filter(({ must }) => must === "record").length).toBeGreaterThanOrEqual(8);
  });
});

it("the README counts the events and the cases", () => {
  const [, events, count] = /(\d+) events.*?(\d+) cases/s.exec(read("../README.md")) ?? [];
  expect({ events: Number(events), cases: Number(count) }).toEqual({
    events: log.length,
    cases: cases.length,
  });
});
