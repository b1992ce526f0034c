import { readCases } from "@bylaw/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve, type Agent, type Served, fails } from "./kit.ts";

let at: Served;
let ann: Agent;

beforeAll(async () => {
  at = await serve();
  ann = await at.agent("ann");
});
afterAll(() => at.close());

const send = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  at.post("/tools/check", ann.auth, body, headers);
const good = (args = "{}"): string =>
  `{"task_id":"of-ann","tool_name":"read_files","args":${args}}`;
const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("the body of a request", () => {
  it.each<[string, string | Uint8Array, number, string]>([
    ...readCases<[string, string, number, string]>(import.meta, "refused"),
    ["that nests a thousand levels", good(`{"a":${deep(1_000)}}`), 400, "BYLAW_JSON_INVALID"],
    ["that nests 100,000 levels", good(`{"a":${deep(100_000)}}`), 400, "BYLAW_JSON_INVALID"],
    ["that is not UTF-8", new Uint8Array([0x22, 0xff, 0x22]), 400, "BYLAW_JSON_INVALID"],
    ["beyond the limit", good(`{"a":"${"x".repeat(1_048_576)}"}`), 413, "BYLAW_REQUEST_TOO_LARGE"],
  ])("%s is refused", async (_, body, status, code) => {
    expect(await send(body)).toMatchObject({ status, body: { code, status } });
  });

  it.each(readCases<[string]>(import.meta, "type-refused"))(
    "of type %s is refused",
    async (type) => {
      await fails(send(good(), { "content-type": type }), 415, "BYLAW_REQUEST_UNSUPPORTED");
    },
  );

  it("is refused if it is compressed", async () => {
    expect(await send(good(), { "content-encoding": "gzip" })).toMatchObject({ status: 415 });
  });

  it("is read with a declared charset", async () => {
    expect((await send(good(), { "content-type": "application/json; charset=utf-8" })).status).toBe(
      200,
    );
    expect((await send(good('{"path":"a\\u0000b"}'))).status).toBe(200);
  });

  it("gets an error of one line", async () => {
    const { body } = await send('{"task_id":"of-ann","tool_name":7,"args":{},"surprise":1}');
    expect(body["detail"]).toMatch(/tool_name/);
    expect(body["detail"]).toMatch(/surprise/);
    expect(String(body["detail"])).not.toMatch(/\n/);
    expect(body["type"]).toBe("urn:bylaw:error:bylaw_request_invalid");
  });
});

it("a request id is the same in the header and in the body", async () => {
  const body = `${good().slice(0, -1)},"request_id":"r1"}`;
  expect((await send(body, { "idempotency-key": "r2" })).status).toBe(400);
  expect((await send(body, { "idempotency-key": "r1" })).status).toBe(200);
  expect((await send(good(), { "idempotency-key": "with blanks" })).status).toBe(400);
  expect((await send(good(), { "idempotency-key": "x".repeat(256) })).status).toBe(400);
});
