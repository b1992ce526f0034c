import { startPostgres } from "@bylaw/testing";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { enginesOn, took, typesOf, worker, type Place } from "./kit.ts";
import { holdOf, rules, summary, upTo } from "./setting.ts";

const server = await startPostgres();
afterAll(async () => server?.stop());

describe.each(enginesOn(server).map((engine) => [engine.name, engine] as const))(
  "tasks %s",
  (_, engine) => {
    let place: Place;
    beforeEach(async () => {
      place = await engine.place();
    });
    afterEach(() => place.end());
    const open = (
      ...given: Parameters<typeof worker> extends [unknown, ...infer Rest] ? Rest : never
    ) => worker(place, ...given);

    /** The store's answer to a caller that bypasses the log. */
    const pastTheLog = async (id: string) => {
      const event = (): never => {
        throw new Error("given away");
      };
      return (await place.store()).claim({
        queue: JSON.stringify(["r1", id]),
        agent: "mallory",
        lease_ms: 1_000,
        event,
      });
    };

    it("are assigned in the order of their creation, to agents that can do them (WF-100)", async () => {
      const one = await open();
      for (const [id, capabilities] of [
        ["a", ["review"]],
        ["b", []],
        ["c", ["typescript", "review"]],
        ["d", []],
      ] as const) {
        await one.tasks.create({ id, capabilities });
      }
      expect((await took(one, "ann")).task).toBe("b");
      expect((await took(one, "bob", { capabilities: ["review", "python"] })).task).toBe("a");
      expect((await took(one, "eve", { capabilities: ["review", "typescript"] })).task).toBe("c");
      expect(await took(one, "kim")).toMatchObject({
        task: "d",
        agent: "kim",
        fence: 1,
        phase: null,
        lease_until: "2026-01-02T10:05:00.000Z",
      });
      expect(await one.tasks.claim({ agent: "zoe", capabilities: ["review"] })).toBeUndefined();
    });

    it("are held by one agent each, however many ask at once from however many connections", async () => {
      const workers = await Promise.all(upTo(4).map(() => open()));
      for (const n of upTo(12)) await workers[0]?.tasks.create({ id: `t${n}` });
      const claims = await Promise.all(
        workers.flatMap(({ tasks }, at) =>
          upTo(4).map((n) => tasks.claim({ agent: `a${at}-${n}` })),
        ),
      );
      const held = claims.filter((claim) => claim !== undefined);
      expect(new Set(held.map(({ task }) => task)).size).toBe(12);
      expect(held).toHaveLength(12);
      expect((await typesOf(place)).filter((type) => type === "task_claimed")).toHaveLength(12);
    });

    it("are held for as long as an agent was told, even if a heartbeat comes with a slow clock", async () => {
      const [one, other] = [await open(), await open()];
      await one.tasks.create({ id: "a" });
      const held = await took(one, "ann");
      await place.advance(-200_000);
      expect((await one.tasks.heartbeat(holdOf(held))).lease_until).toBe(held.lease_until);
      const renewed = (await (await place.store()).events("r1", 0, 100)).filter(
        ({ event_type }) => event_type === "task_renewed",
      );
      expect(renewed).toMatchObject([{ details: { lease_until: held.lease_until } }]);
      await place.advance(499_000);
      expect(await other.tasks.claim({ agent: "bob" })).toBeUndefined();
      expect(await pastTheLog("a")).toBeUndefined();
      expect((await one.tasks.heartbeat(holdOf(held))).lease_until > held.lease_until).toBe(true);
    });

    it("wait until their dependencies are completed (WF-109)", async () => {
      const [one, other] = [await open(), await open()];
      await one.tasks.create({ id: "parent" });
      await one.tasks.create({ id: "child", dependencies: ["parent"] });
      const held = await took(one, "ann");
      expect([held.task, await other.tasks.claim({ agent: "bob" })]).toEqual(["parent", undefined]);
      expect(await other.tasks.claim({ agent: "bob", task: "child" })).toBeUndefined();
      expect(await other.tasks.snapshot({ task: "child" })).toMatchObject({
        task_dependencies: ["parent"],
        completed_tasks: [],
      });
      const { applied } = await one.tasks.complete({ ...holdOf(held), ...summary });
      expect(applied).toBe("allow");
      expect(await other.tasks.snapshot({ task: "child" })).toMatchObject({
        task_dependencies: ["parent"],
        completed_tasks: ["parent"],
      });
      expect((await took(other, "bob")).task).toBe("child");
      expect(await other.tasks.claim({ agent: "eve" })).toBeUndefined();
    });

    it("are completed with their artifacts, once, by the agent that holds them", async () => {
      const one = await open();
      await one.tasks.create({ id: "a" });
      const held = await took(one, "ann");
      const complete = async (fields: object) =>
        (await one.tasks.complete({ ...holdOf(held), artifacts: {}, ...fields })).decision.code;
      expect(await complete({})).toBe("unfinished");
      expect(await complete({ ...summary, agent: "bob" })).toBe("task_other_agent");
      expect(await complete({ ...summary, fence: held.fence + 1 })).toBe("task_fence_stale");
      expect(await complete(summary)).toBe("rule_allowed");
      expect(await complete({ ...summary, reason: "again" })).toBe("task_over");
      expect((await typesOf(place)).slice(-3)).toEqual([
        "phase_entered",
        "task_finished",
        "transition_blocked",
      ]);
      expect(await one.tasks.get("a")).toMatchObject({ status: "completed", agent: "ann" });
    });

    it("are completed once under one request id, with the same answer each time (WF-114)", async () => {
      const [one, other] = [await open(), await open()];
      await one.tasks.create({ id: "a" });
      const held = await took(one, "ann");
      const request = { ...holdOf(held), ...summary, request_id: "q1" };
      const outcomes = await Promise.all(
        [one, other, one, other].map(({ tasks }) => tasks.complete(request)),
      );
      expect(outcomes.map(({ applied }) => applied)).toEqual(["allow", "allow", "allow", "allow"]);
      expect(outcomes.filter(({ replayed }) => replayed === true)).toHaveLength(3);
      await one.tasks.recover();
      const types = await typesOf(place);
      for (const type of ["phase_entered", "task_finished"])
        expect(types.filter((each) => each === type)).toHaveLength(1);
    });

    it("move on by one of two simultaneous transitions; the other is decided again (WF-115)", async () => {
      const [one, other] = [await open(), await open()];
      await one.tasks.create({ id: "a" });
      const { agent, task } = await took(one, "ann");
      const outcomes = await Promise.all(
        [one, other].map(({ run }) => run.transition({ agent, task, to: "PLAN", artifacts: {} })),
      );
      expect(outcomes.map(({ applied }) => applied).toSorted()).toEqual(["allow", "deny"]);
      expect(outcomes.find(({ applied }) => applied === "deny")?.decision.code).toBe("unfinished");
      const twice = await Promise.all(
        ["TDD", "DONE"].map((to) => one.run.transition({ agent, task, to, artifacts: {} })),
      );
      expect(twice.map(({ decision }) => decision.effect)).toEqual(["allow", "allow"]);
      expect((await typesOf(place)).filter((type) => type === "phase_entered")).toHaveLength(3);
    });

    it("continue in the phase from the log, for the same agent with the same claim, for another with a new one", async () => {
      const one = await open();
      await one.tasks.create({ id: "a" });
      const held = await took(one, "ann", { request_id: "q1" });
      await one.run.transition({ agent: "ann", task: "a", to: "PLAN", artifacts: {} });
      // The process is gone, and its agent comes back.
      const two = await open();
      expect(await took(two, "ann", { request_id: "q1" })).toEqual({ ...held, phase: "PLAN" });
      expect(await took(two, "ann", { task: "a" })).toEqual({ ...held, phase: "PLAN" });
      expect(await two.tasks.claim({ agent: "bob", task: "a" })).toBeUndefined();
      await two.tasks.release({ ...holdOf(held), reason: "tired" });
      await expect(two.tasks.claim({ agent: "ann", request_id: "q1" })).rejects.toFailWith(
        "BYLAW_TASK_INVALID",
      );
      expect(await took(two, "bob")).toMatchObject({ task: "a", phase: "PLAN", fence: 2 });
      expect((await typesOf(place)).filter((type) => type === "task_claimed")).toHaveLength(2);
    });

    it("come back when their agent is lost: after a while, a number of times, and then go to a person", async () => {
      const one = await open(rules({ maxRetries: 1, backoffSeconds: 60 }));
      await one.tasks.create({ id: "a" });
      const first = await took(one, "ann");
      await place.advance(299_999);
      expect(await one.tasks.claim({ agent: "bob" })).toBeUndefined();
      await place.advance(1);
      expect(await one.tasks.claim({ agent: "bob" })).toBeUndefined();
      expect(await one.tasks.get("a")).toMatchObject({
        status: "waiting",
        lapses: 1,
        until: "2026-01-02T10:06:00.000Z",
      });
      await place.advance(59_999);
      expect(await one.tasks.claim({ agent: "bob" })).toBeUndefined();
      await place.advance(1);
      const second = await took(one, "bob");
      expect(second.fence).toBeGreaterThan(first.fence);
      await expect(one.tasks.heartbeat(holdOf(first))).rejects.toFailWith("BYLAW_EVENT_REFUSED");
      await place.advance(300_000);
      expect(
        (await one.tasks.recover()).map(({ event_type, details }) => [
          event_type,
          details["agent"],
        ]),
      ).toEqual([["task_escalated", "bob"]]);
      await place.advance(3_600_000);
      expect(await one.tasks.claim({ agent: "ann" })).toBeUndefined();
      expect(
        (await one.run.toolCall({ tool: "read", args: {}, agent: "bob", task: "a" })).decision.code,
      ).toBe("task_escalated");
      await expect(one.tasks.retry({ task: "a", by: "bob" })).rejects.toFailWith(
        "BYLAW_EVENT_REFUSED",
      );
      await one.tasks.retry({ task: "a", by: "eve", reason: "the machine was down" });
      expect(await took(one, "ann")).toMatchObject({ task: "a" });
      expect((await typesOf(place)).filter((type) => type.startsWith("task_"))).toEqual([
        "task_created",
        "task_claimed",
        "task_lapsed",
        "task_claimed",
        "task_escalated",
        "task_retried",
        "task_claimed",
      ]);
    });

    it("go to a person at once if the contract says so", async () => {
      const one = await open(rules({ action: "escalate_to_human" }));
      await one.tasks.create({ id: "a" });
      await took(one, "ann");
      await place.advance(300_000);
      await Promise.all([
        one.tasks.recover(),
        (await open(rules({ action: "escalate_to_human" }))).tasks.recover(),
      ]);
      expect((await typesOf(place)).slice(-2)).toEqual(["task_claimed", "task_escalated"]);
    });

    it("are recorded as lost once, however many check", async () => {
      const workers = await Promise.all(upTo(4).map(() => open(rules({ backoffSeconds: 0 }))));
      for (const n of upTo(3)) await workers[0]?.tasks.create({ id: `t${n}` });
      for (const n of upTo(3)) await took(workers[0] as (typeof workers)[0], `a${n}`);
      await place.advance(300_000);
      await Promise.all(workers.map(({ tasks }) => tasks.recover()));
      expect((await typesOf(place)).filter((type) => type === "task_lapsed")).toHaveLength(3);
      await place.advance(1);
      const claims = await Promise.all(
        workers.flatMap(({ tasks }, at) =>
          upTo(2).map((n) => tasks.claim({ agent: `b${at}-${n}` })),
        ),
      );
      expect(
        new Set(claims.flatMap((claim) => (claim === undefined ? [] : [claim.task]))).size,
      ).toBe(3);
      expect(claims.filter((claim) => claim !== undefined)).toHaveLength(3);
    });

    it("stay with an agent that sends heartbeats", async () => {
      const one = await open();
      await one.tasks.create({ id: "a" });
      const held = await took(one, "ann");
      for (const _ of upTo(3)) {
        await place.advance(299_000);
        expect((await one.tasks.heartbeat(holdOf(held))).lease_until).toBe(
          new Date(Date.parse(place.now()) + 300_000).toISOString(),
        );
        expect(await one.tasks.claim({ agent: "bob" })).toBeUndefined();
        expect(await pastTheLog("a")).toBeUndefined();
      }
      await place.advance(300_000);
      await expect(one.tasks.heartbeat(holdOf(held))).rejects.toFailWith("BYLAW_EVENT_REFUSED");
      expect(
        (await one.run.toolCall({ tool: "read", args: {}, agent: "ann", task: "a" })).decision.code,
      ).toBe("task_lease_over");
    });

    it("that were completed by a process that died before it told the store are finished by the next one (WF-116)", async () => {
      const one = await open();
      await one.tasks.create({ id: "a" });
      await one.tasks.create({ id: "b", dependencies: ["a"] });
      const held = await took(one, "ann");
      // The same steps as `complete`, up to where the process dies.
      await one.run.transition({
        agent: "ann",
        task: "a",
        to: "@completed",
        ...summary,
        host: { fence: held.fence },
      });
      expect((await typesOf(place)).at(-1)).toBe("phase_entered");
      await place.advance(600_000);
      const two = await open();
      expect((await took(two, "bob")).task).toBe("b");
      expect((await typesOf(place)).slice(-3)).toEqual([
        "phase_entered",
        "task_finished",
        "task_claimed",
      ]);
      expect(await pastTheLog("a")).toBeUndefined();
    });

    it("that are given up wait for a person", async () => {
      const one = await open();
      await one.tasks.create({ id: "a" });
      const held = await took(one, "ann");
      await one.tasks.fail({ ...holdOf(held), reason: "there is no such library" });
      expect(await pastTheLog("a")).toBeUndefined();
      expect(await one.tasks.claim({ agent: "bob" })).toBeUndefined();
      await place.advance(600_000);
      expect(await one.tasks.claim({ agent: "bob" })).toBeUndefined();
      expect((await one.tasks.complete({ ...holdOf(held), ...summary })).decision.code).toBe(
        "task_over",
      );
      await one.tasks.retry({ task: "a", by: "eve" });
      expect((await took(one, "bob")).task).toBe("a");
    });

    it("that the store's own sweep has freed can still be assigned, returned and finished", async () => {
      const one = await open(rules({ action: "escalate_to_human" }));
      for (const id of ["a", "b"]) await one.tasks.create({ id });
      await took(one, "ann");
      const second = await took(one, "bob");
      await place.advance(300_000);
      await one.tasks.recover();
      await place.advance(1_000);
      const store = await place.store();
      const [first] = await store.events("r1", 0, 1);
      const session_id = first?.session_id ?? "";
      await store.sweep(({ task }) => ({
        timestamp: place.now(),
        session_id,
        event_type: "swept",
        agent_id: null,
        task_id: null,
        details: { task },
      }));
      for (const task of ["a", "b"]) await one.tasks.retry({ task, by: "eve" });
      expect((await took(one, "bob", { task: "b" })).fence).toBeGreaterThan(second.fence + 1);
      const held = await took(one, "ann");
      expect((await one.tasks.complete({ ...holdOf(held), ...summary })).applied).toBe("allow");
    });

    it("of one run are separate from another's with the same names", async () => {
      const [one, other] = [await open(), await open(rules(), undefined, "r2")];
      for (const { tasks } of [one, other]) await tasks.create({ id: "a" });
      const claims = [
        await took(one, "ann", { request_id: "q1" }),
        await took(other, "ann", { request_id: "q1" }),
      ];
      expect(claims.map(({ task, fence }) => [task, fence])).toEqual([
        ["a", 1],
        ["a", 1],
      ]);
      expect(
        [await typesOf(place, "r1"), await typesOf(place, "r2")].map((types) => types.at(-1)),
      ).toEqual(["task_claimed", "task_claimed"]);
    });

    it("are created once, and a repeated request returns them", async () => {
      const [one, other] = [await open(), await open()];
      const request = { id: "a", title: "The first", capabilities: ["b", "a"] };
      const made = await Promise.all([one, other, one].map(({ tasks }) => tasks.create(request)));
      expect(new Set(made.map((task) => JSON.stringify(task))).size).toBe(1);
      await expect(other.tasks.create({ ...request, title: "Another" })).rejects.toFailWith(
        "BYLAW_EVENT_REFUSED",
      );
      expect((await typesOf(place)).filter((type) => type === "task_created")).toHaveLength(1);
      expect((await one.tasks.create({})).id).not.toBe((await one.tasks.create({})).id);
    });
  },
);
