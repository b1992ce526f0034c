import { allow, ask, createKernel, definePlugin, deny, type JsonObject } from "@bylaw/kernel";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openProxy, scratch, textOf } from "./proxy-kit.ts";

let calls: JsonObject[] = [];
const rules = definePlugin({
  name: "rules",
  version: "1.0.0",
  options: z.strictObject({}).prefault({}),
  grants: true,
  apply({ hooks }) {
    hooks.beforeToolCall.tap("calls", ({ tool, args, server = "", annotations = {} }) => {
      calls.push({ tool, server, args, annotations });
      const { path = "" } = args as { readonly path?: string };
      if (path.includes("throw")) throw new Error("down");
      if (path.includes("secret")) return deny("It is secret.", "Read another file");
      return tool === "write" ? ask("This writes.") : allow("Fine.");
    });
  },
});
const kernel = createKernel({ plugins: [rules()], fallback: "deny" });
const open = (setup: Partial<Parameters<typeof openProxy>[0]> = {}) => {
  calls = [];
  return openProxy({ kernel, ...setup });
};
const ELICITS = { elicitation: {} };
const elicited = (message: JsonObject) => message["method"] === "elicitation/create";

describe("a judged request", () => {
  it("passes an allowed call and its answer on unchanged, and refuses a denied one", async () => {
    const proxy = await open();
    const sent =
      '{"jsonrpc":"2.0","id":7,"method":"tools/call", "params":{"name":"echo","arguments":{"path":"é","n":1.50},"_meta":{"progressToken":"p"}}}';
    proxy.write(sent);
    const answer = await proxy.take(({ id }) => id === 7);
    expect(answer["result"]).toMatchObject({
      content: [{ type: "text" }, { type: "image", data: "AAAA" }],
      structuredContent: { deep: [1, { two: 2 }] },
      _meta: { trace: "t1" },
      unknown: true,
    });
    expect(await proxy.received()).toContain(sent);
    expect(textOf(await proxy.call("read", { path: "a/secret" }))).toBe(
      "refused: It is secret. Read another file.",
    );
    expect((await proxy.received()).join()).not.toContain("a/secret");
    expect(calls[0]).toMatchObject({ tool: "echo", server: "files" });
  });

  it("is also one that reads a resource or gets a prompt, and a refusal is an error", async () => {
    const proxy = await open();
    expect(textOf(await proxy.ask("resources/read", { uri: "file:///x/secret%2fa" }))).toBe("");
    expect(textOf(await proxy.ask("resources/read", { uri: "file:///x/a%20secret" }))).toBe(
      "error: It is secret. Read another file.",
    );
    expect(calls.at(-1)).toMatchObject({
      tool: "resources/read",
      args: { uri: "file:///x/a%20secret", path: "/x/a secret" },
    });
    await proxy.ask("prompts/get", { name: "review", arguments: { file: "a" } });
    expect(calls.at(-1)).toMatchObject({
      tool: "prompts/get",
      args: { name: "review", arguments: { file: "a" } },
    });
  });

  it("is denied if a check cannot judge it", async () => {
    const proxy = await open();
    expect(textOf(await proxy.call("read", { path: "throw" }))).toMatch(/^refused: /);
    expect((await proxy.received()).join()).not.toContain("throw");
  });

  it("lists the tools that can pass, on one page, and calls no tool that the server does not list", async () => {
    const proxy = await open({ mode: "paged", hides: ({ tool }) => tool === "write" });
    const { result } = await proxy.ask("tools/list");
    expect(result).toMatchObject({ _meta: { kept: 1 } });
    expect(result).not.toHaveProperty("nextCursor");
    expect(await proxy.names()).toEqual(
      expect.arrayContaining(["read", "echo", "progress"]) as unknown,
    );
    expect(await proxy.names()).not.toContain("write");
    expect(textOf(await proxy.ask("tools/list", { cursor: "2" }))).toMatch(/^error: /);
    for (const name of ["admin", "Read", "READ", "read ", "__proto__", "constructor"])
      expect(textOf(await proxy.call(name))).toMatch(/^error: /);
    expect((await proxy.received()).join()).not.toContain("tools/call");
  });
});

