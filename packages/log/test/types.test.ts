import { createKernel } from "@bylaw/kernel";
import { expect, it } from "vitest";
import { openRun } from "../src/index.ts";

it("the methods of a run fix the hook of their subject", async () => {
  const run = await openRun(createKernel({}), { run: "r1" });
  expect(await run.toolCall({ tool: "read_file", args: {} })).toMatchObject({
    applied: "ask_user",
  });
  // @ts-expect-error a run's method fixes its hook
  expect(await run.toolCall({ hook: "onBehavior", tool: "read_file", args: {} })).toMatchObject({
    applied: "ask_user",
  });
  // @ts-expect-error a transition needs a task
  expect(await run.transition({ to: "DONE", artifacts: {} })).toMatchObject({
    decision: { code: "invalid_call" },
  });
});
