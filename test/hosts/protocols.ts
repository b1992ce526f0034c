/** A tool call, as the fake model makes it. */
export interface ModelCall {
  readonly name: string;
  /** The group of the tool, if the program offers tools in groups. */
  readonly namespace?: string;
  readonly args: object;
}

/** The conversation that a program sends to the model. */
export interface Conversation {
  /** The names of the tools that the model may call. */
  readonly tools: readonly string[];
  /** The tools' answers so far. */
  readonly results: readonly string[];
  /** The request of the person, or of the agent above this one. */
  readonly prompt: string;
}

/** A message of a stream. */
export interface StreamEvent {
  readonly event?: string;
  readonly data: object | string;
}

/** How the programs of one vendor talk to their model. */
export interface Protocol {
  readonly path: RegExp;
  readonly read: (body: Body) => Conversation;
  /** The streamed answer: calls, or the end of the turn if there are none. `id` differs for each answer. */
  readonly answer: (calls: readonly ModelCall[], id: string) => readonly StreamEvent[];
}

// Only the parts of each protocol that are read. The real programs prove that they suffice.
interface Part {
  readonly type?: string;
  readonly text?: string;
  readonly content?: Content;
  readonly output?: Content;
  readonly functionResponse?: { readonly response: unknown };
}
type Content = string | readonly Part[] | null;
interface Message extends Part {
  readonly role?: string;
  readonly parts?: readonly Part[];
}
interface Tool {
  readonly name?: string;
  readonly type?: string;
  readonly tools?: readonly { readonly name: string }[];
  readonly function?: { readonly name: string };
  readonly functionDeclarations?: readonly { readonly name: string }[];
}
interface Body {
  readonly messages?: readonly Message[];
  readonly input?: readonly Message[];
  readonly contents?: readonly Message[];
  readonly tools?: readonly Tool[];
}

const textOf = (content: Content | undefined): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("");
const partsOf = (content: Content | undefined): readonly Part[] =>
  typeof content === "string" ? [] : (content ?? []);
const fromUser = ({ role }: Message): boolean => role === "user";

const anthropic: Protocol = {
  path: /\/messages$/,
  read: ({ messages = [], tools = [] }) => ({
    tools: tools.map(({ name = "" }) => name),
    results: messages.flatMap(({ content }) =>
      partsOf(content)
        .filter(({ type }) => type === "tool_result")
        .map((part) => textOf(part.content)),
    ),
    prompt: messages
      // Claude Code tells what hooks said as a message of the system.
      .filter((message) => fromUser(message) || message.role === "system")
      .map(({ content }) => textOf(content))
      .join("\n"),
  }),
  answer(calls, id) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id, type: "message", role: "assistant", model: "fake", content: [], usage };
    const start = { type: "message_start", message };
    const blocks = calls.map(({ name, args }, index) => [
      {
        type: "content_block_start",
        index,
        content_block: { type: "tool_use", id: `toolu_${id}_${index}`, name, input: {} },
      },
      {
        type: "content_block_delta",
        index,
        delta: { type: "input_json_delta", partial_json: JSON.stringify(args) },
      },
      { type: "content_block_stop", index },
    ]);
    const words = [
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "DONE" } },
      { type: "content_block_stop", index: 0 },
    ];
    const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
    const end = { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage };
    return [
      start,
      ...(calls.length > 0 ? blocks.flat() : words),
      end,
      { type: "message_stop" },
    ].map((data) => ({ event: data.type, data }));
  },
};

const responses: Protocol = {
  path: /\/responses$/,
  read: ({ input = [], tools = [] }) => ({
    tools: tools.flatMap(({ tools: group, name, type = "" }) =>
      group === undefined ? [name ?? type] : group.map((one) => one.name),
    ),
    results: input
      .filter(({ type = "" }) => type.endsWith("_call_output"))
      .map(({ output }) => textOf(output)),
    prompt: input
      .filter(fromUser)
      .map(({ content }) => textOf(content))
      .join("\n"),
  }),
  answer(calls, id) {
    const done = { status: "completed" };
    const output = calls.map(({ args, ...named }, index) => ({
      ...{
        ...done,
        type: "function_call",
        id: `fc_${id}_${index}`,
        call_id: `call_${id}_${index}`,
      },
      ...{ ...named, arguments: JSON.stringify(args) },
    }));
    const text = { type: "output_text", text: "DONE", annotations: [] };
    const words = { ...done, type: "message", id: `msg_${id}`, role: "assistant", content: [text] };
    const items = calls.length > 0 ? output : [words];
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const response = { id, object: "response", created_at: 1, model: "fake", output: items, usage };
    return [
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      ...items.map((item, output_index) => ({
        type: "response.output_item.done",
        ...{ output_index, item },
      })),
      { type: "response.completed", response: { ...response, ...done } },
    ].map((data, sequence_number) => ({ event: data.type, data: { ...data, sequence_number } }));
  },
};

const completions: Protocol = {
  path: /\/chat\/completions$/,
  read: ({ messages = [], tools = [] }) => ({
    tools: tools.map((tool) => tool.function?.name ?? ""),
    results: messages.filter(({ role }) => role === "tool").map(({ content }) => textOf(content)),
    prompt: messages
      .filter(fromUser)
      .map(({ content }) => textOf(content))
      .join("\n"),
  }),
  answer(calls, id) {
    const tool_calls = calls.map(({ name, args }, index) => ({
      ...{ index, id: `call_${id}_${index}`, type: "function" },
      function: { name, arguments: JSON.stringify(args) },
    }));
    const delta = calls.length > 0 ? { content: null, tool_calls } : { content: "DONE" };
    const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
    const chunk = (choice: object): StreamEvent => ({
      data: {
        ...{ id, object: "chat.completion.chunk", created: 1, model: "fake" },
        choices: [{ index: 0, ...choice }],
      },
    });
    return [
      chunk({ delta: { role: "assistant", ...delta }, finish_reason: null }),
      chunk({ delta: {}, finish_reason }),
      { data: "[DONE]" },
    ];
  },
};

const gemini: Protocol = {
  path: /:streamGenerateContent$/,
  read({ contents = [], tools = [] }) {
    const parts = contents.flatMap((one) => one.parts ?? []);
    return {
      tools: tools.flatMap((one) => one.functionDeclarations ?? []).map(({ name }) => name),
      results: parts.flatMap(({ functionResponse: one }) =>
        one === undefined ? [] : [JSON.stringify(one.response)],
      ),
      prompt: contents
        .filter(fromUser)
        .map((one) => textOf(one.parts))
        .join("\n"),
    };
  },
  answer(calls, id) {
    const asked = calls.map(({ name, args }, index) => ({
      functionCall: { id: `${id}_${index}`, name, args },
    }));
    const parts = calls.length > 0 ? asked : [{ text: "DONE" }];
    const content = { role: "model", parts };
    return [{ data: { candidates: [{ content, finishReason: "STOP", index: 0 }] } }];
  },
};

/** The protocols of all programs. */
export const PROTOCOLS: readonly Protocol[] = [anthropic, responses, completions, gemini];