describe("an agent that tries to get past the proxy", () => {
  const call = (params: string) =>
    `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":${params}}`;
  const SMUGGLED: readonly (readonly [string, string])[] = [
    ["a key twice", call('{"name":"echo","name":"read","arguments":{"path":"secret"}}')],
    ["an escaped key", call('{"name":"echo","n\\u0061me":"read","arguments":{}}')],
    ["`__proto__`", call('{"name":"echo","arguments":{"__proto__":{"path":"secret"}}}')],
    ["a key in capitals", call('{"name":"echo","arguments":{},"Arguments":{"path":"secret"}}')],
    ["only the key in capitals", call('{"name":"echo","ARGUMENTS":{"path":"secret"}}')],
    ["an argument in capitals", call('{"name":"echo","arguments":{"Path":"secret"}}')],
    ["keys that differ in case", call('{"name":"echo","arguments":{"a":{"x":1,"X":2}}}')],
    ["a letter that folds to k", call('{"name":"echo","arguments":{"key":1,"\u212aey":2}}')],
    [
      "a method in capitals",
      '{"jsonrpc":"2.0","id":9,"method":"ping","Method":"tools/call","params":{"name":"read"}}',
    ],
    ["another spelling", '{"jsonrpc":"2.0","id":9,"method":"Tools/Call","params":{"name":"read"}}'],
    [
      "a blank behind it",
      '{"jsonrpc":"2.0","id":9,"method":"tools/call ","params":{"name":"read"}}',
    ],
    ["a batch", `[${call('{"name":"read","arguments":{"path":"secret"}}')}]`],
    [
      "an invalid number as the id",
      '{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"read"}}',
    ],
    [
      "no id",
      '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"read","arguments":{"path":"x"}}}',
    ],
    [
      "an answer and a request",
      '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"read"},"result":{}}',
    ],
    ["a number that readers round", call('{"name":"echo","arguments":{"n":1e999}}')],
    ["arguments as a list", call('{"name":"echo","arguments":["secret"]}')],
    ["a name as a list", call('{"name":["echo"],"arguments":{}}')],
    ["no JSON", '{"jsonrpc":"2.0","id":9,"method":"tools/call"'],
  ];

  it.each(SMUGGLED)("gets nothing through with %s", async (_, message) => {
    const proxy = await open();
    await proxy.names();
    const before = await proxy.received();
    proxy.write(message);
    const after = (await proxy.received()).slice(before.length);
    expect(after.map((line) => (JSON.parse(line) as JsonObject)["method"])).toEqual(["ping"]);
  });

  it("cannot hide a message behind a carriage return", async () => {
    const proxy = await open();
    const inner = '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"read"}}';
    proxy.write(`{"jsonrpc":"2.0","id":8,"method":"other","params":\r${inner}\r}`);
    await proxy.take(({ id }) => id === 8);
    const [line = ""] = (await proxy.received()).filter((text) => text.includes('"other"'));
    expect(JSON.parse(line)).toMatchObject({ id: 8, params: { id: 9 } });
  });

  it("cannot reuse an id before it is answered", async () => {
    const proxy = await open();
    await proxy.names();
    const hang = { name: "hang", arguments: {} };
    proxy.write({ jsonrpc: "2.0", id: 5, method: "tools/call", params: hang });
    proxy.write({ jsonrpc: "2.0", id: 5, method: "tools/call", params: { ...hang, name: "echo" } });
    expect(textOf(await proxy.take(({ id }) => id === 5))).toMatch(/error: This `id`/);
    proxy.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
    proxy.write({ jsonrpc: "2.0", id: 5, method: "tools/call", params: { ...hang, name: "echo" } });
    expect(textOf(await proxy.take(({ id }) => id === 5))).toMatch(/error: This `id`/);
    expect((await proxy.received()).join()).not.toContain('"echo"');
  });

  it("cannot fill the proxy with cancelled calls that the server never answers", async () => {
    const proxy = await open();
    await proxy.names();
    const params = { name: "hang", arguments: {} };
    for (let id = 1_000; id < 2_100; id += 1) {
      proxy.write({ jsonrpc: "2.0", id, method: "tools/call", params });
      proxy.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
    }
    expect(textOf(await proxy.call("echo", { path: "a" }))).toContain('"path":"a"');
  });

  it("cannot send a message over the limit, and can go on after it", async () => {
    const proxy = await open({ limit: 20_000 });
    proxy.write({ jsonrpc: "2.0", id: 9, method: "x", params: { long: "x".repeat(90_000) } });
    expect(textOf(await proxy.take(({ id }) => id === null))).toBe(
      "error: The message has more than 20000 characters",
    );
    expect((await proxy.received()).join()).not.toContain("xxx");
  });
});

