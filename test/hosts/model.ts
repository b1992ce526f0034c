import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { PROTOCOLS, type Conversation, type ModelCall } from "./protocols.ts";

/** A fake model on loopback. */
export interface Model {
  readonly url: string;
  /** How often the model was asked for its next step. */
  readonly turns: () => number;
  /** The tools' answers, as the model last saw them. */
  readonly seen: () => readonly string[];
  readonly close: () => void;
}

/** The model's next step: its calls. An empty list ends the turn. */
export type Script = (conversation: Conversation) => readonly ModelCall[];

/** Starts a model that follows a script and answers in the protocol of each request. */
export async function startModel(script: Script): Promise<Model> {
  let turns = 0;
  let seen: readonly string[] = [];
  const app = new Hono();
  app.post("*", async (context) => {
    const protocol = PROTOCOLS.find(({ path }) => path.test(context.req.path));
    if (protocol === undefined) return context.json({ error: { message: "unknown" } }, 404);
    const conversation = protocol.read(await context.req.json());
    // Programs also ask for titles and similar texts, without tools.
    const calls = conversation.tools.length === 0 ? [] : script(conversation);
    if (conversation.tools.length > 0) turns += 1;
    if (conversation.results.length > 0) seen = conversation.results;
    return streamSSE(context, async (stream) => {
      for (const { event, data } of protocol.answer(calls, `${turns}`))
        await stream.writeSSE({
          data: typeof data === "string" ? data : JSON.stringify(data),
          ...(event === undefined ? {} : { event }),
        });
    });
  });
  const server = createServer(getRequestListener(app.fetch));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    turns: () => turns,
    seen: () => seen,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
