import type { Judge } from "@bylaw/host";
import type { Kernel, ToolCall } from "@bylaw/kernel";
import { callQuestionId, openRun } from "@bylaw/log";
import { storePlace, withStore } from "../log/open-store.ts";

/** Where questions are kept. */
interface Records {
  /** Absolute path. */
  readonly store: string;
  readonly run: string;
  readonly config: string;
}

/**
 * Decides a call on record, so that a person can answer later. The same call under the same id, as a host sends it where two hooks are
 * installed, is answered once.
 */
export function recordCall(
  kernel: Kernel,
  call: ToolCall,
  { store, run: name, config }: Records,
): ReturnType<Judge["record"]> {
  return withStore(storePlace(`sqlite:${store}`), { create: true }, async (opened) => {
    const run = await openRun(kernel, { run: name, store: opened, join: true });
    try {
      const { session = "", id } = call;
      const request = id === undefined ? {} : { request_id: JSON.stringify([session, id]) };
      const { decision, events } = await run.toolCall(call, request);
      const [event] = events;
      const question = event === undefined ? "ID" : callQuestionId(name, event);
      const where = `--store ${store} --run ${name} --config ${config}`;
      return { decision, answer_with: `\`bylaw approve yes ${question} ${where} --by NAME\`` };
    } finally {
      await run.close();
    }
  });
}
