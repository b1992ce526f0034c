// Loaded before the server of `flood.ts`: measures how long its event loop is blocked, and tells the parent when asked.
import { monitorEventLoopDelay } from "node:perf_hooks";

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
process.on("message", () => {
  const { max } = delay;
  delay.reset();
  process.send?.(max / 1e6);
});
// Waiting for a question keeps no server from ending.
process.channel?.unref();
