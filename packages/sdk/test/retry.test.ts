import { expect, it } from "vitest";
import { NoTaskReady, RateLimited, RequestInvalid, Unavailable } from "../src/index.ts";
import { CLAIM, TOKEN, holding, problem, rejection, serve, start } from "./kit.ts";

const keys = (
  received: readonly { readonly headers: Record<string, unknown> }[],
): ReadonlySet<unknown> => new Set(received.map(({ headers }) => headers["idempotency-key"]));

it("repeats a request when the connection breaks, under the same key", async () => {
  const { endpoint, received } = await serve((_, count) =>
    count < 4 ? undefined : { body: CLAIM },
  );
  const { client, pauses } = start(endpoint);
  expect((await client.claimTask()).task.id).toBe("t1");
  expect(received).toHaveLength(4);
  expect(pauses).toEqual([100, 200, 400]);
  const [key, ...others] = keys(received);
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  expect(others).toEqual([]);
});

it("repeats a request when the answer breaks off", async () => {
  const whole = JSON.stringify(CLAIM);
  const { endpoint, received } = await serve((_, count) =>
    count > 1
      ? { body: CLAIM }
      : {
          headers: { "content-length": String(whole.length) },
          stream: (response) => response.write(whole.slice(0, 20), () => response.destroy()),
        },
  );
  await start(endpoint).client.claimTask();
  expect(received).toHaveLength(2);
  expect(keys(received).size).toBe(1);
});

it.each([408, 429, 502, 503, 504])("repeats a request after %d", async (status) => {
  const { endpoint, received } = await serve((_, count) =>
    count < 3 ? problem(status, "busy") : { body: { lease_until: "x" } },
  );
  await holding(endpoint).client.heartbeat();
  expect(received).toHaveLength(3);
  expect(keys(received).size).toBe(1);
});

it.each([400, 401, 403, 404, 409, 413, 500])(
  "does not repeat a request after %d",
  async (status) => {
    const { endpoint, received } = await serve(() => problem(status, "wrong"));
    expect(await rejection(holding(endpoint).client.heartbeat())).toMatchObject({
      status,
      code: "wrong",
    });
    expect(received).toHaveLength(1);
  },
);

it("repeats a request with a newer token, under the same key", async () => {
  const { endpoint, received } = await serve(async ({ path }) => {
    if (path.endsWith("/heartbeat")) return { body: { lease_until: "x", phase_token: "newer" } };
    const attempt = received.filter((one) => one.path.endsWith("/execute")).length;
    // The tool ran, but the answer was lost.
    if (attempt === 1) return undefined;
    if (attempt > 2) return { body: { id: "1", result: "once" } };
    await client.heartbeat();
    return problem(403, "token_superseded");
  });
  const { client } = holding(endpoint);
  expect(await client.useTool("bash", { command: "deploy" })).toMatchObject({ result: "once" });
  const attempts = received.filter(({ path }) => path.endsWith("/execute"));
  expect(attempts.map(({ headers }) => headers.authorization)).toEqual([
    `Bearer ${TOKEN}`,
    `Bearer ${TOKEN}`,
    "Bearer newer",
  ]);
  expect(keys(attempts).size).toBe(1);
});

it("two requests have two keys, and the caller's key is used if there is one", async () => {
  const { endpoint, received } = await serve(() => ({ body: { lease_until: "x" } }));
  const { client } = holding(endpoint);
  await client.heartbeat();
  await client.heartbeat();
  await client.heartbeat({ request_id: "mine" });
  expect(keys(received).size).toBe(3);
  expect(received[2]?.headers["idempotency-key"]).toBe("mine");
});

it("waits as long as the server asks, and gives up if that is too long", async () => {
  const asked = (after: string) =>
    serve((_, count) =>
      count === 1
        ? { ...problem(429, "rate_limited"), headers: { "retry-after": after } }
        : { body: {} },
    );
  const short = await asked("3");
  const { client, pauses } = holding(short.endpoint);
  await client.heartbeat();
  expect(pauses).toEqual([3_000]);
  const long = await asked("3600");
  const error = await rejection(holding(long.endpoint).client.heartbeat());
  expect(error).toBeInstanceOf(RateLimited);
  expect(error).toMatchObject({ next: "wait", retry_after_ms: 3_600_000 });
  expect(long.received).toHaveLength(1);
  const closing = await serve((_, count) =>
    count === 1
      ? { ...problem(503, "BYLAW_SERVICE_CLOSING"), headers: { "retry-after": "3" } }
      : { body: {} },
  );
  const patient = holding(closing.endpoint);
  await patient.client.heartbeat();
  expect(patient.pauses).toEqual([3_000]);
  const date = await asked(new Date(Date.now() + 3_600_000).toUTCString());
  expect(await rejection(holding(date.endpoint).client.heartbeat())).toBeInstanceOf(RateLimited);
});

