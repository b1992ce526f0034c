import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { serveEngine } from "@bylaw/engine";
import { enginePlace } from "@bylaw/hook-client";
import { conclude } from "../io/exit-code.ts";
import { write } from "../io/output.ts";
import { BIN } from "./hook-command.ts";

interface LocalOptions {
  readonly engine: string | undefined;
  /** Seconds without an event after which the engine ends. */
  readonly idle: number;
}

/** Serves the hooks of this user until no event has come for a while. Throws if it cannot listen. */
export async function serveLocal({ engine, idle }: LocalOptions): Promise<void> {
  const place = enginePlace({ bin: BIN, folder: engine });
  const { version } = createRequire(import.meta.url)(
    fileURLToPath(new URL("../package.json", import.meta.url)),
  ) as { readonly version: string };
  const served = await serveEngine({
    ...{ place, version, bin: BIN, idle: idle * 1_000 },
    program: new URL("./engine-thread.js", import.meta.url),
    note: (text) => process.stderr.write(`${new Date().toISOString()} ${text}\n`),
  });
  if (!served) await write("An engine is already running\n");
  conclude(0);
  // Threads may still wait for something, so the process would not end by itself.
  process.exit();
}
