import { setTimeout } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { LogEvent } from "../src/index.ts";
import { holding, problem, rejection, serve } from "./kit.ts";

const event = (sequence: number, text = "x"): LogEvent => ({
  timestamp: "2026-01-02T10:00:00.000Z",
  ...{
    sequence,
    session_id: "s",
    event_type: "tool_allowed",
    agent_id: "ann",
    task_id: "t1",
    details: { text },
  },
});
const sent = (one: LogEvent): string =>
  `id: ${one.sequence}\nevent: ${one.event_type}\ndata: ${JSON.stringify(one)}\n\n`;
const stream = (text: string) => ({
  headers: { "content-type": "text/event-stream" },
  stream: (response: ServerResponse) => void response.end(text),
});

async function take(events: AsyncIterable<LogEvent>, count: number): Promise<readonly LogEvent[]> {
  const taken: LogEvent[] = [];
  for await (const one of events) if (taken.push(one) === count) break;
  return taken;
}

it("continues where a stream broke, and repeats no event", async () => {
  const answers = [
    stream(`: hello\n\n${sent(event(1))}${sent(event(2))}id: 3\ndata: {"cut`),
    undefined,
    { ...problem(503, "busy"), headers: { "retry-after": "7" } },
    stream(sent(event(2)) + sent(event(3))),
    stream(sent(event(4))),
  ];
  const { endpoint, received } = await serve((_, count) => answers[count - 1]);
  const { client, pauses } = holding(endpoint);
  expect((await take(client.events({ after: 0 }), 4)).map(({ sequence }) => sequence)).toEqual([
    1, 2, 3, 4,
  ]);
  expect(received.map(({ headers }) => headers["last-event-id"])).toEqual([
    "0",
    "2",
    "2",
    "2",
    "3",
  ]);
  expect(
    received.every(
      ({ path, headers }) => path === "/api/v1/events" && headers.accept === "text/event-stream",
    ),
  ).toBe(true);
  // The pauses grow while nothing comes or the server asks for it, and are short again after an event.
  expect(pauses).toEqual([100, 200, 7_000, 100]);
});

it("begins with the first event by default", async () => {
  const { endpoint, received } = await serve(() => stream(sent(event(1))));
  expect(await take(holding(endpoint).client.events(), 1)).toEqual([event(1)]);
  expect(received[0]?.headers["last-event-id"]).toBe("0");
});

it("remembers the position of the stream even without events for the agent", async () => {
  const { endpoint, received } = await serve((_, count) =>
    stream(count === 1 ? ": beat\nid: 41\n\n" : sent(event(42))),
  );
  expect(await take(holding(endpoint).client.events(), 1)).toEqual([event(42)]);
  expect(received[1]?.headers["last-event-id"]).toBe("41");
});

it("continues with a token that came while the stream was requested", async () => {
  const { endpoint, received } = await serve(async ({ path, headers }) => {
    if (path.endsWith("/heartbeat")) return { body: { lease_until: "x", phase_token: "newer" } };
    if (headers.authorization === "Bearer newer") return stream(sent(event(1)));
    await client.heartbeat();
    return problem(403, "token_superseded");
  });
  const { client } = holding(endpoint);
  expect(await take(client.events(), 1)).toEqual([event(1)]);
  expect(received.filter(({ path }) => path.endsWith("/events"))).toHaveLength(2);
});

it("throws errors that a retry cannot fix", async () => {
  const { endpoint, received } = await serve(() => problem(403, "token_expired"));
  expect(await rejection(take(holding(endpoint).client.events(), 1))).toMatchObject({
    name: "TokenExpired",
  });
  expect(received).toHaveLength(1);
});

it("ends by its signal while it waits, and closes the stream", async () => {
  const stop = new AbortController();
  let closed = false;
  const open = {
    ...stream(""),
    stream: (response: ServerResponse) =>
      void response.on("close", () => (closed = true)).write(sent(event(1))),
  };
  const { endpoint } = await serve(() => open);
  const events = holding(endpoint).client.events({ signal: stop.signal });
  expect((await events.next()).value).toEqual(event(1));
  const next = rejection(events.next());
  stop.abort(new Error("enough"));
  expect(await next).toBe(stop.signal.reason);
  await expect.poll(() => closed).toBe(true);
});

it("leaving the loop closes the stream", async () => {
  let closed = false;
  const open = {
    ...stream(""),
    stream: (response: ServerResponse) =>
      void response.on("close", () => (closed = true)).write(sent(event(1))),
  };
  const { endpoint } = await serve(() => open);
  await take(holding(endpoint).client.events(), 1);
  await expect.poll(() => closed).toBe(true);
});

it("reads a stream correctly however it is split, with every kind of line end", async () => {
  const ends = fc.constantFrom("\n", "\r\n", "\r");
  const property = fc.asyncProperty(
    fc.array(fc.tuple(fc.string({ unit: "grapheme" }), ends), { minLength: 1, maxLength: 4 }),
    fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 6 }),
    async (texts, cuts) => {
      const events = texts.map(([text], index) => event(index + 1, text));
      const whole = Buffer.from(
        events.map((one, index) => sent(one).replaceAll("\n", texts[index]?.[1] ?? "\n")).join(""),
      );
      const { endpoint } = await serve(() => ({
        ...stream(""),
        stream: async (response: ServerResponse) => {
          let at = 0;
          for (const cut of cuts) {
            response.write(whole.subarray(at, at + cut));
            at += cut;
            await setTimeout(0);
          }
          response.end(whole.subarray(at));
        },
      }));
      expect(await take(holding(endpoint).client.events(), events.length)).toEqual(events);
    },
  );
  await fc.assert(property, { numRuns: 40 });
});
