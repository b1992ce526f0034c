import { defineExamples } from "@bylaw/testing";
import { hello } from "./src/index.ts";

export const examples = defineExamples(hello, [
  {
    name: "asks before a call that contains `password`",
    subject: {
      hook: "beforeToolCall",
      tool: "write_file",
      args: { path: "notes.md", text: "the password is red" },
    },
    expect: "ask_user",
    code: "unwelcome_word",
  },
  {
    name: "ignores a call without the word",
    subject: {
      hook: "beforeToolCall",
      tool: "write_file",
      args: { path: "notes.md", text: "the door is red" },
    },
    expect: "abstain",
  },
  {
    name: "ignores a word that only begins like it",
    subject: {
      hook: "beforeToolCall",
      tool: "search",
      args: { query: "a pass through the mountains" },
    },
    expect: "abstain",
  },
  {
    name: "finds the word in any case, in keys and nested values",
    subject: { hook: "beforeToolCall", tool: "fetch", args: { body: [{ PassWord: "red" }] } },
    expect: "ask_user",
  },
  {
    name: "asks for the words in its options",
    options: { words: ["launch"] },
    subject: { hook: "beforeToolCall", tool: "send_message", args: { text: "Launch at noon" } },
    expect: "ask_user",
  },
]);
