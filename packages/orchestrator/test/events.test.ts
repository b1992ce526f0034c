import * as fc from "fast-check";
import { createMemoryStore } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { askAndSleep, follow, type Message, type Stream } from "./events-kit.ts";
import { ENROL, eventsOf, serve, type Agent, type Served } from "./operate-kit.ts";

let served: Served;
let operator: Readonly<Record<string, string>>;
beforeAll(async () => {
  served = await serve();
  operator = served.as("operator").headers;
});
afterAll(() => served.close());

const followed = async (
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Stream> => {
  const stream = await follow(url, headers);
  onTestFinished(() => stream.close());
  return stream;
};

async function take(stream: Stream, count: number): Promise<readonly Message[]> {
  const taken: Message[] = [];
  while (taken.length < count) {
    const message = await stream.next();
    if (message === undefined) break;
    taken.push(message);
  }
  return taken;
}

const ids = (messages: readonly Message[]): readonly number[] => messages.map(({ id }) => id);
const upTo = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index + 1);
const headOf = async (at: Served): Promise<number> => (await eventsOf(at)).length;
const write = async (agent: Agent, times: number): Promise<void> => {
  for (let count = 0; count < times; count += 1)
    await agent.check("read_files", { path: `f${count}` });
};

describe("a stream of events", () => {
  test("sends events from now on, with the sequence as their id", async () => {
    const agent = await served.claim("now-1");
    const head = await headOf(served);
    const stream = await followed(`${served.base}/events`, operator);
    expect([
      stream.status,
      stream.headers.get("content-type"),
      stream.headers.get("cache-control"),
    ]).toEqual([200, "text/event-stream", "no-store"]);
    await write(agent, 3);
    const messages = await take(stream, 3);
    expect(ids(messages)).toEqual(upTo(head, head + 3));
    expect(messages[0]).toMatchObject({
      event: "tool_allowed",
      data: { sequence: head + 1, agent_id: "now-1", task_id: agent.task },
    });
    expect(stream.text()).toContain("retry: 1000\n\n");
  });

  test("continues after the last seen event, from the header or the query", async () => {
    const head = await headOf(served);
    const fromHeader = await followed(`${served.base}/events?after=1`, {
      ...operator,
      "last-event-id": String(head - 2),
    });
    expect(ids(await take(fromHeader, 2))).toEqual([head - 1, head]);
    const fromQuery = await followed(`${served.base}/events?after=0`, operator);
    expect(ids(await take(fromQuery, head))).toEqual(upTo(0, head));
  });

  test("refuses an invalid id, an id that the log does not have, and a token in the query", async () => {
    const ask = async (
      query: string,
      more: Readonly<Record<string, string>> = {},
    ): Promise<unknown> => {
      const { status, body } = await served.as("operator").get(`/events${query}`, more);
      return [status, body["code"]];
    };
    const invalid = [400, "BYLAW_REQUEST_INVALID"];
    expect(await ask("", { "last-event-id": "1 2" })).toEqual(invalid);
    expect(await ask("", { "last-event-id": "-1" })).toEqual(invalid);
    expect(await ask("", { "last-event-id": "999999" })).toEqual(invalid);
    expect(await ask("?after=x")).toEqual(invalid);
    expect(await ask("?token=x")).toEqual(invalid);
    const open = await served.nobody.get(
      `/events?authorization=${encodeURIComponent(String(operator["authorization"]))}`,
    );
    expect([400, 401]).toContain(open.status);
  });

  test("shows an agent only its own task, and ends when another agent gets the task", async () => {
    const [one, other] = [await served.claim("own-1"), await served.claim("own-2")];
    const stream = await followed(`${served.base}/events?after=0`, one.headers);
    await write(other, 2);
    await write(one, 1);
    const messages = [];
    for (let message = await stream.next(); message !== undefined; message = await stream.next()) {
      messages.push(message);
      if (message.event === "tool_allowed") break;
    }
    expect(new Set(messages.map(({ data }) => data["task_id"]))).toEqual(new Set([one.task]));
    // Another node gives the task to another agent, without the node of the stream.
    const elsewhere = await serve({ store: served.orchestrator.service.store, beside: served });
    onTestFinished(() => elsewhere.close());
    const released = await fetch(`${elsewhere.base}/tasks/release`, {
      method: "POST",
      headers: { ...one.headers, "content-type": "application/json" },
      body: JSON.stringify({ task_id: one.task }),
    });
    expect(released.status).toBe(200);
    const claimed = await fetch(`${elsewhere.base}/tasks/claim`, {
      method: "POST",
      headers: { authorization: `Bylaw-Enrol ${ENROL}`, "content-type": "application/json" },
      body: JSON.stringify({ agent_id: "own-3", task_id: one.task }),
    });
    expect(claimed.status).toBe(200);
    const rest: string[] = [];
    for (let message = await stream.next(); message !== undefined; message = await stream.next())
      rest.push(String(message.event));
    expect(rest).not.toContain("token_issued");
    expect(rest).not.toContain("task_claimed");
    expect((await one.get("/events")).status).toBe(403);
    expect((await one.get("/approvals")).status).toBe(403);
  });

  test("shows an agent the earlier events of its task", async () => {
    const before = await served.claim("before-1");
    const { task } = before;
    await before.send("POST", "/tasks/release", { task_id: task });
    const enrolled = { authorization: `Bylaw-Enrol ${ENROL}`, "content-type": "application/json" };
    const body = JSON.stringify({ agent_id: "after-1", task_id: task });
    const claimed = await fetch(`${served.base}/tasks/claim`, {
      method: "POST",
      headers: enrolled,
      body,
    });
    const { phase_token } = (await claimed.json()) as { readonly phase_token: string };
    const stream = await followed(`${served.base}/events?after=0`, {
      authorization: `Bearer ${phase_token}`,
    });
    const claims: unknown[] = [];
    while (claims.length < 2) {
      const message = await stream.next();
      if (message === undefined) break;
      if (message.event === "task_claimed") claims.push(message.data["agent_id"]);
    }
    expect(claims).toEqual(["before-1", "after-1"]);
  });

  test("sends a heartbeat and its position when there is nothing to see", async () => {
    const lively = await serve({ settings: { operate: { heartbeat_ms: 20 } } });
    onTestFinished(() => lively.close());
    const [one, other] = [await lively.claim("beat-1"), await lively.claim("beat-2")];
    const stream = await followed(`${lively.base}/events`, one.headers);
    await write(other, 2);
    const reading = stream.next();
    const head = await headOf(lively);
    await expect.poll(() => stream.text()).toContain(`id: ${head}\n:\n\n`);
    await expect.poll(() => stream.text()).toMatch(/\n\n:\n\n/);
    await write(one, 1);
    expect(await reading).toMatchObject({ id: head + 1 });
  });

  test("is limited to a few per caller", async () => {
    const agent = await served.claim("many-1");
    const streams = await Promise.all(
      Array.from({ length: 16 }, () => followed(`${served.base}/events`, agent.headers)),
    );
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    const more = await agent.get("/events");
    expect([more.status, more.body["code"], more.headers.get("retry-after")]).toEqual([
      429,
      "BYLAW_RATE_EXCEEDED",
      "5",
    ]);
    const head = await fetch(`${served.base}/events`, { method: "HEAD", headers: agent.headers });
    expect([200, 429]).toContain(head.status);
    for (const stream of streams) stream.close();
    await expect
      .poll(async () => (await follow(`${served.base}/events`, agent.headers)).status)
      .toBe(200);
  });
});

