import { definePlugin } from "@bylaw/kernel";
import { z } from "zod";
import manifest from "../package.json" with { type: "json" };
import { unwelcomeWord } from "./unwelcome-word.ts";

/** Asks before a tool call that contains an unwelcome word. */
export const hello = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: z
    .strictObject({
      words: z
        .array(z.string().min(1))
        .min(1)
        .default(["password"])
        .describe("Words that need a person's approval in a call; case does not matter"),
    })
    .prefault({}),
  codes: { unwelcome_word: "The arguments of the call contain one of the unwelcome words" },
  apply({ hooks }, { words }) {
    hooks.beforeToolCall.tap("unwelcome-word", unwelcomeWord(words));
  },
});
