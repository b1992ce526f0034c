import { createKernel } from "@bylaw/kernel";
import { describe, expect, it } from "vitest";
import { createMemoryStore, openRun, type Run } from "@bylaw/log";
import { guarded, plain, whole } from "./life-kit.ts";

const TOOL = { id: "c1", agent: "a1", tool: "read_file", args: { path: "a" } };
const store = createMemoryStore();
const open = (run: string, join = true): Promise<Run> =>
  openRun(createKernel({ plugins: [guarded], fallback: "allow" }), { run, store, join });

const ENDS = [
  ["workflow_complete", { total_tasks: 1, compactions: 0, session_resumes: 0 }],
  ["workflow_failed", { reason: "out of money", last_state: "one task of two" }],
] as const;

describe.each(ENDS)("a run that ended with %s", (type, details) => {
  it("reports the end to every request, and records nothing more", async () => {
    const [run, other] = [await open(type), await open(type)];
    expect((await run.toolCall(TOOL)).decision.effect).toBe("allow");
    await run.record(whole("task-1"));
    await run.record([plain(type, details)]);
    const { length } = await store.events(type, 0, 1_000);
    // The other process has not read the end yet.
    for (const at of [other, run]) {
      const outcomes = [
        await at.toolCall(TOOL),
        await at.transition({ task: "t", agent: "ann", to: "PLAN", artifacts: {} }),
        await at.behave({ agent: "ann", action: "continue" }),
        await at.respond({ agent: "ann", text: "done" }),
      ];
      for (const { applied, decision, events } of outcomes) {
        expect([applied, decision.code, events]).toEqual(["deny", "run_ended", []]);
        expect(decision.reason).toBe(`The run ended with \`${type}\``);
      }
    }
    expect(await store.events(type, 0, 1_000)).toHaveLength(length);
  });
});