test("misses no event and repeats none, however often a client reconnects", async () => {
  const agent = await served.claim("again");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 6 })), {
        minLength: 1,
        maxLength: 6,
      }),
      async (rounds) => {
        const begin = await headOf(served);
        let seen = begin;
        const got: number[] = [];
        for (const [written, taken] of rounds) {
          const stream = await follow(`${served.base}/events`, {
            ...operator,
            "last-event-id": String(seen),
          });
          const writing = write(agent, written);
          const there = (await headOf(served)) - seen;
          for (const { id } of await take(stream, Math.min(taken, there))) got.push(id);
          seen = got.at(-1) ?? begin;
          stream.close();
          await writing;
        }
        const end = await headOf(served);
        const last = await follow(`${served.base}/events`, {
          ...operator,
          "last-event-id": String(seen),
        });
        for (const { id } of await take(last, end - seen)) got.push(id);
        last.close();
        expect(got).toEqual(upTo(begin, end));
      },
    ),
    { numRuns: 15 },
  );
});

test("a client that reads nothing is disconnected, delays nobody, and continues where it was", async () => {
  const slow = await serve({
    settings: { operate: { slow_ms: 100, heartbeat_ms: 60_000 }, limits: { agent_per_second: 0 } },
  });
  onTestFinished(() => slow.close());
  const agent = await slow.claim("big");
  const asleep = await askAndSleep(slow.base, "/events?after=0", slow.as("operator").headers);
  onTestFinished(() => void asleep.socket.destroy());
  const text = "x".repeat(500_000);
  for (let count = 0; count < 24; count += 1)
    await agent.check("read_files", { path: text, count });
  const head = await headOf(slow);
  await expect
    .poll(async () => (await slow.as("operator").get("/metrics")).text)
    .toContain('bylaw_event_streams_ended_total{how="slow"} 1');
  expect((await slow.as("operator").get("/metrics")).text).toContain("bylaw_event_streams 0");
  asleep.socket.resume();
  await asleep.closed;
  // Under load, it may be disconnected and reconnect once more.
  const got: number[] = [];
  while (got.length < head) {
    const stream = await followed(`${slow.base}/events`, {
      ...operator,
      "last-event-id": String(got.at(-1) ?? 0),
    });
    got.push(...ids(await take(stream, head - got.length)));
  }
  expect(got).toEqual(upTo(0, head));
});

