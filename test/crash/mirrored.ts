// A kernel whose runs are mirrored into a JSONL file, and the events that the crash test records.
import { createKernel, defineConfig, definePlugin, type Kernel } from "@bylaw/kernel";
import { eventLog } from "@bylaw/plugin-event-log";
import { z } from "zod";

export const RUN = "crash";

const operations = definePlugin({
  name: "operations",
  version: "1.0.0",
  options: z.undefined(),
  apply(kernel) {
    kernel.event({ name: "crash_op", details: z.looseObject({ op: z.string(), index: z.int() }) });
  },
});

export const linesFile = (folder: string): string => `${folder}/${RUN}.jsonl`;

export const mirroredKernel = (folder: string): Kernel =>
  createKernel(
    defineConfig({ plugins: [eventLog({ file: `${folder}/{run}.jsonl` }), operations()] }),
  );
