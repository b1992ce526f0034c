import type { LogEvent } from "@bylaw/kernel";
import type { LogReader, SinkWriter } from "@bylaw/log";
import { openHeads, type Heads, type HeadsOptions } from "./heads.ts";
import { openLock, type FileLock } from "./lock.ts";
import { createLogEnd, type LogEnd, type Warn } from "./log-end.ts";
import type { Sync } from "./log-file.ts";
import { isSame, type Mark } from "./mark.ts";
import { diverged } from "./problems.ts";
import type { Rotation } from "./rotation.ts";

/** How a log is mirrored into a file. */
export interface MirrorOptions {
  /** Absolute path. */
  readonly path: string;
  /** `batched`: written at once, durable within `flush_ms` milliseconds. */
  readonly durability: "strict" | "batched";
  readonly flush_ms: number;
  readonly rotate: Rotation;
  /** Left out: heads are not signed. */
  readonly sign?: HeadsOptions | undefined;
  readonly warn: Warn;
  /** Default: that of the system. */
  readonly sync?: Sync | undefined;
  /** Milliseconds to wait for other processes. */
  readonly wait_ms?: number | undefined;
}

/** How many events are asked of the store at once. */
const PAGE = 500;

/**
 * Mirrors a log into a file: first what the file lacks, then, with every write, what is new, in order and each event once, however
 * many processes do the same. The store is the truth; the file's last event says how far it has come. Throws where the file tells
 * another story, cannot be written, or is no file.
 */
export async function openMirror(log: LogReader, options: MirrorOptions): Promise<SinkWriter> {
  const { path, durability, flush_ms, warn, rotate, sign, sync, wait_ms } = options;
  const heads = sign === undefined ? undefined : await openHeads(log.run, `${path}.heads`, sign);
  const lock = openLock(`${path}.lock`, wait_ms);
  const end = createLogEnd({ path, rotation: rotate, warn, sync });
  const mirror = createMirror(log, {
    path,
    lock,
    end,
    heads,
    durable: durability === "strict",
    flush_ms,
  });
  try {
    await mirror.catchUp([], Infinity);
  } catch (error) {
    await mirror.close().catch(() => {});
    throw error;
  }
  return {
    async write(events) {
      const last = events.at(-1);
      if (last !== undefined) await mirror.catchUp(events, last.sequence);
    },
    close: () => mirror.close(),
  };
}

interface Parts {
  readonly path: string;
  readonly lock: FileLock;
  readonly end: LogEnd;
  readonly heads: Heads | undefined;
  readonly durable: boolean;
  readonly flush_ms: number;
}

interface Mirror {
  /** `until`: the sequence that the file must reach; Infinity: that of the last event that is in the store now. */
  catchUp(given: readonly LogEvent[], until: number): Promise<void>;
  close(): Promise<void>;
}

/** What a turn at the file lacks. */
interface Need {
  /** Events behind this one. */
  readonly after: number;
  /** Whose twin in the store is wanted. */
  readonly doubt?: Mark;
}

function createMirror(
  log: LogReader,
  { path, lock, end, heads, durable, flush_ms }: Parts,
): Mirror {
  let trusted: Mark | undefined;
  let late: unknown;
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let closed = false;

  function alone<T>(work: () => Promise<T>): Promise<T> {
    const next = turn.then(() => lock.hold(work));
    turn = next.catch(() => {});
    return next;
  }

  // One turn at the file. Ends without a need when the file has all that it should.
  async function step(
    known: Map<number, LogEvent>,
    until: number,
    doubt: Mark | undefined,
  ): Promise<Need | undefined> {
    const mark = end.find();
    // Held against the store once, and again where another process has written.
    if (mark !== undefined && mark !== trusted) {
      const { sequence } = mark;
      const stored = known.get(sequence);
      if (stored === undefined) {
        if (mark !== doubt) return { after: sequence - 1, doubt: mark };
        throw diverged(path, `The log file ends with event ${sequence}, which is not in the store`);
      }
      if (!isSame(mark, stored))
        throw diverged(path, `Event ${sequence} of the log file is not the one in the store`);
      trusted = mark;
    }
    const head = mark?.sequence ?? 0;
    const fresh: LogEvent[] = [];
    for (
      let event = known.get(head + 1);
      event !== undefined;
      event = known.get(event.sequence + 1)
    )
      fresh.push(event);
    if (fresh.length > 0) trusted = await end.append(fresh);
    const reached = fresh.at(-1)?.sequence ?? head;
    for (const sequence of known.keys()) if (sequence <= reached) known.delete(sequence);
    if (reached < until) return { after: reached };
    if (durable) await end.sync();
    if (durable && heads?.due(trusted) === true) await heads.sign(trusted);
    return undefined;
  }

  // What is left for later: to synchronise, or to sign a head that was not due yet.
  function schedule(delay: number | undefined): void {
    if (delay === undefined || timer !== undefined || closed) return;
    timer = setTimeout(() => {
      flush(false).then(
        () => {
          timer = undefined;
          schedule(heads?.delay(trusted));
        },
        (error: unknown) => {
          timer = undefined;
          late = error;
        },
      );
    }, delay);
    timer.unref();
  }

  function flush(last: boolean): Promise<void> {
    return alone(async () => {
      end.find();
      await end.sync();
      if (heads?.due(trusted, last) === true) await heads.sign(trusted);
    });
  }

  function throwLate(): void {
    const error = late;
    late = undefined;
    if (error !== undefined) throw error;
  }

  return {
    async catchUp(given, until) {
      throwLate();
      const known = new Map(given.map((event) => [event.sequence, event]));
      let goal = until;
      let doubt: Mark | undefined;
      for (;;) {
        const need = await alone(() => step(known, goal, doubt));
        if (need === undefined) break;
        ({ doubt } = need);
        // Read while the lock is free: a slow store holds nobody up.
        const page = await log.events(need.after, PAGE);
        for (const event of page) known.set(event.sequence, event);
        // Who opens a log that others write does not run after them.
        if (goal === Infinity && page.length < PAGE) goal = page.at(-1)?.sequence ?? need.after;
        else if (page.length === 0 && doubt === undefined && need.after < goal) {
          throw diverged(
            path,
            `Event ${need.after + 1} is missing from the log file and from the store`,
          );
        }
      }
      schedule(durable ? heads?.delay(trusted) : flush_ms);
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      try {
        await turn;
        throwLate();
        if (trusted !== undefined) await flush(true);
      } finally {
        end.close();
        lock.close();
      }
    },
  };
}
