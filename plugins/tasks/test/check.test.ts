import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKernel } from "@bylaw/kernel";
import { describeExamples, pluginOf, readCases } from "@bylaw/testing";
import { examples } from "../examples.ts";
import { claimFault, createTasks, tasks as plugin } from "../src/index.ts";
import { enginesOn, took, typesOf, worker, type Place, type Worker } from "./kit.ts";
import { holdOf, kernelWith, permits, rules, summary } from "./setting.ts";

describeExamples(examples, { describe, it });

const [engine] = enginesOn(undefined);
let place: Place;
let one: Worker;
beforeEach(async () => {
  if (engine === undefined) throw new Error("Unexpected lack of engines");
  place = await engine.place();
  one = await worker(place);
});
afterEach(() => place.end());

const call = async (fields: object = {}, { run }: Worker = one): Promise<string> =>
  (await run.toolCall({ tool: "bash", args: {}, agent: "ann", task: "a", ...fields })).decision
    .code;
const move = async (fields: object = {}, { run }: Worker = one): Promise<string> =>
  (await run.transition({ to: "PLAN", artifacts: {}, agent: "ann", task: "a", ...fields })).decision
    .code;

describe("work on a task", () => {
  it("is done only by the agent that holds it", async () => {
    expect([await call(), await move()]).toEqual(["task_unknown", "task_unknown"]);
    await one.tasks.create({ id: "a" });
    expect([await call(), await move()]).toEqual(["task_not_claimed", "task_not_claimed"]);
    const held = await took(one, "ann");
    expect([await call(), await move()]).toEqual(["rule_allowed", "rule_allowed"]);
    for (const agent of ["bob", "ann ", "ANN", "", undefined]) {
      expect([agent, await call({ agent }), await move({ agent })]).toEqual([
        agent,
        "task_other_agent",
        "task_other_agent",
      ]);
    }
    expect(await call({ task: undefined, agent: "bob" })).toBe("rule_allowed");
    await one.tasks.release(holdOf(held));
    expect(await call()).toBe("task_not_claimed");
  });

  it("is done under the fence of the claim if the host gives one: an old process of the same agent is refused", async () => {
    await one.tasks.create({ id: "a" });
    const first = await took(one, "ann");
    await one.tasks.release(holdOf(first));
    const second = await took(one, "ann");
    expect(await call({ host: { fence: second.fence } })).toBe("rule_allowed");
    for (const fence of [
      first.fence,
      String(second.fence),
      null,
      0,
      second.fence + 1,
      [second.fence],
    ]) {
      expect([fence, await call({ host: { fence } })]).toEqual([fence, "task_fence_stale"]);
    }
    const stale = { ...holdOf(first), agent: "ann" };
    for (const late of [
      one.tasks.heartbeat(stale),
      one.tasks.release(stale),
      one.tasks.fail({ ...stale, reason: "late" }),
    ]) {
      await expect(late).rejects.toFailWith("BYLAW_EVENT_REFUSED");
    }
  });

  it("is done until the lease is over, by the run's clock and not by the caller's time", async () => {
    await one.tasks.create({ id: "a" });
    await took(one, "ann");
    await place.advance(299_999);
    expect(await call({ at: "2031-01-01T00:00:00Z" })).toBe("rule_allowed");
    await place.advance(1);
    expect([await call({ at: "2026-01-02T10:00:00Z" }), await move()]).toEqual([
      "task_lease_over",
      "task_lease_over",
    ]);
  });

  it("is not done while it waits for others, or when it is over", async () => {
    await one.tasks.create({ id: "b" });
    await one.tasks.create({ id: "a", dependencies: ["b"] });
    expect([await call(), await move()]).toEqual(["task_blocked", "task_blocked"]);
    const held = await took(one, "ann");
    await one.tasks.complete({ ...holdOf(held), ...summary });
    expect([await call({ task: "b" }), await move({ task: "b" })]).toEqual([
      "task_over",
      "task_over",
    ]);
  });

  it("is denied in every enforcement mode", async () => {
    for (const enforcement_mode of ["strict", "permissive", "advisory"] as const) {
      const lax = await worker(
        place,
        rules(),
        createKernel({ plugins: [permits, plugin()], enforcement_mode }),
        enforcement_mode,
      );
      expect(
        (await lax.run.toolCall({ tool: "bash", args: {}, agent: "ann", task: "a" })).applied,
      ).toBe("deny");
    }
  });

  it("is open to anybody if claims are off, but a task is never completed before its dependencies", async () => {
    const off = await worker(
      place,
      rules(),
      createKernel({ plugins: [permits, plugin({ claims: "off" })] }),
      "off",
    );
    for (const [id, dependencies] of [
      ["b", []],
      ["a", ["b"]],
    ] as const)
      await off.tasks.create({ id, dependencies });
    expect([
      await call({}, off),
      await move({}, off),
      await call({ task: "unheard of" }, off),
    ]).toEqual(["rule_allowed", "rule_allowed", "rule_allowed"]);
    expect(await move({ to: "@completed", ...summary }, off)).toBe("task_blocked");
    expect(await move({ task: "b", to: "@completed", ...summary }, off)).toBe("rule_allowed");
    expect(await move({ to: "@completed", ...summary }, off)).toBe("rule_allowed");
    expect(await move({ to: "PLAN" }, off)).toBe("task_over");
    expect((await off.tasks.get("a")).status).toBe("completed");
  });
});

