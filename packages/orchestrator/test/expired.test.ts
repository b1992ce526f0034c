import { ask, createKernel, defineCheck, type View } from "@bylaw/kernel";
import { createMemoryStore, openRun } from "@bylaw/log";
import { expect, test } from "vitest";
import { z } from "zod";
import { createQuestions } from "../src/approvals/index.ts";

const NOW = "2026-01-02T03:04:05.000Z";
const EXPIRES = "2026-01-02T03:05:00.000Z";
const asks = defineCheck({
  name: "asks",
  hook: "beforeToolCall",
  when: { tool: "deploy" },
  args: z.looseObject({}),
  check: () => ask("This deploys."),
});

/** The questions of a run in which calls of `deploy` were asked about. */
async function askedIn(clock: () => string) {
  const store = createMemoryStore();
  const run = await openRun(createKernel({ plugins: [asks] }), { run: "r1", store, now: clock });
  const view: View = run.view;
  return {
    run,
    openAt: async (now: string) => {
      const questions = createQuestions({ store, run: "r1", gates: undefined });
      for (const event of await store.events("r1", 0, 100)) questions.add(event);
      const time = Date.parse(now);
      const open = questions.open({ view, now: time });
      return {
        open,
        first: open[0] === undefined ? undefined : await questions.read(open[0]),
        stateOf: (id: string) => questions.call(id, time)?.state,
      };
    },
  };
}

const call = { tool: "deploy", args: {}, agent: "dev", id: "c1" };

test("a question is open until it expires, also after a yes that nobody used", async () => {
  const { run, openAt } = await askedIn(() => NOW);
  await run.toolCall(call, { expires_at: EXPIRES });
  const { first } = await openAt("2026-01-02T03:04:59.999Z");
  expect(first).toMatchObject({ kind: "call", tool: "deploy", expires_at: EXPIRES });
  const id = first?.id ?? "";
  const late = await openAt(EXPIRES);
  expect([late.open, late.stateOf(id)]).toEqual([[], "expired"]);
  const until = "2026-01-02T03:06:00.000Z";
  await run.approve({ subject: { hook: "beforeToolCall", ...call }, by: "ada", expires_at: until });
  expect((await openAt(EXPIRES)).stateOf(id)).toBe("approved");
  expect((await openAt(until)).stateOf(id)).toBe("expired");
});

test("a question is settled when its call has run, and that of another call is not", async () => {
  const { run, openAt } = await askedIn(() => NOW);
  await run.toolCall(call);
  await run.toolCall({ ...call, id: "c2", args: { to: "live" } });
  const { open } = await openAt(NOW);
  await run.toolResult({ id: "c1", tool: "deploy", agent: "dev", ok: true });
  const after = await openAt(NOW);
  expect(after.open.map(({ id }) => id)).toEqual([open[1]?.id]);
  expect(after.stateOf(open[0]?.id ?? "")).toBe("settled");
});
