import { definePlugin } from "@bylaw/kernel";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { unwelcomeWord } from "./unwelcome-word.ts";

/** Asks before a tool call that says an unwelcome word. */
export const hello = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: z
    .strictObject({
      words: z
        .array(z.string().min(1))
        .min(1)
        .default(["password"])
        .describe(
          "Words that a person should see before a call that says one of them runs; case does not matter",
        ),
    })
    .prefault({}),
  codes: { unwelcome_word: "The arguments of the call hold one of the unwelcome words" },
  apply({ hooks }, { words }) {
    hooks.beforeToolCall.tap("unwelcome-word", unwelcomeWord(words));
  },
});
