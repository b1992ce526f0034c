import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve, type Agent, type Served } from "./kit.ts";

let at: Served;
let ann: Agent;

beforeAll(async () => {
  at = await serve();
  ann = await at.agent("ann");
});
afterAll(() => at.close());

const send = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  at.ask("POST", "/tools/check", ann.auth, body, headers);
const good = (args = "{}"): string =>
  `{"task_id":"of-ann","tool_name":"read_files","args":${args}}`;
const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("the body of a request", () => {
  it.each<[string, string | Uint8Array, number, string]>([
    ["that is empty", "", 400, "BYLAW_JSON_INVALID"],
    ["that is no JSON", "{", 400, "BYLAW_JSON_INVALID"],
    ["with something behind it", `${good()}x`, 400, "BYLAW_JSON_INVALID"],
    ["that is a list", "[]", 400, "BYLAW_REQUEST_INVALID"],
    ["that is null", "null", 400, "BYLAW_REQUEST_INVALID"],
    ["that lacks a field", '{"task_id":"of-ann"}', 400, "BYLAW_REQUEST_INVALID"],
    [
      "with a key that nobody knows",
      good().replace("{", '{"phase":"WORK",'),
      400,
      "BYLAW_REQUEST_INVALID",
    ],
    [
      "that says who the agent is",
      good().replace("{", '{"agent_id":"bob",'),
      400,
      "BYLAW_REQUEST_INVALID",
    ],
    ["with a key twice", good().replace("{", '{"task_id":"of-bob",'), 400, "BYLAW_JSON_INVALID"],
    [
      "with a key twice, once escaped",
      good().replace("{", '{"task\\u005fid":"of-bob",'),
      400,
      "BYLAW_JSON_INVALID",
    ],
    ["with `__proto__`", good('{"__proto__":{"path":"x"}}'), 400, "BYLAW_JSON_INVALID"],
    [
      "with `__proto__`, escaped",
      good('{"__pro\\u0074o__":{"path":"x"}}'),
      400,
      "BYLAW_JSON_INVALID",
    ],
    ["with arguments that are a list", good("[]"), 400, "BYLAW_REQUEST_INVALID"],
    ["that nests a thousand levels", good(`{"a":${deep(1_000)}}`), 400, "BYLAW_JSON_INVALID"],
    [
      "that nests a hundred thousand levels",
      good(`{"a":${deep(100_000)}}`),
      400,
      "BYLAW_JSON_INVALID",
    ],
    ["that is no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), 400, "BYLAW_JSON_INVALID"],
    ["with a byte order mark", `\ufeff${good()}`, 400, "BYLAW_JSON_INVALID"],
    ["with half of a surrogate pair", good('{"a":"\\ud800"}'), 400, "BYLAW_JSON_INVALID"],
    ["with a number that nobody can hold", good('{"a":1e999}'), 400, "BYLAW_JSON_INVALID"],
    [
      "that is larger than the limit",
      good(`{"a":"${"x".repeat(1_048_576)}"}`),
      413,
      "BYLAW_REQUEST_TOO_LARGE",
    ],
    ["with a tool of no name", good().replace("read_files", ""), 400, "BYLAW_REQUEST_INVALID"],
  ])("%s is refused", async (_, body, status, code) => {
    expect(await send(body)).toMatchObject({ status, body: { code, status } });
  });

  it.each([
    ["text/plain"],
    ["application/x-www-form-urlencoded"],
    ["application/json; charset=utf-16"],
    ["application/jsonx"],
    ["application/json, text/plain"],
  ])("of type %s is refused", async (type) => {
    expect(await send(good(), { "content-type": type })).toMatchObject({
      status: 415,
      body: { code: "BYLAW_REQUEST_UNSUPPORTED" },
    });
  });

  it("is refused when it is packed", async () => {
    expect(await send(good(), { "content-encoding": "gzip" })).toMatchObject({ status: 415 });
  });

  it("is read when it says which characters it has", async () => {
    expect((await send(good(), { "content-type": "application/json; charset=utf-8" })).status).toBe(
      200,
    );
    expect((await send(good('{"path":"a\\u0000b"}'))).status).toBe(200);
  });

  it("is told what is wrong with it in one line", async () => {
    const { body } = await send('{"task_id":"of-ann","tool_name":7,"args":{},"surprise":1}');
    expect(body["detail"]).toMatch(/tool_name/);
    expect(body["detail"]).toMatch(/surprise/);
    expect(String(body["detail"])).not.toMatch(/\n/);
    expect(body["type"]).toBe("urn:bylaw:error:bylaw_request_invalid");
  });
});

describe("an id of a request", () => {
  it("in the header and in the body is one and the same", async () => {
    const body = `${good().slice(0, -1)},"request_id":"r1"}`;
    expect((await send(body, { "idempotency-key": "r2" })).status).toBe(400);
    expect((await send(body, { "idempotency-key": "r1" })).status).toBe(200);
    expect((await send(good(), { "idempotency-key": "with blanks" })).status).toBe(400);
    expect((await send(good(), { "idempotency-key": "x".repeat(256) })).status).toBe(400);
  });
});