it("pauses double up to a cap, grow by a quarter at most, and end with the attempts", async () => {
  const { endpoint, received } = await serve(() => undefined);
  const even = holding(endpoint, { retry: { attempts: 5, base_ms: 10, cap_ms: 30 } });
  const error = await rejection(even.client.heartbeat());
  expect(error).toBeInstanceOf(Unavailable);
  expect(error).toMatchObject({ code: "unreachable", next: "wait" });
  expect(even.pauses).toEqual([10, 20, 30, 30]);
  expect(received).toHaveLength(5);
  const late = holding(endpoint, { retry: { attempts: 4, base_ms: 100 }, random: () => 1 });
  await rejection(late.client.heartbeat());
  expect(late.pauses).toEqual([125, 250, 500]);
});

it("an attempt that takes too long counts as failed", async () => {
  const { endpoint, received } = await serve((_, count) =>
    count > 1 ? { body: { lease_until: "x" } } : new Promise(() => undefined),
  );
  await holding(endpoint, { timeout_ms: 50 }).client.heartbeat();
  // On a busy machine, the second may take as long.
  expect(received.length).toBeGreaterThan(1);
});

it("a signal ends a request, and the pause before the next one, with its reason", async () => {
  const stop = new AbortController();
  const { endpoint, received } = await serve(() => {
    stop.abort(new Error("enough"));
    return new Promise(() => undefined);
  });
  expect(await rejection(holding(endpoint).client.heartbeat({ signal: stop.signal }))).toBe(
    stop.signal.reason,
  );
  expect(received).toHaveLength(1);
  const pausing = new AbortController();
  const busy = await serve(() => problem(503, "busy"));
  // The real pause. No test waits for it.
  const { client } = holding(busy.endpoint, {
    retry: { base_ms: 60_000, cap_ms: 60_000, give_up_ms: 1e9 },
    sleep: undefined as never,
  });
  const waiting = rejection(client.heartbeat({ signal: pausing.signal }));
  await expect.poll(() => busy.received.length).toBe(1);
  pausing.abort(new Error("enough"));
  expect(await waiting).toBe(pausing.signal.reason);
  const aborted = AbortSignal.abort(new Error("before"));
  expect(await rejection(client.heartbeat({ signal: aborted }))).toBe(aborted.reason);
  expect(busy.received).toHaveLength(1);
});

it("a waiting claim is repeated while there is time, each time under a new key", async () => {
  const none = { ...problem(404, "task_none_ready"), headers: { "retry-after": "1" } };
  const { endpoint, received } = await serve((_, count) => (count < 3 ? none : { body: CLAIM }));
  const { client, pauses } = start(endpoint);
  await client.claimTask({ wait_ms: 60_000, capabilities: ["typescript"] });
  expect(pauses).toEqual([1_000, 1_000]);
  expect(keys(received).size).toBe(3);
  expect(received[0]?.body).toMatchObject({
    agent_id: "ann",
    capabilities: ["typescript"],
    wait_ms: 25_000,
  });
  const empty = await serve(() => none);
  const error = await rejection(start(empty.endpoint).client.claimTask());
  expect(error).toBeInstanceOf(NoTaskReady);
  expect(error).toMatchObject({ next: "wait", retry_after_ms: 1_000 });
  expect(empty.received[0]?.body).toEqual({ agent_id: "ann" });
});

it("an answer that is not JSON is distinguished from one that is", async () => {
  const { endpoint } = await serve(() => ({ text: "<html>" }));
  expect(await rejection(holding(endpoint).client.heartbeat())).toMatchObject({
    name: "ServerFault",
    code: "answer_unreadable",
    status: 200,
  });
  const page = await serve(() => ({ status: 400, text: "<html>" }));
  const error = await rejection(holding(page.endpoint).client.heartbeat());
  expect(error).toBeInstanceOf(RequestInvalid);
  expect(error).toMatchObject({ code: "http_400", status: 400 });
});
