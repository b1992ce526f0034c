// Tests what the built command gives operators: a stream that continues without a gap after a power cut, and the pages that describe the
// server.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  ENROL,
  OPERATOR,
  endServers,
  makeSite,
  startServer,
  type ServerProcess,
  type Site,
} from "./orchestrator-kit.ts";

let site: Site;
let server: ServerProcess;
beforeAll(async () => {
  site = makeSite([]);
  server = await startServer(site);
});
afterAll(endServers);

const headers = { authorization: `Bearer ${OPERATOR}` };
const get = (path: string, more: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${server.url}/api/v1${path}`, { headers: { ...headers, ...more } });

async function create(...ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const body = JSON.stringify({ tasks: [{ id }] });
    const response = await fetch(`${server.url}/api/v1/tasks`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
    });
    expect(response.status).toBe(201);
  }
}

/** Reads `count` event ids after a given one, or as many as come while the server lives. */
async function take(after: number, count: number): Promise<readonly number[]> {
  const response = await get("/events", { "last-event-id": String(after) });
  expect(response.status).toBe(200);
  const reader = (response.body ?? new ReadableStream<Uint8Array>())
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let text = "";
  const ids = (): readonly number[] =>
    [...text.matchAll(/^event: .*\ndata: .*\nid: (\d+)\n\n/gm)].map(([, id]) => Number(id));
  while (ids().length < count) {
    const part = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (part.done) break;
    text += part.value ?? "";
  }
  await reader.cancel().catch(() => {});
  return ids();
}

test("a stream continues after the last event that was seen, through a server that is killed and restarted", async () => {
  const seen: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const reading = take(seen.at(-1) ?? 0, Infinity);
    await create(`a-${round}`, `b-${round}`, `c-${round}`);
    await server.kill();
    seen.push(...(await reading));
    server = await startServer(site);
  }
  await create("last");
  const { total } = (await (await get("/audit/recent?count=1")).json()) as {
    readonly total: number;
  };
  seen.push(...(await take(seen.at(-1) ?? 0, total - seen.length)));
  expect(seen).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  expect(total).toBeGreaterThanOrEqual(10);
});

test("it describes itself, counts, and reports that it is ready", async () => {
  const { openapi, paths } = (await (await get("/openapi.json")).json()) as {
    openapi: string;
    paths: object;
  };
  expect(openapi).toBe("3.1.0");
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining(["/tasks/claim", "/approvals/{id}", "/events", "/openapi.json"]),
  );
  const page = await (await get("/docs")).text();
  for (const [, file] of page.matchAll(/(?:src|href)="([^"]+)"/g))
    expect((await get(`/${file ?? ""}`)).status).toBe(200);
  expect(await (await get("/metrics")).text()).toContain(
    'bylaw_log_events{event_type="task_created"} 10',
  );
  expect(await (await get("/ready")).json()).toEqual({ ready: true });
});

test("it logs no secret, and exits when told to", async () => {
  for (const authorization of [`Bearer ${OPERATOR}x`, `Bylaw-Enrol ${ENROL}x`, `Basic ${OPERATOR}`])
    expect((await get("/audit/recent", { authorization })).status).toBe(401);
  const stream = (await get("/events?after=0")).body ?? new ReadableStream<Uint8Array>();
  const reader = stream.getReader();
  let text = "";
  while (!text.includes("id: 1\n")) text += new TextDecoder().decode((await reader.read()).value);
  expect(await server.stop()).toBe(0);
  for (let done = false; !done;) ({ done } = await reader.read());
  expect(server.errors()).toContain("a request was refused");
  for (const secret of [OPERATOR, ENROL]) expect(server.errors()).not.toContain(secret);
});