test("a closing server ends its streams, and another node continues them", async () => {
  const store = createMemoryStore();
  const one = await serve({ store });
  const two = await serve({ store, beside: one });
  onTestFinished(async () => {
    await two.close();
    await one.close();
  });
  const agent = await two.claim("nodes");
  const stream = await followed(`${one.base}/events?after=0`, operator);
  const before = await take(stream, await headOf(two));
  await write(agent, 2);
  const across = await take(stream, 2);
  expect(across.map(({ event }) => event)).toEqual(["tool_allowed", "tool_allowed"]);
  const closing = one.orchestrator.close();
  expect(await stream.next()).toBeUndefined();
  await closing;
  await write(agent, 1);
  const last = [...before, ...across].at(-1)?.id ?? 0;
  const next = await followed(`${two.base}/events`, { ...operator, "last-event-id": String(last) });
  expect(ids(await take(next, 1))).toEqual([last + 1]);
});

test("an agent's stream skips the log before its task", async () => {
  const inner = createMemoryStore();
  const read: number[] = [];
  const store: Store = {
    ...inner,
    events(run, after, limit) {
      read.push(after);
      return inner.events(run, after, limit);
    },
  };
  const long = await serve({ store });
  onTestFinished(() => long.close());
  await write(await long.claim("early"), 20);
  const before = await headOf(long);
  const late = await long.claim("late");
  read.length = 0;
  const stream = await followed(`${long.base}/events?after=0`, late.headers);
  const [first] = await take(stream, 1);
  expect(first).toMatchObject({ event: "task_created", data: { task_id: late.task } });
  expect(Math.min(...read)).toBeGreaterThanOrEqual(before);
});

test("a store is polled even if all of its notifications are lost", async () => {
  const store: Store = { ...createMemoryStore(), watch: () => Promise.resolve(() => {}) };
  const deaf = await serve({ store });
  onTestFinished(() => deaf.close());
  const agent = await deaf.claim("deaf");
  const stream = await followed(`${deaf.base}/events`, operator);
  await write(agent, 1);
  expect(ids(await take(stream, 1))).toEqual([await headOf(deaf)]);
});
