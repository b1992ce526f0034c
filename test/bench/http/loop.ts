// Loaded before the server of `flood.ts`: measures how long its event loop is blocked, and reports it to the parent on request.
import { monitorEventLoopDelay } from "node:perf_hooks";

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
process.on("message", () => {
  const { max } = delay;
  delay.reset();
  process.send?.(max / 1e6);
});
// The open channel must not keep the server alive.
process.channel?.unref();
