import { ask, definePlugin } from "@bylaw/kernel";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };

/** A question to a person is a call that needs a person's yes; it is made again when there is one. */
export const questionsPlugin = definePlugin({
  name: `${manifest.name}/questions`,
  version: manifest.version,
  options: z.strictObject({}).prefault({}),
  apply(kernel) {
    kernel.hooks.beforeToolCall.tap("question", ({ tool }) =>
      tool === "ask_user_question" ? ask("A person is asked", "wait for the answer, and make the call again") : undefined,
    );
  },
});