describe("a question", () => {
  it("is asked in the client, and an approval lets exactly this call run once", async () => {
    const proxy = await open({ capabilities: ELICITS });
    const first = proxy.call("write", { path: "a\u202e\u200b.txt" });
    const question = await proxy.take(elicited);
    const { message } = question["params"] as { readonly message: string };
    expect(message).toContain("`write` of the MCP server `files`");
    expect(message).toContain('"path": "a\\u{202e}\\u{200b}.txt"');
    expect((await proxy.received()).join()).not.toContain("tools/call");
    const id = question["id"] ?? "";
    const yes = { action: "accept", content: { approve: true } };
    proxy.write({ jsonrpc: "2.0", id, result: yes });
    expect(textOf(await first)).toContain("a\u202e");
    proxy.write({ jsonrpc: "2.0", id, result: yes });
    const second = proxy.call("write", { path: "a\u202e\u200b.txt" });
    const again = await proxy.take(elicited);
    expect(again["id"]).not.toBe(id);
    proxy.write({ jsonrpc: "2.0", id: again["id"] ?? "", result: { action: "decline" } });
    expect(textOf(await second)).toMatch(/^refused: A person rejected this/);
    expect(proxy.answers).toEqual(["approved", "rejected"]);
    expect((await proxy.received()).filter((line) => line.includes("tools/call"))).toHaveLength(1);
  });

  it.each<readonly [string, JsonObject]>([
    ["nothing", { action: "cancel" }],
    ["no approval", { action: "accept", content: {} }],
    ["text", { action: "accept", content: { approve: "true" } }],
    ["something else", {}],
  ])("that is answered with %s stays open for `bylaw approve`", async (_, result) => {
    const proxy = await open({ capabilities: ELICITS });
    const asked = proxy.call("write");
    const { id = "" } = await proxy.take(elicited);
    proxy.write({ jsonrpc: "2.0", id, result });
    expect(textOf(await asked)).toMatch(/^refused: .*`bylaw approve yes 1234`\. Then try again\.$/);
    expect(proxy.answers).toEqual([]);
  });

  it("is denied with the id of the question if the client cannot ask", async () => {
    const proxy = await open();
    expect(textOf(await proxy.call("write"))).toMatch(/^refused: .*`bylaw approve yes 1234`/);
  });

  it("that does not fit a dialog is denied with the id of the question", async () => {
    const proxy = await open({ capabilities: ELICITS });
    const long = await proxy.call("write", { path: "x".repeat(5_000) });
    expect(textOf(long)).toContain("`bylaw approve yes 1234`");
    expect(proxy.told.some(elicited)).toBe(false);
  });

  it("has no effect after the call was cancelled", async () => {
    const proxy = await open({ capabilities: ELICITS });
    await proxy.names();
    const params = { name: "write", arguments: { path: "a" } };
    proxy.write({ jsonrpc: "2.0", id: 5, method: "tools/call", params });
    const { id = "" } = await proxy.take(elicited);
    proxy.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
    const told = await proxy.take(({ method }) => method === "notifications/cancelled");
    expect(told["params"]).toMatchObject({ requestId: id });
    const yes = { action: "accept", content: { approve: true } };
    proxy.write({ jsonrpc: "2.0", id, result: yes });
    proxy.write({ jsonrpc: "2.0", id: 5, method: "tools/call", params });
    const again = await proxy.take(elicited);
    proxy.write({ jsonrpc: "2.0", id, result: yes });
    expect((await proxy.received()).join()).not.toContain("tools/call");
    expect(proxy.answers).toEqual([]);
    proxy.write({ jsonrpc: "2.0", id: again["id"] ?? "", result: { action: "cancel" } });
    await proxy.take((message) => message["id"] === 5);
  });
});

describe("a server that changes", () => {
  it.each(["changes", "schema"])("is held to the accepted tools: %s", async (mode) => {
    const home = scratch();
    const proxy = await open({ mode, home });
    expect(await proxy.names()).toEqual(["read", "rug"]);
    expect(textOf(await proxy.call("rug"))).not.toContain("refused");
    await proxy.call("read");
    await proxy.take(({ method }) => method === "notifications/tools/list_changed");
    expect(textOf(await proxy.call("rug"))).toMatch(
      /^refused: The tool `rug` is withheld: it changed since a person accepted it/,
    );
    expect(await proxy.names()).toEqual(["read"]);
    expect(proxy.notices.join()).toContain("The tool `rug` is withheld");
    expect((await proxy.received()).filter((line) => line.includes('"rug"'))).toHaveLength(1);
  });

  it("makes the proxy report a new tool", async () => {
    const home = scratch();
    const first = await open({ home });
    expect(await first.names()).not.toContain("rug");
    expect(first.notices.join()).not.toContain("is new");
    const second = await open({ mode: "changes", home });
    expect(await second.names()).toEqual(["read", "rug"]);
    expect(second.notices).toEqual([expect.stringMatching(/^The tool `rug` is new/)]);
  });

  it("offers only accepted tools, with `acceptedOnly`", async () => {
    const home = scratch();
    const first = await open({ home, acceptedOnly: true });
    expect(await first.names()).toEqual([]);
    expect(textOf(await first.call("read"))).toMatch(/^refused: .*no person accepted it/);
    await (await open({ home })).names();
    const second = await open({ mode: "changes", home, acceptedOnly: true });
    expect(await second.names()).toEqual(["read"]);
    expect(textOf(await second.call("rug"))).toMatch(/^refused: .*no person accepted it/);
    expect((await second.received()).join()).not.toContain("tools/call");
  });

  it("offers no tool twice, under a name of another server, or under an ambiguous name", async () => {
    expect(await (await open({ mode: "duplicates" })).names()).toEqual(["read"]);
    const named = await open({ mode: "names" });
    expect(await named.names()).toEqual(["read"]);
    expect(textOf(await named.call("mcp__github__merge"))).toMatch(/^refused: .*withheld/);
    expect(textOf(await named.call("resources/read"))).toMatch(/^refused: .*withheld/);
    expect(await named.names()).toEqual(["read"]);
  });

  it("shows a model no invisible text, and no text that is too long", async () => {
    const proxy = await open({ mode: "texts", raw: true });
    const opened = await proxy.ask("initialize", { capabilities: {} });
    expect(opened["result"]).toMatchObject({ serverInfo: { name: "hostile" } });
    expect(opened["result"]).not.toHaveProperty("instructions");
    expect(await proxy.names()).toEqual(["read", "emoji"]);
  });

  it("is refused if its list is endless", async () => {
    const proxy = await open({ mode: "endless" });
    expect(textOf(await proxy.ask("tools/list"))).toMatch(/error: .*more than 1000 tools/);
  });

  it("is refused while the file of accepted tools cannot be read", async () => {
    const home = scratch();
    const { writeFileSync } = await import("node:fs");
    const proxy = await open({ home });
    writeFileSync(`${home}/pins.json`, "{}}");
    expect(textOf(await proxy.ask("tools/list"))).toMatch(/^error: .*accepted tools/);
    expect(textOf(await proxy.call("read"))).toMatch(/^refused: .*accepted tools/);
  });
});

