import { createKernel } from "@bylaw/kernel";
import { createMemoryStore, openRun } from "@bylaw/log";
import { describeExamples } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { examples } from "../examples.ts";
import { checkpoint, openCheckpoints, resumeCheckpoint } from "../src/index.ts";

describeExamples(examples, { describe, it });

const begin = async (store = createMemoryStore()) => {
  const run = await openRun(createKernel({ plugins: [checkpoint()], fallback: "allow" }), {
    run: "pauses",
    store,
  });
  const call = async (task?: string, agent = "bob") =>
    (
      await run.toolCall({
        tool: "bash",
        args: { command: "ls" },
        agent,
        ...(task === undefined ? {} : { task }),
      })
    ).decision.code;
  return { run, call, store };
};

describe("checkpoint", () => {
  it("stops everything but other tasks until a person resumes it, also in another process", async () => {
    const { run, call, store } = await begin();
    expect(await call("a")).toBe("fallback");
    await run.behave({
      action: "checkpoint",
      agent: "ann",
      task: "a",
      step: "deploy",
      reason: "look first",
      host: { definition: "sha256:1" },
    });
    expect([await call("a"), await call("b")]).toEqual(["checkpoint_paused", "fallback"]);
    expect((await run.transition({ task: "a", to: "DONE", artifacts: {} })).decision.code).toBe(
      "checkpoint_paused",
    );
    expect(
      (await run.behave({ action: "checkpoint", agent: "ann", task: "a" })).decision.code,
    ).toBe("checkpoint_paused");
    await run.close();
    const again = await begin(store);
    expect(await again.call("a")).toBe("checkpoint_paused");
    const [open] = again.run.view(openCheckpoints);
    expect(open).toMatchObject({
      task: "a",
      agent: "ann",
      step: "deploy",
      reason: "look first",
      definition: "sha256:1",
    });
    const pause = open?.checkpoint ?? 0;
    await expect(
      resumeCheckpoint(again.run, { checkpoint: pause, by: "Ann ", definition: "sha256:1" }),
    ).rejects.toFailWith("BYLAW_EVENT_REFUSED");
    await expect(
      resumeCheckpoint(again.run, { checkpoint: pause, by: "eve", definition: "sha256:2" }),
    ).rejects.toFailWith("BYLAW_CHECKPOINT_CHANGED");
    await expect(resumeCheckpoint(again.run, { checkpoint: pause, by: "eve" })).rejects.toFailWith(
      "BYLAW_CHECKPOINT_CHANGED",
    );
    const [event] = await resumeCheckpoint(again.run, {
      checkpoint: pause,
      by: "eve",
      definition: "sha256:2",
      migrate: true,
    });
    expect(event?.details).toEqual({
      checkpoint: pause,
      by: "eve",
      definition: "sha256:2",
      migrated: true,
    });
    expect(await again.call("a")).toBe("fallback");
    await expect(resumeCheckpoint(again.run, { checkpoint: pause, by: "eve" })).rejects.toFailWith(
      "BYLAW_EVENT_REFUSED",
    );
  });

  it("cannot be evaded by naming another task or none", async () => {
    const { run, call } = await begin();
    await run.behave({ action: "checkpoint", agent: "ann", task: "a" });
    expect([
      await call("b", "ann"),
      await call(undefined, "ann"),
      await call("a"),
      await call("b"),
      await call(),
    ]).toEqual([
      ...["checkpoint_paused", "checkpoint_paused", "checkpoint_paused", "fallback", "fallback"],
    ]);
    for (const who of [{ task: "b" }, {}])
      expect((await run.toolCall({ tool: "bash", args: {}, ...who })).decision.code).toBe(
        "checkpoint_paused",
      );
    expect((await run.behave({ action: "continue", agent: "ann", task: "b" })).decision.code).toBe(
      "checkpoint_paused",
    );
  });

  it("stops all tasks if it names none", async () => {
    const { run, call } = await begin();
    await run.behave({ action: "checkpoint", agent: "ann" });
    expect([await call("a"), await call()]).toEqual(["checkpoint_paused", "checkpoint_paused"]);
  });
});
