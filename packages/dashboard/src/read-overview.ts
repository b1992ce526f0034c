import { setImmediate as turnOfLoop } from "node:timers/promises";
import { Overview, type RunOverview } from "./overview.ts";
import type { EventSource } from "./read-rows.ts";

const READ = 200;

/** The state of a run as it was after an event: its log is folded again, up to there. */
export async function readOverview(
  source: EventSource,
  run: string,
  { at, signal }: { readonly at: number; readonly signal?: AbortSignal },
): Promise<RunOverview> {
  const overview = new Overview();
  while (overview.head < at) {
    signal?.throwIfAborted();
    const events = await source.events(run, overview.head, Math.min(READ, at - overview.head));
    if (events.length === 0) break;
    overview.add(events);
    await turnOfLoop();
  }
  return overview.value();
}