describe("a server that misbehaves", () => {
  it("cannot forge an answer, answer twice, or send garbage", async () => {
    const proxy = await open({ mode: "garbage" });
    const answers = [
      await proxy.call("wrong"),
      await proxy.call("twice"),
      await proxy.call("echo"),
    ];
    expect(answers.map(textOf).join()).not.toContain("for another");
    await proxy.received();
    expect(proxy.told).toEqual([]);
    expect(proxy.notices.join()).toContain("dropped");
  });

  it("has its answer over the limit replaced by an error", async () => {
    const proxy = await open();
    expect(textOf(await proxy.call("long"))).toMatch(
      /^error: The server's answer has \d+ characters; the limit is 50000$/,
    );
    expect(textOf(await proxy.call("echo"))).not.toMatch(/error/);
  });

  it.each([
    ["die", "ended with exit code 3"],
    ["flood", "was ended: it sent a message that is far over the limit"],
  ])("fails the requests that wait for it on %s", async (name, reason) => {
    const proxy = await open();
    await proxy.names();
    const hung = proxy.call("hang");
    expect(textOf(await proxy.call(name))).toBe(`error: The MCP server \`files\` ${reason}`);
    expect(textOf(await hung)).toContain(reason);
    expect(await proxy.ended).toBe(reason);
  });

  it("is ended with its client", async () => {
    const proxy = await open();
    proxy.end();
    expect(await proxy.ended).toBeUndefined();
  });

  it("that cannot be started is an error", async () => {
    const server = { command: ["/nowhere/server"], cwd: "/", env: {} };
    const proxy = openProxy({ kernel, server, raw: true });
    await expect((await proxy).ended).rejects.toFailWith("BYLAW_MCP_SERVER_FAILED");
  });
});

it("a message that is not judged is passed on unchanged in both directions", async () => {
  const proxy = await open();
  await proxy.names();
  expect(await proxy.ask("unknown/method", { a: [1] })).toMatchObject({
    result: { got: { a: [1] } },
  });
  expect((await proxy.ask("unknown/error"))["error"]).toEqual({
    code: -1,
    message: "no",
    data: { a: 1 },
  });
  const note = '{"jsonrpc":"2.0","method":"notifications/odd","params":{"x":null}, "more":1}';
  proxy.write(note);
  expect(await proxy.received()).toContain(note);
  const progress = proxy.call("progress");
  expect(await proxy.take(({ method }) => method === "notifications/progress")).toMatchObject({
    params: { progressToken: "p", extra: { kept: true } },
  });
  await progress;
  proxy.write({ jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "sample" } });
  const sampling = await proxy.take(({ method }) => method === "sampling/createMessage");
  expect(sampling).toMatchObject({ id: 5, params: { messages: [], x: 1 } });
  const reply = '{"jsonrpc":"2.0","id":5,"result":{"role":"assistant"}}';
  proxy.write(reply);
  proxy.write(reply);
  expect((await proxy.received()).filter((line) => line === reply)).toHaveLength(1);
  proxy.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
  expect((await proxy.received()).join()).toContain("notifications/cancelled");
});
