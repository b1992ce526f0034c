import type { LogEvent } from "@bylaw/kernel";
import { runAdmit, linkOfText, eventFromBody } from "@bylaw/log";
import { eventsAfter, type Head, type HeadCache } from "./head-cache.ts";
import { lastKnown, type PendingCommit } from "./pending-commit.ts";

/** One commit of a batch. */
export interface BatchEntry {
  readonly commit: PendingCommit;
  /** Whether to write the commit. Otherwise the database only reports what it would depend on. */
  readonly writes: boolean;
  /** The only head that the commit may be written on. When left out, any head will do. */
  readonly on?: Place;
  /** The events with their sequences and links, if the log still ends where it was last seen. */
  readonly expected?: ExpectedEvents;
  /** What `admit` threw about that head. */
  readonly refusal?: { readonly error: unknown };
}

interface Place {
  readonly sequence: number;
  readonly link: string | undefined;
}

interface ExpectedEvents {
  readonly on: Place & { readonly link: string };
  readonly events: readonly LogEvent[];
}

/** The head that a log will have when the earlier commits of a batch have been written. */
interface ExpectedHead {
  sequence: number;
  link: string | undefined;
  readonly head: Head;
  /** The events of those commits. */
  readonly planned: LogEvent[];
}

type ExpectedHeads = Map<string, ExpectedHead | undefined>;

const EVENTS = 2_000;
const BYTES = 4_000_000;
/** No head has this number, so the database answers with the events that a commit has not seen. */
const NO_HEAD = -1;

/**
 * Takes the next batch out of the queue. Each `admit` is asked about the log as it will be once all earlier commits are written. The
 * database then writes the commit on exactly that head, or not at all.
 */
export function planBatch(queue: PendingCommit[], heads: HeadCache): readonly BatchEntry[] {
  const expectedHeads: ExpectedHeads = new Map();
  const entries: BatchEntry[] = [];
  const later: PendingCommit[] = [];
  let events = 0;
  let bytes = 0;
  let taken = 0;
  for (const commit of queue) {
    if (entries.length > 0 && (events >= EVENTS || bytes >= BYTES)) break;
    taken += 1;
    const entry = entryOf(commit, heads, expectedHeads);
    if (entry === undefined) {
      later.push(commit);
      continue;
    }
    entries.push(entry);
    events += commit.bodies.length;
    for (const { text } of commit.bodies) bytes += text.length;
  }
  queue.splice(0, taken, ...later);
  return entries;
}

/** `undefined`: the head is not known yet, so the commit waits until the batch has returned. */
function entryOf(
  commit: PendingCommit,
  heads: HeadCache,
  expectedHeads: ExpectedHeads,
): BatchEntry | undefined {
  const { key, admit, request, seen } = commit;
  const planned = expectedHeads.has(key);
  const expectedHead = planned ? expectedHeads.get(key) : headOf(heads.get(key));
  const writes = (base: ExpectedHead | undefined): BatchEntry => {
    const expected = expectedEvents(base, commit);
    expectedHeads.set(key, expected === undefined ? undefined : base);
    return { commit, writes: true, ...(expected === undefined ? {} : { expected }) };
  };
  if (admit === undefined) return writes(expectedHead);
  if (request !== undefined && !commit.checked) return onlyAsk(commit);
  // If a writer has read further than this process knows, the log is at least that long.
  const base =
    expectedHead !== undefined && (seen <= expectedHead.sequence || commit.attempts > 0)
      ? expectedHead
      : unlinkedHead(seen);
  if (base !== expectedHead && planned) return undefined;
  const unseen = unseenOf(base, lastKnown(commit));
  if (unseen === undefined || (unseen.length > 0 && base.link === undefined))
    return planned ? undefined : onlyAsk(commit);
  const on = { sequence: base.sequence, link: base.link };
  try {
    runAdmit(admit, () => [...commit.known, ...unseen]);
  } catch (error) {
    if (!planned) expectedHeads.set(key, base);
    return { commit, writes: false, on, refusal: { error } };
  }
  return { ...writes(base), on };
}

const onlyAsk = (commit: PendingCommit): BatchEntry => ({
  commit,
  writes: false,
  on: { sequence: NO_HEAD, link: undefined },
});

const headOf = (head: Head | undefined): ExpectedHead | undefined =>
  head === undefined ? undefined : { sequence: head.sequence, link: head.link, head, planned: [] };

const unlinkedHead = (sequence: number): ExpectedHead => ({
  sequence,
  link: undefined,
  head: { sequence, link: undefined, events: [], keepsEvents: false },
  planned: [],
});

function unseenOf({ head, planned }: ExpectedHead, after: number): readonly LogEvent[] | undefined {
  if (after >= head.sequence) return planned.slice(after - head.sequence);
  const kept = eventsAfter(head, after);
  return kept === undefined ? undefined : [...kept, ...planned];
}

// Without a link the next link cannot be computed, because another writer's event may have the same sequence.
function expectedEvents(
  expectedHead: ExpectedHead | undefined,
  { bodies }: PendingCommit,
): ExpectedEvents | undefined {
  if (expectedHead?.link === undefined) return undefined;
  let { sequence, link } = expectedHead;
  const on = { sequence, link };
  const events = bodies.map((body) => {
    sequence += 1;
    link = linkOfText(link, sequence, body.text);
    return eventFromBody(body, sequence, link);
  });
  expectedHead.sequence = sequence;
  expectedHead.link = link;
  for (const event of events) expectedHead.planned.push(event);
  return { on, events };
}
