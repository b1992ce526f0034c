import { definePlugin } from "@bylaw/kernel";
import manifest from "../package.json" with { type: "json" };
import { loopCounters } from "./counters.ts";
import { loopsOptions } from "./options.ts";
import { CODES, steer } from "./steer.ts";

/** Lets a step send its workflow back a limited number of times, continue it, and stop it. */
export const loop = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: loopsOptions,
  grants: true,
  codes: CODES,
  apply(kernel, options) {
    kernel.projection(loopCounters);
    kernel.hooks.onBehavior.tap("loop", steer(options));
  },
});
