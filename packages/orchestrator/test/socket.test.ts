import { once } from "node:events";
import { request as httpsRequest } from "node:https";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SettingsInput } from "../src/index.ts";
import { asNewcomer, asOperator, serve, type Agent, type Served } from "./kit.ts";

let at: Served;
let ann: Agent;
let url: string;
let port: number;

beforeAll(async () => {
  at = await serve({
    settings: { limits: { headers_ms: 300, request_ms: 600, body_bytes: 4_096 } },
  });
  ({ url } = await at.listen());
  port = Number(new URL(url).port);
  ann = await at.agent("ann", "a");
});
afterAll(() => at.close());

/** Starts a server and ends it, whether or not it could listen. */
async function listening(settings: SettingsInput): Promise<unknown> {
  const one = await serve({ settings });
  return one.listen().finally(() => one.close());
}

/** Sends raw bytes, and reads until the server closes the connection. */
function raw(text: string | readonly string[], { end = false } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket: Socket = connect(port, "127.0.0.1", () => {
      for (const part of typeof text === "string" ? [text] : text) socket.write(part);
      if (end) socket.end();
    });
    socket.setEncoding("utf8");
    socket.on("data", (part: string) => (answer += part));
    socket.on("close", () => resolve(answer));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNRESET" ? resolve(answer) : reject(error),
    );
  });
}

const head = (...lines: readonly string[]): string =>
  ["POST /api/v1/tools/check HTTP/1.1", "Host: x", "Connection: close", ...lines, "", ""].join(
    "\r\n",
  );
const body = JSON.stringify({ task_id: "a", tool_name: "read_files", args: { path: "a" } });
const json = "Content-Type: application/json";
const isUp = async (): Promise<boolean> => (await fetch(`${url}/api/v1/health`)).ok;

