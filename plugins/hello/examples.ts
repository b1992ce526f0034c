import { defineExamples } from "@bylaw/testing";
import { hello } from "./src/index.ts";

export const examples = defineExamples(hello, [
  {
    name: "asks before a call that says `password`",
    subject: {
      hook: "beforeToolCall",
      tool: "write_file",
      args: { path: "notes.md", text: "the password is red" },
    },
    expect: "ask_user",
    code: "unwelcome_word",
  },
  {
    name: "says nothing of a call without the word",
    subject: {
      hook: "beforeToolCall",
      tool: "write_file",
      args: { path: "notes.md", text: "the door is red" },
    },
    expect: "abstain",
  },
  {
    name: "says nothing of a word that only begins like it",
    subject: {
      hook: "beforeToolCall",
      tool: "search",
      args: { query: "a pass through the mountains" },
    },
    expect: "abstain",
  },
  {
    name: "finds the word in any case, in keys and deep inside",
    subject: { hook: "beforeToolCall", tool: "fetch", args: { body: [{ PassWord: "red" }] } },
    expect: "ask_user",
  },
  {
    name: "asks for the words that its options name",
    options: { words: ["launch"] },
    subject: { hook: "beforeToolCall", tool: "send_message", args: { text: "Launch at noon" } },
    expect: "ask_user",
  },
]);
