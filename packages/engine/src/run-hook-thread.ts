import { parentPort, workerData } from "node:worker_threads";
import type { HookAnswer } from "@bylaw/hook-client";
import type { HookRequest } from "./hook-request.ts";
import { recordReads } from "./record-reads.ts";

/** Loads a configuration. Returns a function that answers events by it. */
export type LoadHookHandler = (
  config: string,
) => Promise<(request: HookRequest) => Promise<HookAnswer>>;

/** A message to the thread. */
export interface ThreadTask {
  readonly id: number;
  readonly request: HookRequest;
}

/** A message from the thread. */
export type ThreadNews =
  | { readonly kind: "read"; readonly path: string; readonly signature: string }
  | { readonly kind: "loaded" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "answer"; readonly id: number; readonly answer?: HookAnswer };

/**
 * Answers the events that the engine sends to this thread. Call it before loading anything else here, because it records which
 * files are read.
 */
export async function runHookThread(load: LoadHookHandler): Promise<void> {
  const port = parentPort;
  if (port === null) throw new TypeError("This works only in a thread of the engine");
  const { config } = workerData as { readonly config: string };
  const tell = (news: ThreadNews): void => port.postMessage(news);
  const stop = recordReads((path, signature) => tell({ kind: "read", path, signature }));
  try {
    const answer = await load(config);
    stop();
    port.on("message", ({ id, request }: ThreadTask) => {
      answer(request).then(
        (done) => tell({ kind: "answer", id, answer: done }),
        () => tell({ kind: "answer", id }),
      );
    });
    tell({ kind: "loaded" });
  } catch (error) {
    tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
    port.close();
  }
}
