import { describe, it } from "node:test";
import { defineExamples, describeExamples } from "@bylaw/testing";
import { IDENTIFIER } from "./index.js";

const pay = (amount) => ({ hook: "beforeToolCall", tool: "pay", args: { amount } });

const examples = defineExamples(IDENTIFIER, [
  {
    name: "asks about a large amount",
    subject: pay(101),
    expect: "ask_user",
    code: "amount_too_large",
  },
  { name: "does not ask about a small one", subject: pay(100), expect: "abstain" },
  { name: "asks about an amount written as text", subject: pay("9"), expect: "ask_user" },
  {
    name: "uses the limit from its options",
    options: { limit: 10 },
    subject: pay(11),
    expect: "ask_user",
  },
]);

describeExamples(examples, { describe, it });
