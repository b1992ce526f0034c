import { createKernel, type JsonObject } from "@bylaw/kernel";
import { createMemoryStore, openRun } from "@bylaw/log";
import { describeExamples, readCases } from "@bylaw/testing";
import { array, assert, asyncProperty, constantFrom, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { examples } from "../examples.ts";
import { countOf, loop, loopCounters } from "../src/index.ts";

describeExamples(examples, { describe, it });

const order = ["plan", "code", "test", "check", "ship"];
const begin = async (loops: Parameters<typeof loop>[0]["loops"], store = createMemoryStore()) => {
  const run = await openRun(createKernel({ plugins: [loop({ order, loops })] }), {
    run: "loops",
    store,
  });
  const ask = async (action: string, step: string, host: JsonObject = {}) =>
    (await run.behave({ action, step, agent: "ann", host })).decision;
  return { run, ask, store };
};

describe("loop", () => {
  it("goes back up to its limit, by the log", async () => {
    const { ask, run, store } = await begin({ check: { steps: 2, max_iterations: 2 } });
    expect((await ask("loop", "check")).directive).toMatchObject({
      action: "loop",
      to: "code",
      iteration: 1,
      steps_back: 2,
    });
    await run.close();
    // Another process continues counting.
    const again = await begin({ check: { steps: 2, max_iterations: 2 } }, store);
    expect((await again.ask("loop", "check")).directive).toMatchObject({ iteration: 2 });
    expect(await again.ask("loop", "check")).toMatchObject({ effect: "deny", code: "loop_limit" });
    // Other requests in between restore nothing.
    expect((await again.ask("stop", "check")).directive).toEqual({
      action: "continue",
      ended: "check",
    });
    expect((await again.ask("continue", "check")).directive).toEqual({ action: "continue" });
    expect(await again.ask("loop", "check")).toMatchObject({ code: "loop_limit" });
    expect(countOf(again.run.view(loopCounters), null, "check").iterations).toBe(2);
  });

  it("gives an inner loop its full budget in each pass of the outer one", async () => {
    const { ask } = await begin({
      test: { steps: 1, max_iterations: 1 },
      check: { steps: 2, max_iterations: 1 },
    });
    expect((await ask("loop", "test")).effect).toBe("allow");
    expect((await ask("loop", "test")).code).toBe("loop_limit");
    expect((await ask("loop", "check")).directive).toMatchObject({ resets: ["test"] });
    expect((await ask("loop", "test")).effect).toBe("allow");
    expect((await ask("loop", "test")).code).toBe("loop_limit");
    expect((await ask("loop", "check")).code).toBe("loop_limit");
  });

  it("counts each task separately", async () => {
    const { run } = await begin({ check: { steps: 1, max_iterations: 1 } });
    const of = async (task: string) =>
      (await run.behave({ action: "loop", step: "check", task })).decision.effect;
    expect([await of("a"), await of("b"), await of("a")]).toEqual(["allow", "allow", "deny"]);
  });

  it("ends if nothing changes, even below its limit", async () => {
    const { ask } = await begin({ check: { steps: 1, max_iterations: 100, stall: 2 } });
    const at = (progress: string) => ask("loop", "check", { progress });
    expect([(await at("a")).effect, (await at("a")).effect]).toEqual(["allow", "allow"]);
    expect((await at("a")).code).toBe("loop_stalled");
    expect((await at("b")).effect).toBe("allow");
    expect((await at("a")).effect).toBe("allow");
  });

  it("takes a missing progress report as no progress", async () => {
    const { ask } = await begin({ check: { steps: 1, max_iterations: 100, stall: 2 } });
    const codes: string[] = [];
    for (const host of readCases<JsonObject>(import.meta, "progress-reports"))
      codes.push((await ask("loop", "check", host)).code);
    const [yes, no] = ["rule_allowed", "loop_stalled"];
    expect(codes).toEqual([yes, yes, no, yes, yes, no, no, yes]);
  });

  it("never exceeds its limits, whatever is requested", async () => {
    const step = constantFrom("test", "check", "ship");
    await assert(
      asyncProperty(
        array(tuple(constantFrom("loop", "stop", "continue"), step), { maxLength: 60 }),
        async (asked) => {
          const { ask } = await begin({
            test: { steps: 1, max_iterations: 2 },
            check: { steps: 2, max_iterations: 2 },
            ship: { steps: 4, max_iterations: 1 },
          });
          let passes = 0;
          for (const [action, at] of asked)
            if ((await ask(action, at)).directive?.action === "loop") passes += 1;
          // Each outer pass restores the inner loops: 1 + 2 * 2 + 2 * (1 + 2) * 2.
          expect(passes).toBeLessThanOrEqual(17);
        },
      ),
      { numRuns: 30 },
    );
  });

  it.each(
    readCases<[string, Parameters<typeof loop>[0]["loops"], string]>(import.meta, "wrong-loops"),
  )("does not load with %s", (_, loops, message) => {
    expect(() => loop({ order, loops })).toThrow(
      expect.objectContaining({
        code: "BYLAW_OPTIONS_INVALID",
        message: expect.stringMatching(message) as string,
      }),
    );
  });
});

describe("loop, as older systems read it", () => {
  const beginAs = async (
    compat: "radium" | "codemachine",
    loops: Parameters<typeof loop>[0]["loops"],
  ) => {
    const run = await openRun(createKernel({ plugins: [loop({ order, loops, compat })] }), {
      run: "loops",
    });
    return async (action: string, step: string) =>
      (await run.behave({ action, step, agent: "ann" })).decision.directive;
  };

  it("ignores what is missing, and clamps steps that go back too far", async () => {
    const ask = await beginAs("codemachine", { code: { steps: 9, skip: ["anybody", "code"] } });
    expect(await ask("loop", "plan")).toEqual({ action: "continue" });
    expect(await ask("stop", "ship")).toEqual({ action: "continue" });
    expect(await ask("loop", "code")).toMatchObject({ to: "plan", skip: ["anybody", "code"] });
  });

  it("checks the limit first: CodeMachine then counts anew, and Radium never goes back with a limit of 0", async () => {
    const ask = await beginAs("codemachine", { check: { steps: 1, max_iterations: 1 } });
    expect(await ask("loop", "check")).toMatchObject({ iteration: 1 });
    expect(await ask("continue", "check")).toMatchObject({ action: "continue", ended: "check" });
    expect(await ask("loop", "check")).toMatchObject({ action: "loop", iteration: 1 });
    const never = await beginAs("radium", { check: { steps: 0, max_iterations: 0 } });
    expect(await never("loop", "check")).toEqual({ action: "continue", ended: "check" });
    const itself = await beginAs("radium", { check: { steps: 0, max_iterations: 1 } });
    expect(await itself("loop", "check")).toMatchObject({ to: "check" });
    expect(await itself("loop", "check")).toEqual({ action: "continue", ended: "check" });
  });

  it("is refused by the current reading", () => {
    for (const wrong of [{ steps: 0 }, { steps: 1, max_iterations: 0 }, { steps: 9 }])
      expect(() => loop({ order, loops: { check: wrong } })).toThrow(/goes back/);
  });
});
