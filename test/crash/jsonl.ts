// Kills processes that record in one mirrored run. Every acknowledged event must be in the JSONL file, once, in order and chained.
import { readFileSync } from "node:fs";
import type { LogEvent } from "@bylaw/kernel";
import { NO_LINK, formatEventLine, linkOf, openRun, parseEventLine } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { killWriters, type CrashReport } from "@bylaw/testing";
import { RUN, linesFile, mirroredKernel } from "./mirrored.ts";

interface Tried {
  readonly tried: string;
  readonly count: number;
}
interface Acknowledged {
  readonly acknowledged: string;
  readonly first: number;
  readonly hashes: readonly string[];
}

const CHECK_EVERY = 20;

/** Rounds of killing over a file and a store in `folder`. */
export async function crashJsonl(
  folder: string,
  rounds: number,
  seed: number,
): Promise<CrashReport> {
  const tried = new Map<string, number>();
  const told = new Map<string, Acknowledged>();
  const faults: string[] = [];
  let report = { events: 0, unacknowledged: 0 };
  const kills = await killWriters({
    script: new URL("jsonl-writer.ts", import.meta.url).href,
    args: [folder],
    rounds,
    seed,
    async onRound(lines, round) {
      for (const line of lines as unknown as readonly (Tried | Acknowledged)[]) {
        if ("tried" in line) tried.set(line.tried, line.count);
        else told.set(line.acknowledged, line);
      }
      if (round % CHECK_EVERY !== 0 && round !== rounds) return;
      // Before anybody repairs or catches up, every acknowledged event must be in the file as the killed process left it.
      faults.push(
        ...lostFrom(eventsIn(folder), told).map(
          (fault) => `${fault}, before the file was opened again`,
        ),
      );
      faults.push(...(await differences(folder)));
      const events = eventsIn(folder);
      faults.push(...chainFaults(events), ...halves(events, tried));
      const there = new Set(events.map(({ details }) => details["op"]));
      report = {
        events: events.length,
        unacknowledged: [...tried.keys()].filter((op) => there.has(op) && !told.has(op)).length,
      };
    },
  });
  return { rounds, kills, acknowledged: told.size, ...report, faults };
}

/** The complete lines. What a killed writer left of another line is not one. */
const wholeLines = (folder: string): readonly string[] =>
  readFileSync(linesFile(folder), "utf8").split("\n").slice(0, -1);

// A partial line stays in the file, closed by the next writer. It is no event, and does no harm to the lines after it.
const eventsIn = (folder: string): readonly LogEvent[] =>
  wholeLines(folder).flatMap((line) => {
    try {
      return [parseEventLine(line)];
    } catch {
      return [];
    }
  });

function lostFrom(
  events: readonly LogEvent[],
  told: ReadonlyMap<string, Acknowledged>,
): readonly string[] {
  const bySequence = new Map(events.map(({ sequence, hash }) => [sequence, hash]));
  return [...told.values()]
    .filter(({ first, hashes }) =>
      hashes.some((hash, index) => bySequence.get(first + index) !== hash),
    )
    .map(
      ({ acknowledged, first }) => `${acknowledged}: acknowledged at ${first}, and not in the file`,
    );
}

/** Opens and closes the run, which repairs the file, and compares its lines with the store. */
async function differences(folder: string): Promise<readonly string[]> {
  const store = await openSqliteStore(`${folder}/store.db`);
  try {
    const run = await openRun(mirroredKernel(folder), { run: RUN, store, join: true });
    await run.close();
    const events: LogEvent[] = [];
    for (;;) {
      const page = await store.events(RUN, events.length, 5_000);
      if (page.length === 0) break;
      events.push(...page);
    }
    const wanted = events.map(formatEventLine);
    const lines = eventsIn(folder).map(formatEventLine);
    const first = wanted.findIndex((line, index) => lines[index] !== line);
    if (first >= 0) return [`line ${first + 1} is not event ${first + 1} of the store`];
    return lines.length === wanted.length
      ? []
      : [`${lines.length} lines for ${wanted.length} events`];
  } finally {
    await store.close();
  }
}

function chainFaults(events: readonly LogEvent[]): readonly string[] {
  let link = NO_LINK;
  const bad = events.find((event, index) => {
    link = linkOf(link, index + 1, event);
    return event.sequence !== index + 1 || event.hash !== link;
  });
  return bad === undefined ? [] : [`event ${bad.sequence} is out of sequence or out of the chain`];
}

function halves(
  events: readonly LogEvent[],
  tried: ReadonlyMap<string, number>,
): readonly string[] {
  const counts = new Map<string, number>();
  for (const { event_type, details } of events) {
    if (event_type === "crash_op")
      counts.set(String(details["op"]), (counts.get(String(details["op"])) ?? 0) + 1);
  }
  return [...counts]
    .filter(([op, count]) => tried.get(op) !== count)
    .map(([op, count]) => `${op}: ${count} of ${tried.get(op)} events`);
}
