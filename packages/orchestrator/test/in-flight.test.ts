import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asNewcomer, asOperator, serve, type Agent, type Served, problemOf, fails } from "./kit.ts";

const BODY = 65_536;

let at: Served;
let ann: Agent;
let bob: Agent;
let cid: Agent;
let port: number;

beforeAll(async () => {
  const limits = {
    body_bytes: BODY,
    caller_bytes_in_flight: 2 * BODY,
    bytes_in_flight: 3 * BODY,
    anonymous_bytes_in_flight: 32_768,
  };
  at = await serve({ settings: { limits } });
  port = Number(new URL((await at.listen()).url).port);
  [ann, bob, cid] = [await at.agent("ann"), await at.agent("bob"), await at.agent("cid")];
});
afterAll(() => at.close());

const held = (): number => at.service.inFlight.held();

/** A request on its own connection, which ends with the answer. */
class Sent {
  readonly socket: Socket;
  readonly answer: Promise<string>;
  #text = "";

  constructor(text: string) {
    this.socket = connect(port, "127.0.0.1");
    this.socket.setEncoding("utf8").on("data", (part: string) => (this.#text += part));
    // A server that closes a connection while a body is still arriving resets it.
    this.socket.on("error", () => {});
    this.answer = once(this.socket, "close").then(() => this.#text);
    this.socket.write(text);
  }
}

interface Head {
  readonly path?: string;
  readonly auth?: string | undefined;
  readonly length?: number;
  readonly kept?: boolean;
}

const head = ({ path = "/tools/check", auth, length, kept = false }: Head): string =>
  [
    `POST /api/v1${path} HTTP/1.1`,
    "Host: x",
    "Content-Type: application/json",
    `Connection: ${kept ? "keep-alive" : "close"}`,
    ...(auth === undefined ? [] : [`Authorization: ${auth}`]),
    length === undefined ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`,
    "",
    "",
  ].join("\r\n");

const check = (task: string, length = 0): string =>
  JSON.stringify({ task_id: task, tool_name: "read_files", args: { path: "a" } }).padEnd(
    length,
    " ",
  );
const begun = ({ auth, task }: Agent): Sent => new Sent(head({ auth, length: BODY }) + check(task));
const rest = ({ task }: Agent): string => check(task, BODY).slice(check(task).length);

describe("the caller is known before a body is read", () => {
  it.each<[string, string | undefined, RegExp]>([
    ["a forged token", "Bearer abc.def.ghi", /^HTTP\/1\.1 401 /],
    ["the token of an operator", asOperator, /^HTTP\/1\.1 403 /],
    ["no credential", undefined, /^HTTP\/1\.1 413 [^]*Send the token in the Authorization header/],
  ])("with %s the answer does not wait for the body", async (_, auth, answer) => {
    const sent = new Sent(head({ path: "/tools/execute", auth, length: BODY }));
    expect(await sent.answer).toMatch(answer);
  });

  it("a body that may contain the token is limited to 16 KiB and few values", async () => {
    const body = {
      task_id: ann.task,
      tool_name: "read_files",
      args: { path: "a" },
      phase_token: ann.token,
    };
    expect((await at.post("/tools/check", undefined, body)).status).toBe(200);
    const many = { ...body, args: { path: "a", many: Array.from({ length: 1_000 }, () => 0) } };
    expect((await at.post("/tools/check", undefined, many)).status).toBe(401);
    expect((await at.post("/tools/check", ann.auth, many)).status).toBe(200);
    const long = { ...body, args: { path: "a", content: "x".repeat(16_384) } };
    await fails(at.post("/tools/check", undefined, long), 413, "BYLAW_REQUEST_TOO_LARGE");
    expect((await at.post("/tools/check", ann.auth, long)).status).toBe(200);
  });

  it("a body that is too large for a caller without a credential is recorded", async () => {
    at.pass(10_000);
    const before = (await at.events("access_refused")).length;
    await new Sent(head({ path: "/tools/execute", length: BODY })).answer;
    expect((await at.events("access_refused")).slice(before)).toMatchObject([
      { details: { code: "token_missing", route: "/tools/execute" } },
    ]);
  });
});

describe("the bytes of bodies in flight", () => {
  it("are limited for each caller and in total, with a share for operators, and all are freed again", async () => {
    const first = [begun(ann), begun(ann)];
    await expect.poll(held).toBe(2 * BODY);
    // Ann uses her share, Bob the rest, and nothing is left for Cid.
    const busy = /^HTTP\/1\.1 503 [^]*retry-after: 1[^]*BYLAW_SERVICE_BUSY/i;
    expect(await begun(ann).answer).toMatch(busy);
    const other = begun(bob);
    await expect.poll(held).toBe(3 * BODY);
    const late = await new Sent(head({ auth: ann.auth, length: 300 }) + check(ann.task, 300))
      .answer;
    expect(late).toMatch(busy);
    expect((await at.post("/tasks", asOperator, { id: "while-busy" })).status).toBe(201);
    // Callers without a credential have their own share, which is gone when everything is in use.
    expect((await at.get("/health")).status).toBe(200);
    for (const sent of first) sent.socket.write(rest(ann));
    other.socket.destroy();
    for (const sent of first) expect(await sent.answer).toMatch(/^HTTP\/1\.1 200 /);
    await expect.poll(held).toBe(0);
    const again = begun(cid);
    again.socket.write(rest(cid));
    expect(await again.answer).toMatch(/^HTTP\/1\.1 200 /);
    await expect.poll(held).toBe(0);
  });

  it("are freed once when a client disconnects, at any time", async () => {
    for (let round = 0; round < 3; round += 1) {
      const sent = [begun(ann), begun(bob)];
      await expect.poll(held).toBe(2 * BODY);
      for (const { socket } of sent) socket.resetAndDestroy();
      await expect.poll(held).toBe(0);
    }
    // Its call is decided, although the client has disconnected.
    const gone = begun(ann);
    await expect.poll(held).toBe(BODY);
    gone.socket.write(rest(ann), () => gone.socket.destroy());
    await expect.poll(held).toBe(0);
    expect(held()).toBe(0);
  });

  it("of a body without a length count as they arrive", async () => {
    const piece = (bytes: number): string => `${bytes.toString(16)}\r\n${" ".repeat(bytes)}\r\n`;
    const sent = new Sent(head({ auth: cid.auth }) + piece(1_000));
    await expect.poll(held).toBe(1_000);
    const full = [begun(ann), begun(bob), new Sent(head({ auth: bob.auth, length: 30_000 }))];
    await expect.poll(held).toBe(1_000 + 2 * BODY + 30_000);
    for (let pieces = 0; pieces < 40; pieces += 1) sent.socket.write(piece(1_000));
    expect(await sent.answer).toMatch(/^HTTP\/1\.1 503 /);
    for (const { socket } of full) socket.destroy();
    await expect.poll(held).toBe(0);
  });

  it("of a waiting claim do not count, but it must be small", async () => {
    await at.post("/tasks/claim", asNewcomer, { agent_id: "first" });
    const claim = JSON.stringify({
      agent_id: "waits",
      wait_ms: 20_000,
      capabilities: ["none-has-this"],
    }).padEnd(20_000);
    const waiting = new Sent(
      head({ path: "/tasks/claim", auth: asNewcomer, length: claim.length }) + claim.slice(0, -1),
    );
    await expect.poll(held).toBe(claim.length);
    waiting.socket.write(" ");
    await expect.poll(held).toBe(0);
    expect(waiting.socket.readyState).toBe("open");
    waiting.socket.destroy();
    const padded = await at.post(
      "/tasks/claim",
      asNewcomer,
      JSON.stringify({ agent_id: "x" }).padEnd(BODY + 1),
    );
    expect(padded.status).toBe(413);
  });

  it("of a request without a socket are limited too", async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(4_096)),
    });
    const response = await at.app.request("/api/v1/tools/check", {
      method: "POST",
      headers: { authorization: ann.auth, "content-type": "application/json" },
      body: endless,
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(held()).toBe(0);
  });
});

describe("a flood of large bodies", () => {
  const nested = `[${Array.from({ length: 300 }, () => "[".repeat(90) + "]".repeat(90)).join(",")}]`;
  const large = (task: string): string =>
    `{"task_id":"${task}","tool_name":"read_files","args":{"path":"a","x":${nested}}}`;

  it("is refused before it is parsed, and other requests are answered as usual", async () => {
    const body = large(ann.task);
    const post = (auth: string | undefined, path: string): Promise<string> =>
      new Sent(head({ path, auth, length: body.length }) + body).answer.then(
        (answer) => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? "cut",
      );
    const anonymous = Array.from({ length: 90 }, () => post(undefined, "/tools/execute"));
    const agents = Array.from({ length: 60 }, () => post(ann.auth, "/tools/check"));
    // A server that closes a connection may reset it before its answer is read.
    for (const status of await Promise.all(anonymous)) expect(["413", "cut"]).toContain(status);
    for (const status of await Promise.all(agents)) expect(["400", "503", "cut"]).toContain(status);
    expect((await at.get("/health")).status).toBe(200);
    expect(
      (await at.post("/tools/check", bob.auth, { ...JSON.parse(check(bob.task)) })).status,
    ).toBe(200);
    await expect.poll(held).toBe(0);
  });

  it("reports how many values a body may have", async () => {
    const refused = await at.post("/tools/check", bob.auth, large(bob.task));
    expect(refused).toMatchObject(problemOf(400, "BYLAW_JSON_INVALID"));
    expect(refused.body["detail"]).toMatch(/20000 values/);
  });

  it("keeps the order of requests on one connection, a large body among small ones", async () => {
    const wide = check(ann.task, BODY);
    const asked = [check(ann.task), wide, check(bob.task), check(ann.task)];
    const sent = new Sent(
      asked
        .map(
          (body, index) =>
            head({ auth: ann.auth, length: body.length, kept: index < asked.length - 1 }) + body,
        )
        .join(""),
    );
    const statuses = [...(await sent.answer).matchAll(/HTTP\/1\.1 (\d+) /g)].map(
      ([, status]) => status,
    );
    expect(statuses).toEqual(["200", "200", "403", "200"]);
    await expect.poll(held).toBe(0);
  });
});
