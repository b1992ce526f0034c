import { ask, definePlugin } from "@bylaw/kernel";
import { z } from "zod";

/** Asks a person before a call that names a large amount. */
export const IDENTIFIER = definePlugin({
  name: "PACKAGE_NAME",
  version: "0.1.0",
  options: z
    .strictObject({
      limit: z.number().positive().default(100).describe("Largest amount that needs no person"),
    })
    .prefault({}),
  codes: { amount_too_large: "The amount of a call is over the limit" },
  apply({ hooks }, { limit }) {
    hooks.beforeToolCall.tap("amount", ({ tool, args }) => {
      const { amount } = args;
      // An amount that is not a number is asked about too, so that no agent avoids the limit by writing it as text.
      if (amount === undefined || (typeof amount === "number" && amount <= limit)) return undefined;
      return ask(`\`${tool}\` asks for more than ${limit}.`, "Split the amount, or ask a person.", {
        code: "amount_too_large",
      });
    });
  },
});
