import type { LogEvent } from "@bylaw/kernel";
import { CALL_EVENTS, isOfferedCall } from "@bylaw/log";
import type { EventSource } from "./read-rows.ts";

/** The other decision about a call that a decision offered instead. */
export interface OfferLinks {
  /** The decision about the offered call. `taken`: a rule allowed it, so the host could run it. */
  readonly offered: { readonly sequence: number; readonly taken: boolean } | null;
  /** The sequence of the decision that offered this call. */
  readonly offered_by: number | null;
}

/** How many events are read in each direction. A host asks about an offered call at once. */
const NEAR = 100;

/** Finds the other decision about an offered call, among the events before and after one of the two. */
export async function offerLinks(
  source: EventSource,
  run: string,
  event: LogEvent,
): Promise<OfferLinks> {
  if (!CALL_EVENTS.has(event.event_type)) return { offered: null, offered_by: null };
  const { sequence } = event;
  const from = Math.max(0, sequence - 1 - NEAR);
  const before = await source.events(run, from, sequence - 1 - from);
  const offer = before.findLast((earlier) => isOfferedCall(earlier, event) !== undefined);
  const [offered = null] = (await source.events(run, sequence, NEAR)).flatMap((later) => {
    const found = isOfferedCall(event, later);
    return found === undefined ? [] : [{ sequence: later.sequence, taken: found.taken }];
  });
  return { offered, offered_by: offer?.sequence ?? null };
}
