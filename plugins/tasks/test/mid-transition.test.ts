import { expect, it, onTestFinished } from "vitest";
import { currentPhases, phaseOf } from "@bylaw/log";
import { pluginOf } from "@bylaw/testing";
import { enginesOn, took, worker } from "./kit.ts";
import { kernelWith, rules } from "./setting.ts";

it.each(enginesOn(undefined).map((engine) => [engine.name, engine] as const))(
  "a lease that ends while a transition is decided voids the transition, for the same agent too (%s)",
  async (_, engine) => {
    for (const [next, code] of [
      ["bob", "task_other_agent"],
      ["ann", "task_fence_stale"],
    ] as const) {
      const place = await engine.place();
      onTestFinished(() => place.end());
      const { promise: looking, resolve: begun } = Promise.withResolvers<void>();
      const { promise: looked, resolve: end } = Promise.withResolvers<void>();
      const slow = pluginOf("slow", (kernel) => {
        kernel.prepare("look", async (subject) => {
          if (subject.hook !== "onTransition") return undefined;
          begun();
          await looked;
          return {};
        });
      });
      const zombie = await worker(place, rules({ backoffSeconds: 0 }), kernelWith(slow));
      const other = await worker(place, rules({ backoffSeconds: 0 }));
      await zombie.tasks.create({ id: "a" });
      const { fence } = await took(zombie, "ann");
      const asked = zombie.run.transition({
        agent: "ann",
        task: "a",
        to: "PLAN",
        artifacts: {},
        host: { fence },
      });
      await looking;
      await place.advance(300_001);
      await other.tasks.recover();
      await place.advance(1);
      expect((await took(other, next)).fence).toBeGreaterThan(fence);
      end();
      const { applied, decision } = await asked;
      expect([applied, decision.code], decision.reason).toEqual(["deny", code]);
      expect(phaseOf(other.run.view(currentPhases), "a")).toBeUndefined();
      await zombie.run.close();
      await other.run.close();
    }
  },
);