it("a claim that gets nothing says why: the state of the task, and what to do", async () => {
  const lax = await worker(place, rules({ maxRetries: 1, backoffSeconds: 60 }));
  const fault = (agent = "bob"): string => {
    const { code, reason, fix } = claimFault(lax.run.view, { agent, task: "a" }) ?? {};
    return [code, reason, fix].join(" | ");
  };
  expect(fault()).toMatch(/^task_unknown \| There is no task `a`/);
  for (const id of ["w", "x", "y", "z"]) await lax.tasks.create({ id });
  await lax.tasks.create({ id: "a", dependencies: ["w", "x", "y", "z"], capabilities: ["sql"] });
  expect(fault()).toMatch(
    /^task_blocked \| Task `a` is blocked: it waits for `w`, `x`, `y` and 1 more/,
  );
  for (const task of ["w", "x", "y", "z"]) {
    const held = await lax.tasks.claim({ agent: "ann", task });
    await lax.tasks.complete({ task, agent: "ann", fence: held?.fence ?? 0, ...summary });
  }
  expect(fault()).toMatch(/^task_not_claimed \| Task `a` needs an agent that can do `sql`/);
  const claim = { agent: "ann", task: "a", capabilities: ["sql"] };
  await lax.tasks.claim(claim);
  expect([fault(), fault("ann")]).toEqual([
    "task_other_agent | Another agent holds task `a` | Claim another task, or wait.",
    " |  | ",
  ]);
  await place.advance(300_000);
  await lax.tasks.recover();
  expect(fault()).toMatch(/^task_waiting \| Task `a` is waiting: .* free again at \d{4}-/);
  await place.advance(60_000);
  await lax.tasks.claim(claim);
  await place.advance(300_000);
  await lax.tasks.recover();
  expect(fault()).toMatch(/^task_escalated \| Task `a` is escalated: .* \| Have an operator retry/);
  await lax.tasks.retry({ task: "a", by: "ada" });
  const held = await lax.tasks.claim(claim);
  await lax.tasks.fail({ task: "a", agent: "ann", fence: held?.fence ?? 0, reason: "stuck" });
  expect(fault()).toMatch(/^task_over \| Task `a` has failed \| Have an operator retry/);
  await lax.tasks.retry({ task: "a", by: "ada" });
  const last = await lax.tasks.claim(claim);
  await lax.tasks.complete({ task: "a", agent: "ann", fence: last?.fence ?? 0, ...summary });
  expect(fault()).toBe("task_over | Task `a` is completed | Claim another task.");
});

