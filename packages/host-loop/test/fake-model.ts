import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: object;
}
interface Body {
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** A model on the loopback interface with the APIs of Anthropic and OpenAI. It makes these calls, one list per turn, and then answers "done". */
export async function startFakeModel() {
  let turns: (readonly Call[])[] = [];
  const bodies: Body[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      bodies.push(body as Body);
      const calls = turns.shift() ?? [];
      const answer = request.url?.includes("/chat/completions") === true ? openAi : anthropic;
      answer(calls, (body as Body).stream === true, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    play: (...script: (readonly Call[])[]) => void (turns = script),
    /** The last message that the model got. */
    told: () => JSON.stringify(bodies.at(-1)?.messages.at(-1)),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const send = (response: ServerResponse, answer: object): void =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));

function sendEvents(
  response: ServerResponse,
  events: readonly (string | { readonly type?: string })[],
): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events)
    response.write(
      typeof event === "string"
        ? `data: ${event}\n\n`
        : `${event.type === undefined ? "" : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`,
    );
  response.end();
}

function anthropic(calls: readonly Call[], stream: boolean, response: ServerResponse): void {
  const content =
    calls.length === 0
      ? [{ type: "text", text: "done" }]
      : calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args }));
  const stop_reason = calls.length === 0 ? "end_turn" : "tool_use";
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "m", type: "message", role: "assistant", model: "fake", usage };
  if (!stream) return send(response, { ...message, content, stop_reason });
  sendEvents(response, [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } } as object,
    ...content.flatMap((block, index) => {
      const text = "text" in block;
      const delta = text
        ? { type: "text_delta", text: block.text }
        : {
            type: "input_json_delta",
            partial_json: JSON.stringify((block as { input: object }).input),
          };
      const empty = text ? { ...block, text: "" } : { ...block, input: {} };
      return [
        { type: "content_block_start", index, content_block: empty },
        { type: "content_block_delta", index, delta },
        { type: "content_block_stop", index },
      ];
    }),
    { type: "message_delta", delta: { stop_reason }, usage } as object,
    { type: "message_stop" },
  ]);
}

function openAi(calls: readonly Call[], stream: boolean, response: ServerResponse): void {
  const tool_calls = calls.map(({ id, name, args }, index) => ({
    ...{ index, id, type: "function", function: { name, arguments: JSON.stringify(args) } },
  }));
  const message =
    calls.length === 0
      ? { role: "assistant", content: "done" }
      : { role: "assistant", content: null, tool_calls };
  const finish_reason = calls.length === 0 ? "stop" : "tool_calls";
  const base = { id: "x", created: 1, model: "fake" };
  if (!stream)
    return send(response, {
      ...base,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason }],
    });
  const chunk = { ...base, object: "chat.completion.chunk" };
  sendEvents(response, [
    { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] } as object,
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] } as object,
    "[DONE]",
  ]);
}
