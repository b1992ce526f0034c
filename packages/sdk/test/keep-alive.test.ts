import { expect, it } from "vitest";
import { NotClaimed, TokenExpired } from "../src/index.ts";
import {
  CLAIM,
  TOKEN,
  problem,
  rejection,
  serve,
  start,
  type Handler,
  type Service,
} from "./kit.ts";

const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();
const claim = { ...CLAIM, task: { ...CLAIM.task, lease_until: soon(30_000) } };

interface Beating extends Service {
  readonly client: ReturnType<typeof start>["client"];
  /** The pauses before the heartbeats. */
  readonly rhythm: readonly number[];
  /** Triggers the next heartbeat. */
  readonly beat: () => void;
}

async function beating(heartbeat: Handler): Promise<Beating> {
  const rhythm: number[] = [];
  let next = (): void => undefined;
  const service = await serve((request, count) =>
    request.path.endsWith("/heartbeat") ? heartbeat(request, count) : { body: claim },
  );
  const { client } = start(service.endpoint, {
    heartbeat: true,
    sleep: (ms, signal, { idle = false } = {}) => {
      if (!idle) return Promise.resolve();
      rhythm.push(ms);
      return new Promise((resolve, reject) => {
        next = resolve;
        signal?.addEventListener("abort", () => reject(signal.reason as Error));
      });
    },
  });
  return { ...service, client, rhythm, beat: () => next() };
}

it("sends three heartbeats per lease, with the newest token", async () => {
  const { client, received, rhythm, beat } = await beating((_, count) => ({
    body: { lease_until: soon(90_000), phase_token: `token-${count}` },
  }));
  await client.claimTask();
  expect(rhythm).toHaveLength(1);
  expect(rhythm[0]).toBeGreaterThan(5_000);
  expect(rhythm[0]).toBeLessThanOrEqual(10_000);
  beat();
  await expect.poll(() => rhythm.length).toBe(2);
  expect(rhythm[1]).toBeLessThanOrEqual(30_000);
  beat();
  await expect.poll(() => rhythm.length).toBe(3);
  expect(received.map(({ headers }) => headers.authorization).slice(1)).toEqual([
    `Bearer ${TOKEN}`,
    "Bearer token-2",
  ]);
  expect(client.lost.aborted).toBe(false);
});

it("reports that the task is lost when the server says so", async () => {
  const { client, rhythm, beat } = await beating(() => problem(403, "task_lease_over"));
  await client.claimTask();
  beat();
  await expect.poll(() => client.lost.aborted).toBe(true);
  expect(client.lost.reason).toBeInstanceOf(NotClaimed);
  expect(rhythm).toHaveLength(1);
});

it("does not treat a token replaced by a transition as a loss, unless it stays replaced", async () => {
  const { client, rhythm, beat } = await beating((_, count) =>
    count === 3
      ? { body: { lease_until: soon(90_000), phase_token: TOKEN } }
      : problem(403, "token_superseded"),
  );
  await client.claimTask();
  // The token is replaced, valid, and replaced again.
  for (let beats = 2; beats <= 4; beats += 1) {
    beat();
    await expect.poll(() => rhythm.length).toBe(beats);
    expect(client.lost.aborted).toBe(false);
  }
  beat();
  await expect.poll(() => client.lost.aborted).toBe(true);
  expect(client.lost.reason).toBeInstanceOf(TokenExpired);
  // The uncertain state does not last long.
  expect([rhythm[1], rhythm[3]]).toEqual([1_000, 1_000]);
  expect(rhythm).toHaveLength(4);
});

it("does not treat a missing answer as a loss", async () => {
  const { client, rhythm, beat } = await beating(() => undefined);
  await client.claimTask();
  beat();
  await expect.poll(() => rhythm.length).toBe(2);
  expect(client.lost.aborted).toBe(false);
});

it("ends with the claim", async () => {
  const { client, rhythm, received, beat } = await beating(() => ({
    body: { lease_until: soon(90_000), phase_token: TOKEN },
  }));
  await client.claimTask();
  const first = client.lost;
  await client.claimTask();
  expect(first.aborted).toBe(true);
  expect(client.lost.aborted).toBe(false);
  client.close();
  beat();
  expect(await rejection(Promise.reject(new Error("turn")))).toBeDefined();
  expect(rhythm).toHaveLength(2);
  expect(received.filter(({ path }) => path.endsWith("/heartbeat"))).toEqual([]);
});

it("sends no more heartbeats than needed when the server asks for a pause, even after a token was replaced", async () => {
  const { client, rhythm, beat } = await beating((_, count) =>
    count === 2
      ? problem(403, "token_superseded")
      : { ...problem(429, "rate"), headers: { "retry-after": "3600" } },
  );
  await client.claimTask();
  beat();
  await expect.poll(() => rhythm.length).toBe(2);
  expect(rhythm[1]).toBe(1_000);
  beat();
  await expect.poll(() => rhythm.length).toBe(3);
  expect(rhythm[2]).toBeGreaterThan(1_000);
  expect(client.lost.aborted).toBe(false);
});
