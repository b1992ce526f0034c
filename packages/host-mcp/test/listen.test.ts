import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { listenProxy } from "../src/proxy/index.ts";

const TOKEN = "the-door-is-red-and-tall";

it("closes the session that was silent for longest when there are too many", async () => {
  const running = new Set<number>();
  let begun = 0;
  let told = Promise.withResolvers<undefined>();
  const proxy = await listenProxy({
    ...{ port: 0, token: TOKEN, limit: 10_000, notice: () => {} },
    async serve({ input }) {
      const number = begun++;
      running.add(number);
      input.on("data", () => told.resolve(undefined));
      await once(input as never, "end");
      running.delete(number);
      return undefined;
    },
  });
  onTestFinished(() => proxy.close());
  const hello = {
    ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
    params: {
      ...{ protocolVersion: "2025-06-18", capabilities: {} },
      clientInfo: { name: "test", version: "1" },
    },
  };
  for (let opened = 0; opened < 40; opened += 1) {
    told = Promise.withResolvers();
    // Nobody answers, so the request stays open until its session is closed.
    void fetch(proxy.url, {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(hello),
    }).catch(() => {});
    await told.promise;
  }
  await expect.poll(() => running.size).toBe(32);
  expect([...running].toSorted((a, b) => a - b)[0]).toBe(8);
});

it("says so if it cannot use the port", async () => {
  const options = {
    ...{ token: TOKEN, limit: 10_000, notice: () => {} },
    serve: async () => undefined,
  };
  const first = await listenProxy({ ...options, port: 0 });
  onTestFinished(() => first.close());
  const port = Number(new URL(first.url).port);
  await expect(listenProxy({ ...options, port })).rejects.toFailWith("BYLAW_MCP_LISTEN_FAILED");
});
