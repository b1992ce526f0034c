import { promisify } from "node:util";
import { deflate, deflateSync, inflate } from "node:zlib";
import {
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type Projection,
} from "@bylaw/kernel";
import type { DocumentWrite, Store } from "@bylaw/store";
import { NO_LINK } from "../format/chain.ts";
import { createLogState, type LogState } from "../state/log-state.ts";
import type { Seals } from "../integrity/seal.ts";
import { plainText, plainTextInPieces } from "./plain-text.ts";

/** How many events after the last snapshot a run saves the next one, so that opening it need not read the whole log. */
const EVERY = 1_000;
/** The same while calls wait for each other, because dozens of them then wait for its commit. */
const EVERY_UNDER_LOAD = 8_000;
/** A large snapshot is saved less often: the interval grows by one event for this many characters. */
const CHARACTERS = 500;

/** From this many characters on, a snapshot is compressed, to about a tenth. At most so many bytes are decompressed. */
const LARGE = 100_000;
const LARGEST = 2 ** 28;
const QUICKLY = { level: 1 };

const KIND = "snapshot";

const zip = promisify<string, { readonly level: number }, Buffer>(deflate);
const unzip = promisify<Buffer, { readonly maxOutputLength: number }, Buffer>(inflate);

type Projections = readonly Projection<unknown>[];

/** The event and projections that a snapshot belongs to. */
interface Place {
  /** The sequence of the last event in it, and its link. */
  readonly head: number;
  readonly link: string;
  /** By projection name. */
  readonly versions: Readonly<Record<string, number>>;
}

/** A snapshot as it was read. */
interface Kept extends Pick<Place, "head" | "link"> {
  /** By projection name. */
  readonly states: Readonly<Record<string, unknown>>;
  /** The number of characters in the text of the states. */
  readonly size: number;
}

interface SnapshotOptions {
  readonly store: Store;
  readonly run: string;
  readonly projections: Projections;
  /** Snapshots with other seals are ignored. */
  readonly seals: Seals | undefined;
}

/**
 * Saves snapshots of a run as documents, in commits of events. The log stays the only truth. A snapshot is ignored, and the log read from
 * its beginning, unless its link is that of the event at its head and its projections and versions are exactly those of this run.
 */
export class Snapshots {
  readonly #options: SnapshotOptions;
  readonly #about: string;
  readonly #versions: Place["versions"];
  /** Whether two projections have the same name, so that a snapshot cannot tell them apart. */
  readonly #ambiguous: boolean;
  /** The head of the last snapshot, and how many characters its states have. */
  #taken = 0;
  #size = 0;
  #making = false;
  #made: readonly DocumentWrite[] = [];

  constructor(options: SnapshotOptions) {
    const { run, projections } = options;
    this.#options = options;
    this.#about = `snapshot of ${run}`;
    this.#versions = Object.fromEntries(projections.map(({ name, version }) => [name, version]));
    this.#ambiguous = Object.keys(this.#versions).length < projections.length;
  }

  /** The state of the last snapshot that fits these projections, or of an empty log. */
  async load(): Promise<LogState> {
    const state = (await this.#read()) ?? createLogState(this.#options.projections);
    this.#taken = state.head;
    return state;
  }

  /**
   * The snapshot that is due, for the commit of the next events. `load`: calls are waiting, so it is written in pieces between other work,
   * and a later call returns it.
   */
  due(state: LogState, link: string, load: boolean): readonly DocumentWrite[] {
    const ready = this.#made;
    this.#made = [];
    if (ready.length > 0) return ready;
    const every = Math.max(load ? EVERY_UNDER_LOAD : EVERY, this.#size / CHARACTERS);
    if (this.#ambiguous || this.#making || state.head - this.#taken < every) return [];
    this.#taken = state.head;
    const states = Object.fromEntries(
      this.#options.projections.map((of) => [of.name, state.view(of)]),
    );
    const place: Place = { head: state.head, link, versions: this.#versions };
    if (load) {
      this.#making = true;
      // If no snapshot can be made, the only cost is reading the whole log.
      void this.#makeInBetween(place, states)
        .catch(() => {})
        .finally(() => (this.#making = false));
      return [];
    }
    const text = plainText(states);
    if (text === undefined) return [];
    const zipped = text.length < LARGE ? undefined : deflateSync(text, QUICKLY);
    return [this.#documentOf(place, text, zipped)];
  }

  async #makeInBetween(place: Place, states: object): Promise<void> {
    const text = await plainTextInPieces(states);
    if (text === undefined) return;
    const zipped = text.length < LARGE ? undefined : await zip(text, QUICKLY);
    this.#made = [this.#documentOf(place, text, zipped)];
  }

  #documentOf(place: Place, text: string, zipped: Buffer | undefined): DocumentWrite {
    const { run, seals } = this.#options;
    this.#size = text.length;
    const states =
      zipped === undefined ? `"states":${text}` : `"zipped":"${zipped.toString("base64")}"`;
    const value = `${JSON.stringify(place).slice(0, -1)},${states}}`;
    return { kind: KIND, id: run, value: seals?.seal(this.#about, value) ?? value };
  }

  async #read(): Promise<LogState | undefined> {
    const { store, run, projections, seals } = this.#options;
    const value = (await store.get(KIND, run))?.value;
    if (this.#ambiguous || value === undefined) return undefined;
    if (seals !== undefined && seals.open(this.#about, value).verdict !== "valid") return undefined;
    const kept = await parse(value, this.#versions, projections);
    if (kept === undefined) return undefined;
    const [event] = await store.events(run, kept.head - 1, 1);
    if (event?.sequence !== kept.head || (event.hash ?? NO_LINK) !== kept.link) return undefined;
    this.#size = kept.size;
    const states = new Map(projections.map((of) => [of, kept.states[of.name]]));
    return createLogState(projections, states, kept.head);
  }
}

// The document may be of another version of this package, or come from anyone who can write to the store.
async function parse(
  text: string,
  versions: Json,
  projections: Projections,
): Promise<Kept | undefined> {
  try {
    const kept = JSON.parse(text) as Json;
    if (!isJsonObject(kept)) return undefined;
    const { head, link, zipped } = kept;
    if (!Number.isSafeInteger(head) || (head as number) < 1) return undefined;
    if (canonicalJson(kept["versions"] as JsonObject) !== canonicalJson(versions)) return undefined;
    const unzipped =
      typeof zipped === "string"
        ? (await unzip(Buffer.from(zipped, "base64"), { maxOutputLength: LARGEST })).toString()
        : undefined;
    const states = unzipped === undefined ? kept["states"] : (JSON.parse(unzipped) as Json);
    if (!isJsonObject(states) || !projections.every(({ name }) => Object.hasOwn(states, name)))
      return undefined;
    return { head: head as number, link: String(link), states, size: (unzipped ?? text).length };
  } catch {
    return undefined;
  }
}