describe("over a socket", () => {
  it("an agent claims and works", async () => {
    const answer = await raw(
      head(json, `Authorization: Bearer ${ann.token}`, `Content-Length: ${body.length}`) + body,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('"allowed":true');
  });

  it.each<[string, readonly string[], string, RegExp]>([
    [
      "two Authorization headers",
      [json, `Authorization: Bearer TOKEN`, "Authorization: Bearer other"],
      body,
      /^HTTP\/1\.1 401 /,
    ],
    [
      "two of them, the good one last",
      [json, "Authorization: Bearer other", "Authorization: Bearer TOKEN"],
      body,
      /^HTTP\/1\.1 401 /,
    ],
    [
      "two content types",
      [json, "Content-Type: text/plain", "Authorization: Bearer TOKEN"],
      body,
      /^HTTP\/1\.1 415 /,
    ],
    [
      "a line break in a header",
      [json, "Authorization: Bearer TOKEN\r\n folded"],
      body,
      /^HTTP\/1\.1 40[01] /,
    ],
    [
      "two lengths",
      [json, "Authorization: Bearer TOKEN", `Content-Length: ${body.length}`, "Content-Length: 3"],
      body,
      /^HTTP\/1\.1 400 /,
    ],
    [
      "a length and a transfer coding",
      [json, "Authorization: Bearer TOKEN", "Transfer-Encoding: chunked"],
      body,
      /^HTTP\/1\.1 400 /,
    ],
    [
      "a body larger than it may be",
      [json, "Authorization: Bearer TOKEN"],
      `{"a":"${"x".repeat(10_000)}"}`,
      /^HTTP\/1\.1 413 /,
    ],
    [
      "a head of a million bytes",
      [json, `X-Much: ${"x".repeat(1_000_000)}`],
      body,
      /^HTTP\/1\.1 431 |^$/,
    ],
  ])("%s are refused, and the server stays up", async (_, lines, text, status) => {
    const given = lines.map((line) => line.replace("TOKEN", ann.token));
    const length = given.some((line) => line.startsWith("Content-Length"))
      ? []
      : [`Content-Length: ${text.length}`];
    expect(await raw(head(...given, ...length) + text)).toMatch(status);
    expect(await isUp()).toBe(true);
  });

  it("a chunked body without a length is limited too", async () => {
    const piece = `${(1_024).toString(16)}\r\n${"x".repeat(1_024)}\r\n`;
    const chunked = head(json, `Authorization: Bearer ${ann.token}`, "Transfer-Encoding: chunked");
    expect(await raw([chunked, piece, piece, piece, piece, piece, piece])).toMatch(
      /^HTTP\/1\.1 413 /,
    );
    expect(await isUp()).toBe(true);
  });

  it.each<[string, string]>([
    ["head", "POST /api/v1/tools/check HTTP/1.1\r\nHost: x\r\nX-Slow: "],
    ["body", head(json, "Content-Length: 1000").replace("Connection: close\r\n", "") + "{"],
  ])("does not wait for a missing %s", async (_, text) => {
    expect(await raw(text)).toMatch(/^HTTP\/1\.1 408 |^$/);
    expect(await isUp()).toBe(true);
  });

  it("does not wait for an unwanted body", async () => {
    const kept = head(
      "Content-Type: text/plain",
      `Authorization: Bearer ${ann.token}`,
      "Content-Length: 1000000",
    ).replace("Connection: close\r\n", "");
    const answer = await raw(`${kept}{`);
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
    expect(answer.toLowerCase()).toContain("connection: close");
  });

  it("a request that is refused before its body is read leaves the connection usable", async () => {
    const post = (token: string, id: string, ...lines: readonly string[]): string => {
      const text = JSON.stringify({ id });
      const given = [`Authorization: Bearer ${token}`, `Content-Length: ${text.length}`, ...lines];
      return ["POST /api/v1/tasks HTTP/1.1", "Host: x", json, ...given, "", text].join("\r\n");
    };
    const operator = asOperator.replace("Bearer ", "");
    const answers = await raw(
      post("nobody", "p1") + post(operator, "p2") + post(operator, "p3", "Connection: close"),
    );
    expect([...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).toEqual([
      "401",
      "201",
      "201",
    ]);
  });

  it("a truncated body and non-HTTP bytes do not affect other requests", async () => {
    await raw(head(json, `Authorization: Bearer ${ann.token}`, "Content-Length: 1000") + "{", {
      end: true,
    });
    await raw("\u0016\u0003\u0001\u0002\u0000\u0001");
    await raw("GET / HTTP/1.1\r\n\r\n");
    expect(
      await raw(
        "GET http://elsewhere/api/v1/tasks HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
      ),
    ).toMatch(/^HTTP\/1\.1 401 /);
    expect(
      await raw("GET /api/v1/../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
    ).toMatch(/^HTTP\/1\.1 404 /);
    expect(await isUp()).toBe(true);
  });
});

it("a web page may send requests if its origin is listed, and not otherwise", async () => {
  const open = await serve({ settings: { cors_origins: ["https://app.example.org"] } });
  const { url: base } = await open.listen();
  const from = (origin: string, method = "GET") =>
    fetch(`${base}/api/v1/health`, { method, headers: { origin, connection: "close" } });
  expect((await from("https://app.example.org")).headers.get("access-control-allow-origin")).toBe(
    "https://app.example.org",
  );
  const asked = await from("https://app.example.org", "OPTIONS");
  expect(asked.status).toBe(204);
  expect(asked.headers.get("access-control-allow-headers")).toContain("authorization");
  for (const origin of ["https://evil.example.org", "null", "https://app.example.org.evil.org"]) {
    expect((await from(origin)).headers.get("access-control-allow-origin")).toBeNull();
    const preflight = await from(origin, "OPTIONS");
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
  }
  const refused = await fetch(`${base}/api/v1/tools`, {
    headers: { origin: "https://app.example.org", connection: "close" },
  });
  expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([
    401,
    "https://app.example.org",
  ]);
  const posted = {
    method: "POST",
    headers: {
      origin: "https://app.example.org",
      connection: "close",
      "content-type": "application/json",
    },
    body,
  };
  const unknown = await fetch(`${base}/api/v1/tools/check`, posted);
  expect([unknown.status, unknown.headers.get("access-control-allow-origin")]).toEqual([
    401,
    "https://app.example.org",
  ]);
  await open.close();
});

describe("a client that disconnects right after its request", () => {
  const asked = `GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: ${asOperator}\r\n\r\n`;

  it("keeps no stream of events open", async () => {
    const leaves = Array.from({ length: 60 }, async () => {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      socket.write(asked);
      socket.resetAndDestroy();
    });
    await Promise.all(leaves);
    // A caller may have sixteen of them.
    const leaving = new AbortController();
    const stream = await fetch(`${url}/api/v1/events`, {
      headers: { authorization: asOperator },
      signal: leaving.signal,
    });
    leaving.abort();
    expect(stream.status).toBe(200);
  });
});

it("with a certificate and its key, HTTPS is served", async () => {
  // For tests only: no client trusts it.
  const [cert, key] = ["cert.pem", "key.pem"].map((name) =>
    fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)),
  ) as [string, string];
  const secure = await serve({ settings: { tls: { cert, key } } });
  const { url: base } = await secure.listen();
  expect(base).toMatch(/^https:/);
  const status = await new Promise((resolve, reject) => {
    httpsRequest(`${base}/api/v1/health`, { rejectUnauthorized: false }, (answer) =>
      resolve(answer.resume().statusCode),
    )
      .on("error", reject)
      .end();
  });
  expect(status).toBe(200);
  await secure.close();
  await expect(listening({ tls: { cert: "none.pem", key } })).rejects.toFailWith(
    "BYLAW_SETTINGS_INVALID",
  );
});

describe("closing the server", () => {
  it("lets requests end, reports not ready, and accepts nothing new", async () => {
    const ending = await serve({ settings: { shutdown: { grace_ms: 20_000 } } });
    const { url: base } = await ending.listen();
    const bob = await ending.agent("bob", "a");
    const headers = { authorization: bob.auth, "content-type": "application/json" };
    const slow = fetch(`${base}/api/v1/tools/execute`, {
      method: "POST",
      headers,
      body: JSON.stringify({ task_id: "a", tool_name: "slow", args: { path: "x" } }),
    });
    const waiting = fetch(`${base}/api/v1/tasks/claim`, {
      method: "POST",
      headers: { ...headers, authorization: asNewcomer },
      body: JSON.stringify({ agent_id: "cid", wait_ms: 60_000 }),
    });
    await expect.poll(() => ending.runs.get("slow")).toBe(1);
    const closed = ending.close();
    // Waiting requests end at once.
    expect((await waiting).status).toBe(404);
    expect((await ending.get("/ready")).status).toBe(503);
    await expect(
      fetch(`${base}/api/v1/health`, { headers: { connection: "close" } }),
    ).rejects.toThrow();
    ending.finish();
    expect((await slow).status).toBe(200);
    await closed;
  });

  it("cuts off requests that take too long, and answers them", async () => {
    const ending = await serve({ settings: { shutdown: { grace_ms: 1 } } });
    const { url: base } = await ending.listen();
    const bob = await ending.agent("bob", "a");
    const slow = fetch(`${base}/api/v1/tools/execute`, {
      method: "POST",
      headers: { authorization: bob.auth, "content-type": "application/json" },
      body: JSON.stringify({ task_id: "a", tool_name: "slow", args: { path: "x" } }),
    }).then(
      ({ status }) => status,
      () => 0,
    );
    await expect.poll(() => ending.runs.get("slow")).toBe(1);
    await ending.close();
    expect([0, 400, 503]).toContain(await slow);
  });

  it("reports an address that is already in use", async () => {
    await expect(listening({ port })).rejects.toFailWith("BYLAW_SERVICE_UNREACHABLE");
    expect((await at.get("/tasks", asOperator)).status).toBe(200);
  });
});
