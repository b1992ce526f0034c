import { describe, expect, it } from "vitest";
import { ask, createKernel, deny, type Config } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import { pluginOf } from "@bylaw/testing";
import {
  createMemoryStore,
  openRun,
  type OpenOptions,
  type Outcome,
  type Run,
} from "../src/index.ts";
import { call, forged, voter } from "./kit.ts";

const NOW = "2026-01-02T03:04:05.000Z";
const LATER = "2026-01-02T04:00:00.000Z";
const asks = voter("asks", "beforeToolCall", ({ hook, ...rest }) =>
  hook === "beforeToolCall" && (rest as { tool: string }).tool === "rm"
    ? deny("never")
    : ask("A push needs a person"),
);
const open = (
  config: Config = { plugins: [asks] },
  options: Partial<OpenOptions> = {},
): Promise<Run> =>
  openRun(createKernel(config), { run: "r1", now: () => NOW, join: true, ...options });
const calls = (run: Run, fields: Parameters<typeof call>[0] = {}): Promise<Outcome> => {
  const { hook: _, ...rest } = call(fields);
  return run.toolCall(rest);
};
/** Makes a call that is asked about, and returns the sequence of the event that asked. */
const asked = async (run: Run, fields: Parameters<typeof call>[0] = {}): Promise<number> => {
  const { events } = await calls(run, fields);
  return events[0]?.sequence ?? 0;
};
const yes = (run: Run, fields: Parameters<typeof call>[0] = {}) =>
  run.approve({ subject: call(fields), by: "bob", expires_at: LATER });
const no = (run: Run, question: number) =>
  run.refuse({ asked: question, by: "ada", reason: "Not on a Friday" });
const typesIn = async (store: Store): Promise<readonly string[]> =>
  (await store.events("r1", 0, 1_000)).map(({ event_type }) => event_type);

const ANSWERED = { code: "BYLAW_EVENT_REFUSED", message: expect.stringContaining("already said") };
const NOT_OPEN = { code: "BYLAW_APPROVAL_MISSING" };

describe("a person's no to a tool call", () => {
  it("is recorded with the question, the person and the reason", async () => {
    const run = await open();
    const question = await asked(run, { task: "T1" });
    const [refused] = await no(run, question);
    const [granted] = await (
      await open()
    ).approve({ subject: call({ task: "T1" }), by: "bob", expires_at: LATER });
    expect(refused).toMatchObject({
      event_type: "approval_refused",
      agent_id: "a1",
      task_id: "T1",
      details: {
        asked: question,
        digest: granted?.details["digest"],
        by: "ada",
        reason: "Not on a Friday",
      },
    });
    expect(Object.keys(refused?.details ?? {})).toEqual(["asked", "digest", "by", "reason"]);
  });

  it("closes the question: neither a yes nor another no counts until the call is asked about again", async () => {
    const run = await open();
    const question = await asked(run);
    await no(run, question);
    await expect(no(run, question)).rejects.toMatchObject(ANSWERED);
    await expect(yes(run)).rejects.toMatchObject(ANSWERED);
    const again = await asked(run);
    expect(again).toBeGreaterThan(question);
    await expect(no(run, question)).rejects.toMatchObject(NOT_OPEN);
    await yes(run);
    expect(await calls(run)).toMatchObject({ applied: "allow", decision: { code: "approved" } });
  });

  it("is about one call: others are still answered", async () => {
    const run = await open();
    const question = await asked(run);
    await asked(run, { args: { path: "b.txt" } });
    await no(run, question);
    await yes(run, { args: { path: "b.txt" } });
    expect(await calls(run, { args: { path: "b.txt" } })).toMatchObject({ applied: "allow" });
  });

  it("is refused after a yes, until that has expired", async () => {
    let now = NOW;
    const run = await open({ plugins: [asks] }, { now: () => now });
    const question = await asked(run);
    await yes(run);
    await expect(no(run, question)).rejects.toMatchObject(ANSWERED);
    now = LATER;
    await no(run, question);
    expect(await calls(run)).toMatchObject({ applied: "ask_user" });
  });

  it("is refused for an event that is no question, was asked about again, or was decided since", async () => {
    const run = await open();
    const question = await asked(run);
    await yes(run);
    await calls(run);
    await expect(no(run, question)).rejects.toMatchObject(NOT_OPEN);
    const { events } = await calls(run, { tool: "rm" });
    await expect(no(run, events[0]?.sequence ?? 0)).rejects.toMatchObject(NOT_OPEN);
    await expect(no(run, 1)).rejects.toMatchObject(NOT_OPEN);
    await expect(no(run, 999)).rejects.toMatchObject(NOT_OPEN);
  });

  it("answers a call that nobody was there to approve", async () => {
    const run = await open();
    const question = await asked(run, { interactive: false });
    await no(run, question);
    await expect(yes(run, { interactive: false })).rejects.toMatchObject(ANSWERED);
  });

  it("answers a redacted call, once", async () => {
    const redacts = pluginOf("r", (kernel) =>
      kernel.redact(({ event_type, details }) =>
        event_type === "tool_asked" ? { ...details, args: { redacted: "***" } } : details,
      ),
    );
    const run = await open({ plugins: [asks, redacts] });
    const question = await asked(run);
    expect(await no(run, question)).toMatchObject([{ details: { asked: question, digest: "" } }]);
    await expect(no(run, question)).rejects.toMatchObject(ANSWERED);
  });

  it("competes with a yes at the same moment in another process, and only one counts", async () => {
    const store = createMemoryStore();
    const [one, other] = [
      await open({ plugins: [asks] }, { store }),
      await open({ plugins: [asks] }, { store }),
    ];
    for (let times = 0; times < 20; times += 1) {
      const question = await asked(one, { args: { times } });
      const both = await Promise.allSettled([no(one, question), yes(other, { args: { times } })]);
      expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    }
    expect((await typesIn(store)).filter((type) => type.startsWith("approval_"))).toHaveLength(20);
  });

  it("competes with the same question being asked again: it answers the first question or none", async () => {
    const store = createMemoryStore();
    const [one, other] = [
      await open({ plugins: [asks] }, { store }),
      await open({ plugins: [asks] }, { store }),
    ];
    for (let times = 0; times < 20; times += 1) {
      const question = await asked(one, { args: { times } });
      const [, again] = await Promise.allSettled([
        no(one, question),
        asked(other, { args: { times } }),
      ]);
      expect(again.status).toBe("fulfilled");
      // Whichever came first, the last question is open.
      expect(await yes(other, { args: { times } })).toHaveLength(1);
    }
  });

  it("counts in every later session", async () => {
    const store = createMemoryStore();
    const first = await open({ plugins: [asks] }, { store });
    await no(first, await asked(first));
    await first.close();
    const second = await open({ plugins: [asks] }, { store, join: false });
    await expect(yes(second)).rejects.toMatchObject(ANSWERED);
  });

  it.each([
    [{ asked: 0 }, "`asked`"],
    [{ asked: "2" }, "`asked`"],
    [{ by: "" }, "`by`"],
    [{ reason: "" }, "`reason`"],
    [{ reason: undefined }, "`reason`"],
  ])("is refused with %j", async (fields, named) => {
    const run = await open();
    const request = { asked: await asked(run), by: "ada", reason: "no", ...fields };
    await expect(run.refuse(forged(request))).rejects.toMatchObject({
      code: "BYLAW_EVENT_INVALID",
      message: expect.stringContaining(named),
    });
  });
});
