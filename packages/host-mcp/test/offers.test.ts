import { allow, ask, createKernel, definePlugin, deny, type JsonObject } from "@bylaw/kernel";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openProxy, textOf } from "./proxy-kit.ts";

/** `deny>PATH` and `ask>PATH` are offered as PATH; `deny>{…}` offers these arguments. */
const rules = definePlugin({
  name: "rules",
  version: "1.0.0",
  options: z.strictObject({}).prefault({}),
  grants: true,
  apply({ hooks }) {
    hooks.beforeToolCall.tap("calls", ({ tool, args }) => {
      const { path = "", uri = path } = args as { readonly path?: string; readonly uri?: string };
      const [, effect, offered = ""] = /(deny|ask)>(.+)$/.exec(uri) ?? [];
      const instead = offered.startsWith("{")
        ? (JSON.parse(offered) as JsonObject)
        : { path: offered };
      if (effect === "deny") return deny("Not this.", undefined, { instead });
      if (effect === "ask") return ask("A person has to see this.", undefined, { instead });
      if (path === "secret") return deny("It is secret.");
      return path === "uncovered"
        ? undefined
        : tool === "write"
          ? ask("This writes.")
          : allow("Fine.");
    });
  },
});
const kernel = createKernel({ plugins: [rules()], fallback: "allow" });
const open = (setup: Partial<Parameters<typeof openProxy>[0]> = {}) =>
  openProxy({ kernel, ...setup });
type Proxy = Awaited<ReturnType<typeof openProxy>>;

const elicited = (message: JsonObject) => message["method"] === "elicitation/create";
/** The arguments of the calls that reached the server. */
const ran = async (proxy: Proxy): Promise<readonly unknown[]> =>
  (await proxy.received()).flatMap((line) => {
    const { method, params } = JSON.parse(line) as { method?: string; params?: JsonObject };
    return method === "tools/call" ? [params?.["arguments"]] : [];
  });

describe("a call for which a rule offers another", () => {
  it.each(["deny", "ask"])("reaches the server as the other, with all else: %s", async (effect) => {
    const proxy = await open({ capabilities: { elicitation: {} } });
    const args = { path: `${effect}>a`, n: 1.5 };
    const params = { name: "echo", arguments: args, _meta: { progressToken: "p" } };
    for (const more of [{}, { extra: true }]) {
      const answer = await proxy.ask("tools/call", { ...params, ...more });
      expect(textOf(answer)).toContain('"path":"a"');
    }
    const sent = (await proxy.received()).filter((line) => line.includes("tools/call"));
    expect(sent.map((line) => (JSON.parse(line) as JsonObject)["params"])).toEqual([
      { ...params, arguments: { path: "a", n: 1.5 } },
      { ...params, arguments: { path: "a", n: 1.5 }, extra: true },
    ]);
    expect(proxy.told.some(elicited)).toBe(false);
  });

  it.each([
    ["deny>secret", /^refused: Not this\.$/],
    ["deny>uncovered", /^refused: Not this\. Use `uncovered` instead\.$/],
    ["deny>deny>a", /^refused: Not this\.$/],
    ["ask>secret", /^refused: This needs approval(?!.*instead)/],
    ["ask>uncovered", /^refused: This needs approval.* Use `uncovered` instead\./],
  ])("does not run, nor the other, unless a rule allows that: %s", async (path, told) => {
    const proxy = await open();
    expect(textOf(await proxy.call("echo", { path }))).toMatch(told);
    expect(await ran(proxy)).toEqual([]);
  });

  it.each([
    ["an argument in capitals", { path: 'deny>{"Path":"a"}' }],
    ["two arguments that differ in case", { path: 'deny>{"x":"a","X":1}' }],
    ["one that differs from the client's in case", { path: 'deny>{"MODE":1}', mode: 1 }],
    ["a name that objects inherit", { path: 'deny>{"__proto__":{"path":"a"}}' }],
  ])("does not run as one that servers may read in two ways: %s", async (_, args) => {
    const proxy = await open();
    expect(textOf(await proxy.call("echo", args))).toMatch(/^(error|refused): /);
    expect(await ran(proxy)).toEqual([]);
  });

  it("runs as it is after a person's yes if no rule allows the other", async () => {
    const proxy = await open({ capabilities: { elicitation: {} } });
    const call = proxy.call("write", { path: "ask>b" });
    const { id = "", params } = await proxy.take(elicited);
    expect((params as JsonObject)["message"]).toContain('"path": "ask>b"');
    proxy.write({ jsonrpc: "2.0", id, result: { action: "accept", content: { approve: true } } });
    expect(textOf(await call)).not.toMatch(/refused|error/);
    expect(await ran(proxy)).toEqual([{ path: "ask>b" }]);
  });

  it("is told as it is if it reads a resource, because its address is not among the arguments", async () => {
    const proxy = await open();
    const answer = await proxy.ask("resources/read", { uri: "x:deny>a" });
    expect(textOf(answer)).toBe("error: Not this. Use `a` instead.");
    expect((await proxy.received()).join()).not.toContain("resources/read");
  });

  it("does not run after the client cancelled it", async () => {
    const { promise: waits, resolve: decide } = Promise.withResolvers<void>();
    const proxy = await open({
      kernel: {
        ...kernel,
        decide: async (call, ...rest) => {
          const { path = "" } = (call as { args?: { path?: string } }).args ?? {};
          if (path === "a") await waits;
          return await kernel.decide(call, ...rest);
        },
      },
    });
    await proxy.names();
    const params = { name: "echo", arguments: { path: "deny>a" } };
    proxy.write({ jsonrpc: "2.0", id: 5, method: "tools/call", params });
    proxy.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
    await proxy.received();
    decide();
    expect(await ran(proxy)).toEqual([]);
  });
});
