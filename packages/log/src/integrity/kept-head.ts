import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { isJsonObject, type BylawError, type Json } from "@bylaw/kernel";
import { StoreConflict, type Store } from "@bylaw/store";
import { chainBroken, type ChainHead } from "./follow-chain.ts";
import type { SealVerdict, Seals } from "./seal.ts";

const KIND = "head";
/** How many milliseconds a process counts as having the run open after it last saved a head. */
export const OPEN_MS = 120_000;
/** How often saving a head is retried when another process saves one at the same time. */
const TRIES = 100;

/** A saved head: the log had the event with this hash at this sequence. */
interface KeptHead extends ChainHead {
  /** Increases by one with each saved head of any process. */
  readonly generation: number;
  /** The processes that have the run open, each with the time, in milliseconds since 1970, until which that counts. */
  readonly open: Readonly<Record<string, number>>;
}

interface Found {
  readonly head: KeptHead | undefined;
  /** The version of the document; 0 if there is none. */
  readonly version: number;
  readonly isOurs: boolean;
}

const NOTHING: Found = { head: undefined, version: 0, isOurs: false };

interface KeeperOptions {
  readonly store: Pick<Store, "get" | "put" | "events">;
  readonly run: string;
  readonly seals: Seals;
  readonly file: string | undefined;
  /** The name of this process among those that have the run open. */
  readonly node: string;
}

/** Saves the head of a run outside its log: sealed, in the store, and in a file if there is one. */
export class HeadKeeper {
  readonly #options: KeeperOptions;
  readonly #about: string;
  /** The run as it appears in messages. */
  readonly #name: string;
  readonly #copy: KeptHead | undefined;
  #found = NOTHING;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#about = `head of ${options.run}`;
    this.#name = `run \`${options.run}\``;
    this.#copy = this.#readCopy();
  }

  /** Reads the saved head. Throws BYLAW_CHAIN_BROKEN if it was forged, removed or replaced by an older one. */
  async load(): Promise<void> {
    const verdict = await this.#read();
    const { file } = this.#options;
    if (this.#copy === undefined) return;
    if (verdict === "missing")
      throw this.#unlessOwn(`The saved head of ${this.#name} is missing from the store.`);
    if (verdict === "other_key")
      throw this.#unlessOwn(
        `The saved head of ${this.#name} is sealed with a secret that this server does not have.`,
      );
    if ((this.#found.head?.generation ?? 0) < this.#copy.generation)
      throw this.#unlessOwn(
        `The store of ${this.#name} was set back: its saved head is older than ${file}.`,
      );
  }

  /**
   * Checks a log that was read to its end against the saved heads. Throws BYLAW_CHAIN_BROKEN if they do not fit. For the opening of a run.
   */
  async check(end: ChainHead): Promise<void> {
    const { store, run } = this.#options;
    const { head, isOurs } = this.#found;
    for (const kept of [isOurs ? head : undefined, this.#copy]) {
      const { sequence, hash } = kept ?? { sequence: 0, hash: "" };
      if (sequence === 0) continue;
      if (sequence > end.sequence)
        throw this.#broken(
          `The log of ${this.#name} ends with event ${end.sequence}, but it had ${sequence}: its last events were removed.`,
        );
      const [event] = await store.events(run, sequence - 1, 1);
      if (event?.sequence !== sequence || event.hash !== hash)
        throw this.#broken(
          `Event ${sequence} of ${this.#name} differs from the saved head: the log was rewritten.`,
        );
    }
    // Without the file, an older head in the store cannot be told from the latest.
    if (this.#copy === undefined || !isOurs || head === undefined) return;
    if (Object.keys(head.open).length > 0 || end.sequence === head.sequence) return;
    await this.#read();
    if ((this.#found.head?.generation ?? 0) > head.generation) return this.check(end);
    const first = head.sequence + 1;
    throw this.#unlessOwn(
      first === end.sequence
        ? `Event ${first} of ${this.#name} was added while no server had it open.`
        : `Events ${first} to ${end.sequence} of ${this.#name} were added while no server had it open.`,
    );
  }

  /** Saves a verified head. `closing`: this process closes the run. Resolves to `false` if another process has saved a later head. */
  async keep({ sequence, hash }: ChainHead, { closing = false } = {}): Promise<boolean> {
    const { store, run, seals, file } = this.#options;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { head, version, isOurs } = this.#found;
      if (head !== undefined && isOurs && head.sequence > sequence) return false;
      const open = this.#openAfter(head, closing);
      const next: KeptHead = { sequence, hash, generation: (head?.generation ?? 0) + 1, open };
      const value = seals.seal(this.#about, JSON.stringify(next));
      try {
        await store.put({ kind: KIND, id: run, value, if_version: version });
      } catch (error) {
        if (!(error instanceof StoreConflict)) throw error;
        await this.#read();
        continue;
      }
      this.#found = { head: next, version: version + 1, isOurs: true };
      if (file !== undefined) writeCopy(file, value);
      return true;
    }
    return false;
  }

  async #read(): Promise<SealVerdict | "missing"> {
    const { store, run, seals } = this.#options;
    const document = await store.get(KIND, run);
    this.#found = NOTHING;
    if (document === undefined) return "missing";
    const { verdict, text } = seals.open(this.#about, document.value);
    const head = headIn(text);
    if (verdict === "forged" || head === undefined)
      throw this.#broken(`The saved head of ${this.#name} was not written by this service.`);
    this.#found = { head, version: document.version, isOurs: verdict === "valid" };
    return verdict;
  }

  // Anyone who can change the file can also remove it, so a copy with a foreign seal counts as missing.
  #readCopy(): KeptHead | undefined {
    const { file, seals } = this.#options;
    if (file === undefined) return undefined;
    try {
      const { verdict, text } = seals.open(this.#about, readFileSync(file, "utf8").trimEnd());
      return verdict === "valid" ? headIn(text) : undefined;
    } catch {
      return undefined;
    }
  }

  #openAfter(head: KeptHead | undefined, closing: boolean): KeptHead["open"] {
    const { node } = this.#options;
    const others = Object.entries(head?.open ?? {}).filter(
      ([name, until]) => name !== node && until > Date.now(),
    );
    return Object.fromEntries(closing ? others : [...others, [node, Date.now() + OPEN_MS]]);
  }

  #broken(message: string): BylawError {
    return chainBroken(this.#options.run, message);
  }

  #unlessOwn(message: string): BylawError {
    const { file } = this.#options;
    return this.#broken(`${message} If you did that yourself, remove ${file} and start again.`);
  }
}

// Not synced: the store has the same durably, and an older copy only detects less.
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
  const fits =
    Number.isSafeInteger(sequence) &&
    Number.isSafeInteger(generation) &&
    typeof hash === "string" &&
    isJsonObject(open) &&
    Object.values(open).every((until) => typeof until === "number");
  return fits ? (value as unknown as KeptHead) : undefined;
}