it("a decision in progress when the task changes hands is made again", async () => {
  await one.tasks.create({ id: "a" });
  const other = await worker(place);
  const held = await took(one, "ann");
  await other.run.catchUp();
  // Sent to a process that has not yet read that the task was returned and claimed by another agent.
  await one.tasks.release(holdOf(held));
  await took(one, "bob");
  expect([await call({}, other), await move({}, other)]).toEqual([
    "task_other_agent",
    "task_other_agent",
  ]);
  expect((await typesOf(place)).slice(-2)).toEqual(["tool_denied", "transition_blocked"]);
});

describe("an event that an agent must not record", () => {
  const event = (
    event_type: string,
    details: object,
    agent_id: string | null = null,
    task_id: string | null = "a",
  ) => ({ event_type, agent_id, task_id, details: details as never });
  const until = "2026-01-02T11:00:00.000Z";

  it("is refused by the guards, even if a host passes it on", async () => {
    await one.tasks.create({ id: "a" });
    await one.tasks.create({ id: "b", dependencies: ["a"], capabilities: ["review"] });
    await took(one, "ann", { request_id: "q1" });
    const claimed = { fence: 2, lease_until: until, capabilities: [], request_id: null };
    const refused: readonly (readonly [string, ReturnType<typeof event>])[] = [
      ["TASK_STATUS", event("task_claimed", claimed, "bob")],
      ["TASK_STATUS", event("task_claimed", { ...claimed, fence: 1 }, "bob", "b")],
      ["TASK_UNKNOWN", event("task_claimed", claimed, "bob", "c")],
      ["TASK_REQUEST", event("task_claimed", { ...claimed, request_id: "q1" }, "ann", "b")],
      ["TASK_NAME", event("task_claimed", claimed, "bob", null)],
      [
        "TASK_NAME",
        event(
          "task_created",
          { title: null, dependencies: [], capabilities: [] },
          null,
          "x".repeat(257),
        ),
      ],
      ["TASK_EXISTS", event("task_created", { title: null, dependencies: [], capabilities: [] })],
      [
        "TASK_CYCLE",
        event("task_created", { title: null, dependencies: ["c"], capabilities: [] }, null, "c"),
      ],
      [
        "TASK_DEPENDENCY",
        event(
          "task_created",
          { title: null, dependencies: ["a", "d"], capabilities: [] },
          null,
          "c",
        ),
      ],
      ["TASK_OTHER_AGENT", event("task_renewed", { fence: 1, lease_until: until }, "bob")],
      ["TASK_OTHER_AGENT", event("task_released", { fence: 1, reason: null }, "bob")],
      ["TASK_FENCE", event("task_failed", { fence: 2, reason: "no" }, "ann")],
      ["TASK_LEASE", event("task_lapsed", { agent: "ann", fence: 2, retry: 1, retry_at: until })],
      ["TASK_LEASE", event("task_escalated", { agent: "ann", fence: 2, lapses: 1 })],
      ["TASK_STATUS", event("task_retried", { by: "eve", reason: null })],
      ["TASK_STATUS", event("task_finished", { fence: 1 })],
    ];
    for (const [rule, one_of] of refused) {
      await expect(one.run.record([one_of])).rejects.toMatchObject({
        code: "BYLAW_EVENT_REFUSED",
        fix: expect.stringContaining(rule) as string,
      });
    }
    await place.advance(300_000);
    for (const [rule, one_of] of [
      ["TASK_LEASE", event("task_renewed", { fence: 1, lease_until: until }, "ann")],
      ["TASK_LAPSE", event("task_lapsed", { agent: "bob", fence: 2, retry: 1, retry_at: until })],
      ["TASK_LAPSE", event("task_lapsed", { agent: "ann", fence: 2, retry: 3, retry_at: until })],
      ["TASK_FENCE", event("task_lapsed", { agent: "ann", fence: 1, retry: 1, retry_at: until })],
    ] as const) {
      await expect(one.run.record([one_of])).rejects.toMatchObject({
        fix: expect.stringContaining(rule) as string,
      });
    }
  });

  it("is a claim beyond its capabilities", async () => {
    await one.tasks.create({ id: "a", capabilities: ["review"] });
    const claimed = { fence: 1, lease_until: until, capabilities: ["python"], request_id: null };
    await expect(one.run.record([event("task_claimed", claimed, "ann")])).rejects.toMatchObject({
      fix: expect.stringContaining("TASK_CAPABILITY") as string,
    });
    await expect(
      one.run.record([event("task_claimed", { ...claimed, capabilities: ["review"] })]),
    ).rejects.toMatchObject({ fix: expect.stringContaining("TASK_AGENT") as string });
  });
});

