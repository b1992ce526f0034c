import { definePlugin } from "@bylaw/kernel";
import { redactSecrets } from "@bylaw/plugin-event-log";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };

/** Takes secrets out of the text of refused responses, which no other agent needs. No rule reads that text. */
export const redactRefused = definePlugin({
  name: `${manifest.name}/redact-refused`,
  version: manifest.version,
  options: z.strictObject({}).prefault({}),
  apply(kernel) {
    kernel.redact((event) =>
      event.event_type === "enforcement" ? redactSecrets(event) : event.details,
    );
  },
});
