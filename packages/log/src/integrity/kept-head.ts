import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { isJsonObject, type BylawError, type Json } from "@bylaw/kernel";
import { StoreConflict, type Store } from "@bylaw/store";
import { chainBroken, type ChainHead } from "./follow-chain.ts";
import type { SealVerdict, Seals } from "./seal.ts";

const KIND = "head";
/** How long a process counts as at work on a run after it kept a head last. */
export const OPEN_MS = 120_000;
/** How often a head is written anew because another process wrote one at the same time. */
const TRIES = 100;

/** A head that was kept: the log had this event at this place. */
interface KeptHead extends ChainHead {
  /** One more with each head that is kept, by whichever process. */
  readonly generation: number;
  /** The processes that had the run open, each with the time in milliseconds up to which that counts. */
  readonly open: Readonly<Record<string, number>>;
}

/** A kept head as it is found. */
interface Found {
  readonly head: KeptHead | undefined;
  /** Of the document; 0: there is none. */
  readonly version: number;
  readonly isOurs: boolean;
}

/** Keeps the head of a run beside its log: sealed, in the store, and where there is a file, once more in that. */
export interface HeadKeeper {
  /** Reads what was kept. Throws BYLAW_CHAIN_BROKEN for a head that was forged, removed or set back. */
  load(): Promise<void>;
  /** Throws BYLAW_CHAIN_BROKEN where a log that was read to its end is not the one whose heads were kept. For the opening of a run. */
  check(end: ChainHead): Promise<void>;
  /** Keeps a head that was checked. `closing`: this process does not go on. Resolves to whether it did; `false` where another process did so first. */
  keep(head: ChainHead, options?: { readonly closing?: boolean }): Promise<boolean>;
}

interface KeeperOptions {
  readonly store: Pick<Store, "get" | "put" | "events">;
  readonly run: string;
  readonly seals: Seals;
  readonly file: string | undefined;
  /** The name of this process among those that have the run open. */
  readonly node: string;
}

export function createHeadKeeper({ store, run, seals, file, node }: KeeperOptions): HeadKeeper {
  const about = `head of ${run}`;
  const copy = file === undefined ? undefined : readCopy(file);
  let found: Found = { head: undefined, version: 0, isOurs: false };

  const broken = (message: string): BylawError => chainBroken(run, message);

  // Whoever can write the file can remove it too, so one that is not ours is none.
  function readCopy(path: string): KeptHead | undefined {
    try {
      const { verdict, text } = seals.open(about, readFileSync(path, "utf8").trimEnd());
      return verdict === "valid" ? headIn(text) : undefined;
    } catch {
      return undefined;
    }
  }

  async function read(): Promise<SealVerdict | "missing"> {
    const document = await store.get(KIND, run);
    if (document === undefined) {
      found = { head: undefined, version: 0, isOurs: false };
      return "missing";
    }
    const { verdict, text } = seals.open(about, document.value);
    const head = headIn(text);
    if (verdict === "forged" || head === undefined)
      throw broken(`The head that is kept of run \`${run}\` was not written by this service.`);
    found = { head, version: document.version, isOurs: verdict === "valid" };
    return verdict;
  }

  async function load(): Promise<void> {
    const verdict = await read();
    if (copy === undefined) return;
    if (verdict === "missing")
      throw broken(
        `The head that was kept of run \`${run}\` is gone from the store. ${ACCEPT(file)}`,
      );
    if (verdict === "other_key")
      throw broken(
        `The head that is kept of run \`${run}\` is sealed with a secret that this server does not have. ${ACCEPT(file)}`,
      );
    if ((found.head?.generation ?? 0) < copy.generation)
      throw broken(
        `The store of run \`${run}\` was set back: its kept head is older than ${file}. ${ACCEPT(file)}`,
      );
  }

  /** The head of the store where it can be believed, and the copy. */
  const points = (): readonly KeptHead[] =>
    [found.isOurs ? found.head : undefined, copy].filter((one) => one !== undefined);

  async function check(end: ChainHead): Promise<void> {
    for (const { sequence, hash } of points()) {
      if (sequence > end.sequence) {
        throw broken(
          `The log of run \`${run}\` ends with event ${end.sequence}, but it had ${sequence}: its last events were removed.`,
        );
      }
      const [event] = sequence === 0 ? [] : await store.events(run, sequence - 1, 1);
      if (sequence > 0 && (event?.sequence !== sequence || event.hash !== hash))
        throw broken(
          `Event ${sequence} of run \`${run}\` is not the one that was kept as its head: the log was rewritten.`,
        );
    }
    const { head, isOurs } = found;
    // Without the copy nobody can tell whether this is the last head that was kept.
    if (
      copy === undefined ||
      !isOurs ||
      head === undefined ||
      isOpen(head) ||
      end.sequence === head.sequence
    )
      return;
    const before = head.generation;
    await read();
    if (found.head !== undefined && found.head.generation > before) return check(end);
    const added =
      head.sequence + 1 === end.sequence
        ? `Event ${end.sequence}`
        : `Events ${head.sequence + 1} to ${end.sequence}`;
    const were = head.sequence + 1 === end.sequence ? "was" : "were";
    throw broken(
      `${added} of run \`${run}\` ${were} added while no server had it open. ${ACCEPT(file)}`,
    );
  }

  async function keep({ sequence, hash }: ChainHead, { closing = false } = {}): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { head, version } = found;
      if (head !== undefined && found.isOurs && head.sequence > sequence) return false;
      const others = Object.entries(head?.open ?? {}).filter(
        ([name, until]) => name !== node && until > Date.now(),
      );
      const open = Object.fromEntries([
        ...others,
        ...(closing ? [] : [[node, Date.now() + OPEN_MS] as const]),
      ]);
      const next: KeptHead = { sequence, hash, generation: (head?.generation ?? 0) + 1, open };
      const value = seals.seal(about, JSON.stringify(next));
      try {
        await store.put({ kind: KIND, id: run, value, if_version: version });
      } catch (error) {
        if (!(error instanceof StoreConflict)) throw error;
        await read();
        continue;
      }
      found = { head: next, version: version + 1, isOurs: true };
      if (file !== undefined) writeCopy(file, value);
      return true;
    }
    return false;
  }

  return { load, check, keep };
}

const isOpen = ({ open }: KeptHead): boolean => Object.keys(open).length > 0;

const ACCEPT = (file: string | undefined): string =>
  `If you did that yourself, remove ${file} and start again.`;

// The store has the same, and it is durable there: a copy that is older, or was lost with the power, shows less and is never wrong.
function writeCopy(file: string, value: string): void {
  writeFileSync(`${file}.new`, `${value}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function headIn(text: string): KeptHead | undefined {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { sequence, hash, generation, open } = value;
  if (
    !Number.isSafeInteger(sequence) ||
    !Number.isSafeInteger(generation) ||
    typeof hash !== "string" ||
    !isJsonObject(open)
  )
    return undefined;
  if (Object.values(open).some((until) => typeof until !== "number")) return undefined;
  return {
    sequence: sequence as number,
    hash,
    generation: generation as number,
    open: open as Readonly<Record<string, number>>,
  };
}