describe("a task that its agent gave up", () => {
  it("cannot be retried by that agent under another spelling, or by nobody", async () => {
    await one.tasks.create({ id: "a" });
    const { fence } = await took(one, "ann");
    await one.tasks.fail({ task: "a", agent: "ann", fence, reason: "no" });
    for (const by of ["ann", "ANN", " ann", "ann\u200b"])
      await expect(one.tasks.retry({ task: "a", by }), by).rejects.toMatchObject({
        fix: expect.stringContaining("TASK_OWN_RETRY") as string,
      });
    for (const by of ["", " ", "\u200b"])
      await expect(one.tasks.retry({ task: "a", by }), by).rejects.toFailWith("BYLAW_TASK_INVALID");
    await one.tasks.retry({ task: "a", by: "eve" });
  });

  it("has a reason with visible characters", async () => {
    await one.tasks.create({ id: "b" });
    const held = holdOf(await took(one, "ann"));
    for (const reason of ["", " \n", "\u200b\u2060", "\u3164", "\u2800\ufe0f"])
      await expect(one.tasks.fail({ ...held, reason }), reason).rejects.toFailWith(
        "BYLAW_TASK_INVALID",
      );
    for (const agent of ["\u115f", "\u{e0041}"])
      await expect(one.tasks.claim({ agent }), agent).rejects.toFailWith("BYLAW_TASK_INVALID");
    await expect(one.tasks.create({ id: "\u00ad" })).rejects.toFailWith("BYLAW_TASK_INVALID");
    expect((await one.tasks.get("b")).status).toBe("claimed");
  });
});

it("a lease is measured by the run's clock, unless another is given", async () => {
  const plain = createTasks(one.run, rules());
  await plain.create({ id: "a" });
  const held = holdOf(await took(one, "ann"));
  await place.advance(100_000);
  expect((await plain.heartbeat(held)).lease_until).toBe(
    new Date(Date.parse(place.now()) + 300_000).toISOString(),
  );
});

it("a completed task is finished once, however often it is tried", async () => {
  await one.tasks.create({ id: "a" });
  const held = await took(one, "ann");
  await one.tasks.complete({ ...holdOf(held), ...summary });
  await expect(
    one.run.record([
      { event_type: "task_finished", agent_id: null, task_id: "a", details: { fence: held.fence } },
    ]),
  ).rejects.toMatchObject({
    code: "BYLAW_EVENT_REFUSED",
    fix: expect.stringContaining("TASK_FINISHED") as string,
  });
  expect(await one.tasks.recover()).toEqual([]);
});

