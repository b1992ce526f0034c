import { describe, expect, it } from "vitest";
import { allow, type JsonObject, type LogEvent, type Plugin } from "@bylaw/kernel";
import { createMemoryStore, digestOf } from "../src/index.ts";
import { HOOKS, voter } from "./kit.ts";
import { afterOpening, logOf, noted, open, tool, opened } from "./run-kit.ts";

/** Plugins that allow every hook, under a policy with this name. */
const under = (name: string): readonly Plugin[] =>
  HOOKS.map((hook) => voter(`${name}-${hook}`, hook, () => allow("fine"), { grants: true }));
const decisionIn = ({ details }: LogEvent): JsonObject => details["decision"] as JsonObject;
const decided = (log: readonly LogEvent[]): readonly LogEvent[] =>
  log.filter(({ details }) => "decision" in details);
const saysAll = (log: readonly LogEvent[]): readonly boolean[] =>
  decided(log).map((event) => "policy" in decisionIn(event));

describe("the policies of a decision", () => {
  it("are recorded in full in the first event under them, and by digest in every event", async () => {
    const { store, run } = await opened({ plugins: under("a") });
    const { decision } = await run.toolCall(tool());
    await run.toolCall(tool({ id: "c2" }));
    await run.behave({ action: "loop" });
    await run.respond({ text: "done" });
    const log = decided(await logOf(store));
    expect(saysAll(log)).toEqual([true, false, false, false]);
    expect(decisionIn(log[0] as LogEvent)["policy"]).toEqual(decision.policy);
    const digest = digestOf(decision.policy);
    expect(log.map((event) => decisionIn(event)["policy_digest"])).toEqual([
      digest,
      digest,
      digest,
      digest,
    ]);
  });

  it("are recorded in full in every transition, because approvals are checked against them", async () => {
    const { store, run } = await opened({ plugins: under("a") });
    await run.toolCall(tool());
    await run.transition({ task: "T1", to: "PLAN", artifacts: {} });
    await run.transition({ task: "T2", to: "PLAN", artifacts: {} });
    await run.toolCall(tool({ id: "c2" }));
    expect(saysAll(await logOf(store))).toEqual([true, true, true, false]);
  });

  it("are recorded in full again when the policies change, whoever opened the log", async () => {
    const store = createMemoryStore();
    const [one, other] = [
      await open({ plugins: under("a") }, { store }),
      await open({ plugins: under("b") }, { store }),
    ];
    for (const run of [one, other, one, other]) await run.toolCall(tool());
    const again = await open({ plugins: under("a") }, { store });
    await again.toolCall(tool());
    expect(saysAll(await logOf(store))).toEqual([true, true, false, false, false]);
  });

  it("are recorded in full again if too many others came in between", async () => {
    const store = createMemoryStore();
    const names = Array.from({ length: 33 }, (_, at) => `p${at}`);
    for (const name of [...names, "p1", "p0"])
      await (await open({ plugins: under(name) }, { store })).toolCall(tool());
    expect(saysAll(await logOf(store))).toEqual([...names.map(() => true), false, true]);
  });

  it("are recorded in full even if the first event under them was not written", async () => {
    const store = createMemoryStore();
    let left = 1;
    const flaky = afterOpening(store, (commit) => {
      left -= 1;
      return left < 0 ? store.commit(commit) : Promise.reject(new Error("the disk is full"));
    });
    const run = await open({ plugins: under("a") }, { store: flaky });
    const outcomes = await Promise.all([
      run.toolCall(tool()),
      run.toolCall(tool({ id: "c2", agent: "a2" })),
    ]);
    expect(outcomes.map(({ decision: { code } }) => code)).toContain("engine_absent");
    await run.toolCall(tool({ id: "c3" }));
    expect(saysAll(await logOf(store))[0]).toBe(true);
  });

  it("are those of the first time when a request is repeated, though its event has only the digest", async () => {
    const { store, run } = await opened({ plugins: under("a") });
    await run.toolCall(tool());
    const first = await run.toolCall(tool({ id: "c2" }), { request_id: "q1" });
    const { policy_digest, policy } = decisionIn(first.events[0] as LogEvent);
    expect([typeof policy_digest, policy]).toEqual(["string", undefined]);
    const other = await open({ plugins: under("b") }, { store });
    expect(await other.toolCall(tool({ id: "c2" }), { request_id: "q1" })).toEqual({
      ...first,
      replayed: true,
    });
  });

  it("cannot be recorded by an agent", async () => {
    const { store, run } = await opened({ plugins: [...under("a"), noted] });
    const { decision } = await run.behave({ action: "loop", directive: undefined } as never);
    const digest = digestOf(decision.policy);
    const forged = { policy: { a: "2.0.0" }, policy_digest: `sha256:${"0".repeat(64)}` };
    await run.toolResult({ id: "c1", tool: "write", ok: true, result: { decision: forged } });
    await run.toolCall(tool({ args: { decision: { policy: { a: "9" }, policy_digest: digest } } }));
    const [, call] = decided(await logOf(store));
    expect(decisionIn(call as LogEvent)).toMatchObject({ policy_digest: digest });
    expect(decisionIn(call as LogEvent)).not.toHaveProperty("policy");
  });
});
