import { releaseWorkflow, type OversightQuestion } from "../src/index.ts";
import { describe, expect, it } from "vitest";
import { playing } from "./kit.ts";

const step = (id: string, more: object = {}) => ({ id, run: { function: "play" }, ...more });

/** A workflow whose oversight returns one risk after the other; `null` makes the service fail. */
async function overseen(
  oversight: object,
  steps: readonly object[],
  risks: readonly (number | null)[],
) {
  const { trace, at } = await playing(
    { steps, oversight: { command: ["true"], ...oversight } },
    { loop: [{ action: "loop" }] },
  );
  const left = [...risks];
  const asked: string[] = [];
  const go = async () => {
    const run = await at.open();
    const oversee = async ({ step: before, kind, agent }: OversightQuestion) => {
      asked.push(`${before}:${kind}`);
      const risk = left.shift();
      const details =
        risk === null || risk === undefined
          ? { by: "o", error: "gone" }
          : { by: "o", verdict: { risk, advice: "", traits: [], uncertainties: [] } };
      await run.record([
        {
          event_type: "error" in details ? "oversight_failed" : "oversight_given",
          agent_id: agent,
          task_id: null,
          details,
        },
      ]);
    };
    return at.go({ run, oversee });
  };
  const release = async () => {
    const run = await at.open();
    await releaseWorkflow(run, { by: "ada" });
    await run.close();
  };
  return { trace, asked, go, release };
}

describe("oversight that the template requires", () => {
  it("comes after every so many steps, also in a loop, and is requested once each time", async () => {
    const steps = [step("a"), step("loop", { loop: { steps: 1 } }), step("b"), step("c")];
    const { trace, asked, go } = await overseen({ every_steps: 2 }, steps, [0, 0, 0]);
    expect(await go()).toMatchObject({ outcome: "completed" });
    expect(trace).toEqual(["a1", "loop1", "a2", "loop2", "b1", "c1"]);
    expect(asked).toEqual(["a:implementation", "b:implementation"]);
  });

  it("comes before work of another kind, and holds the workflow at a risk until a person releases it", async () => {
    const steps = [
      step("plan", { kind: "planning" }),
      step("more", { kind: "planning" }),
      step("code"),
      step("look", { kind: "review" }),
    ];
    const { trace, asked, go, release } = await overseen(
      { at_kinds: true, hold_at: 0.5 },
      steps,
      [0.6, 0.1],
    );
    expect(await go()).toMatchObject({ outcome: "held", why: "risk", step: "code" });
    expect(await go()).toMatchObject({ outcome: "held" });
    expect(trace).toEqual(["plan1", "more1"]);
    await release();
    expect(await go()).toMatchObject({ outcome: "completed" });
    expect(trace).toEqual(["plan1", "more1", "code1", "look1"]);
    expect(asked).toEqual(["code:implementation", "look:review"]);
  });

  it("comes before work of another kind that begins in parallel with work of the same kind", async () => {
    const steps = [
      step("plan", { kind: "planning" }),
      step("more", { kind: "planning", parallel: "g" }),
      step("code", { parallel: "g" }),
      step("test"),
    ];
    const { trace, asked, go } = await overseen({ at_kinds: true }, steps, [0]);
    expect(await go()).toMatchObject({ outcome: "completed" });
    expect(asked).toEqual(["code:implementation"]);
    expect(trace).toEqual(["plan1", "more1", "code1", "test1"]);
  });

  it("ignores a skipped step, and judges the next step that begins", async () => {
    const skipped = { when: "plan.success == false" };
    for (const oversight of [{ at_kinds: true }, { every_steps: 1 }]) {
      const steps = [
        step("plan", { kind: "planning" }),
        step("look", { kind: "review", ...skipped }),
        step("code"),
        step("end", { kind: "review", ...skipped }),
      ];
      const { trace, asked, go } = await overseen(oversight, steps, [0]);
      expect(await go()).toMatchObject({ outcome: "completed" });
      expect(asked).toEqual(["code:implementation"]);
      expect(trace).toEqual(["plan1", "code1"]);
    }
  });

  it("holds the workflow if it fails", async () => {
    const { trace, go, release } = await overseen(
      { every_steps: 1 },
      [step("a"), step("b")],
      [null],
    );
    expect(await go()).toMatchObject({ outcome: "held", why: "oversight", step: "b" });
    await release();
    expect(await go()).toMatchObject({ outcome: "completed" });
    expect(trace).toEqual(["a1", "b1"]);
  });
});