describe("a claim", () => {
  it("whose answer was lost is found again by its request id, and exists once", async () => {
    await one.tasks.create({ id: "a" });
    await one.tasks.create({ id: "b" });
    const store = await place.store();
    let lost = false;
    const lossy: Place = {
      ...place,
      store: async () => ({
        ...store,
        async claim(request) {
          const claim = await store.claim(request);
          if (lost) return claim;
          lost = true;
          throw new Error("connection lost");
        },
      }),
    };
    const other = await worker(lossy);
    await expect(other.tasks.claim({ agent: "ann", request_id: "q1" })).rejects.toThrow(
      "connection lost",
    );
    expect((await took(other, "ann", { request_id: "q1" })).task).toBe("a");
    expect((await took(other, "bob")).task).toBe("b");
    expect((await typesOf(place)).filter((type) => type === "task_claimed")).toHaveLength(2);
  });

  it("that is over is not returned for its request id, even if another agent holds the task by now", async () => {
    await one.tasks.create({ id: "a" });
    await one.tasks.release(holdOf(await took(one, "ann", { request_id: "q1" })));
    const bobs = await took(one, "bob", { request_id: "q1" });
    await expect(one.tasks.claim({ agent: "ann", request_id: "q1" })).resolves.toBeUndefined();
    await one.tasks.create({ id: "b" });
    await expect(one.tasks.claim({ agent: "ann", request_id: "q1" })).rejects.toFailWith(
      "BYLAW_TASK_INVALID",
    );
    expect(await one.tasks.get("a")).toMatchObject({ agent: "bob", fence: bobs.fence });
    await one.tasks.release(holdOf(bobs));
    await took(one, "ann", { task: "a" });
    await expect(one.tasks.claim({ agent: "ann", request_id: "q1" })).rejects.toFailWith(
      "BYLAW_TASK_INVALID",
    );
    expect((await took(one, "ann", { request_id: "q2" })).task).toBe("b");
  });

  it("uses the store's clock: a clock that is ahead takes nothing away", async () => {
    await one.tasks.create({ id: "a" });
    await took(one, "ann");
    const ahead = await worker({ ...place, now: () => "2026-01-03T10:00:00.000Z" });
    expect([await ahead.tasks.claim({ agent: "bob" }), await ahead.tasks.recover()]).toEqual([
      undefined,
      [],
    ]);
    expect(await one.tasks.get("a")).toMatchObject({ status: "claimed", agent: "ann" });
  });

  it("that another plugin refuses says so, and is not tried with every other task", async () => {
    const closed = pluginOf("closed", (kernel) =>
      kernel.guard("g", (_, { event_type }) =>
        event_type === "task_claimed" ? { rule: "CLOSED", message: "not today" } : undefined,
      ),
    );
    const shut = await worker(place, rules(), kernelWith(closed));
    for (const id of ["a", "b"]) await shut.tasks.create({ id });
    await expect(shut.tasks.claim({ agent: "ann" })).rejects.toFailWith("BYLAW_EVENT_REFUSED");
  });
});

describe("an invalid request", () => {
  it.each<readonly [keyof typeof one.tasks, number | object]>([
    ...readCases<[keyof typeof one.tasks, number | object]>(import.meta, "refused"),
    ["create", { id: "x".repeat(257) }],
  ] as const)("to %s %j is refused, and nothing is recorded", async (what, request) => {
    const ask = one.tasks[what] as (given: unknown) => Promise<unknown>;
    await expect(ask(request)).rejects.toFailWith("BYLAW_TASK_INVALID");
    expect(await typesOf(place)).toEqual(["session_start"]);
  });

  it("includes one for a task that was never created", async () => {
    for (const pending of [
      one.tasks.get("a"),
      one.tasks.snapshot({ task: "a" }),
      one.tasks.retry({ task: "a", by: "eve" }),
    ]) {
      await expect(pending).rejects.toFailWith("BYLAW_TASK_UNKNOWN");
    }
    expect(await one.tasks.claim({ agent: "ann", task: "a" })).toBeUndefined();
    for (const id of ["__proto__", "constructor", "toString"]) {
      await expect(one.tasks.get(id)).rejects.toFailWith("BYLAW_TASK_UNKNOWN");
      await one.tasks.create({ id, capabilities: [id] });
      expect((await took(one, id, { capabilities: [id] })).task).toBe(id);
    }
  });
});
