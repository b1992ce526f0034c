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

/** After how many events a run keeps a snapshot of its projections, so that opening it does not read the whole log. */
const EVERY = 1_000;
/** The same while calls wait for each other: dozens of them wait for its commit then, and of a hundred calls less than one should. */
const EVERY_UNDER_LOAD = 8_000;
/**
 * Of a large one it keeps fewer: an event more for so many characters. Who opens the run reads that many events in a few times the time that
 * the snapshot takes.
 */
const CHARACTERS = 500;

/**
 * From so many characters on it is zipped, to about a tenth: to write it takes longer than that. Of what a zipped text says it is, so many
 * bytes at most are believed.
 */
const LARGE = 100_000;
const LARGEST = 2 ** 28;
const QUICKLY = { level: 1 };

const KIND = "snapshot";

const zip = promisify<string, { readonly level: number }, Buffer>(deflate);
const unzip = promisify<Buffer, { readonly maxOutputLength: number }, Buffer>(inflate);

type Projections = readonly Projection<unknown>[];

/** Keeps snapshots of a run in its store. */
export interface Snapshots {
  /** The state of the last snapshot that fits these projections, or of an empty log. */
  load(): Promise<LogState>;
  /**
   * The snapshot that is due, to be committed with the next events. `load`: others wait meanwhile, so that it is written down in between, and
   * is that of a state before this one.
   */
  due(fold: LogState, link: string, load: boolean): readonly DocumentWrite[];
}

/** Where a snapshot stands. */
interface Standing {
  /** The sequence of the last event in it, and its link. */
  readonly head: number;
  readonly link: string;
  /** By name of the projection. */
  readonly versions: Readonly<Record<string, number>>;
}

/** A snapshot as it is read. */
interface Kept extends Pick<Standing, "head" | "link"> {
  /** By name of the projection. */
  readonly states: Readonly<Record<string, unknown>>;
  /** How many characters the text of them has. */
  readonly size: number;
}

/**
 * Snapshots are documents, committed with events and never a second truth: one whose link is not that of the event it stands
 * at, or whose projections are not exactly these in these versions, is passed over, and the log is folded from its beginning. `seals`: so is
 * one that was not sealed with them.
 */
export function createSnapshots(
  store: Store,
  run: string,
  projections: Projections,
  seals?: Seals,
): Snapshots {
  const versions = Object.fromEntries(projections.map(({ name, version }) => [name, version]));
  // Two projections of one name cannot be told apart in a snapshot, by this run or by the next.
  const ambiguous = Object.keys(versions).length < projections.length;
  const about = `snapshot of ${run}`;
  let taken = 0;
  let size = 0;
  let making = false;
  let made: readonly DocumentWrite[] = [];

  function documentOf(standing: Standing, text: string, zipped: Buffer | undefined): DocumentWrite {
    size = text.length;
    const states =
      zipped === undefined ? `"states":${text}` : `"zipped":"${zipped.toString("base64")}"`;
    const value = `${JSON.stringify(standing).slice(0, -1)},${states}}`;
    return { kind: KIND, id: run, value: seals === undefined ? value : seals.seal(about, value) };
  }

  // A state that is no JSON costs the reading of the whole log, and nothing else.
  function now(standing: Standing, states: object): readonly DocumentWrite[] {
    const text = plainText(states);
    if (text === undefined) return [];
    return [
      documentOf(standing, text, text.length < LARGE ? undefined : deflateSync(text, QUICKLY)),
    ];
  }

  async function inBetween(standing: Standing, states: object): Promise<readonly DocumentWrite[]> {
    const text = await plainTextInPieces(states);
    if (text === undefined) return [];
    return [documentOf(standing, text, text.length < LARGE ? undefined : await zip(text, QUICKLY))];
  }

  async function read(): Promise<LogState | undefined> {
    const value = (await store.get(KIND, run))?.value;
    if (
      ambiguous ||
      (value !== undefined && seals !== undefined && seals.open(about, value).verdict !== "valid")
    )
      return undefined;
    const kept = await parse(value, versions, projections);
    if (kept === undefined) return undefined;
    const [event] = await store.events(run, kept.head - 1, 1);
    if (event?.sequence !== kept.head || (event.hash ?? NO_LINK) !== kept.link) return undefined;
    size = kept.size;
    return createLogState(
      projections,
      new Map(projections.map((of) => [of, kept.states[of.name]])),
      kept.head,
    );
  }

  return {
    async load() {
      const fold = (await read()) ?? createLogState(projections);
      taken = fold.head;
      return fold;
    },
    due(fold, link, load) {
      const ready = made;
      made = [];
      if (ready.length > 0) return ready;
      if (
        ambiguous ||
        making ||
        fold.head - taken < Math.max(load ? EVERY_UNDER_LOAD : EVERY, size / CHARACTERS)
      )
        return [];
      taken = fold.head;
      const states = Object.fromEntries(projections.map((of) => [of.name, fold.view(of)]));
      const standing: Standing = { head: fold.head, link, versions };
      if (!load) return now(standing, states);
      // Nobody waits for a large one to be written down: it goes with a later commit, and says itself where it stands.
      making = true;
      void inBetween(standing, states)
        .catch(() => [])
        .then((documents) => {
          making = false;
          made = documents;
        });
      return [];
    },
  };
}

// What stands there may be of another version of this package, or of anyone who can write the store.
async function parse(
  text: string | undefined,
  versions: Json,
  projections: Projections,
): Promise<Kept | undefined> {
  try {
    const kept = JSON.parse(text ?? "null") as Json;
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
    return {
      head: head as number,
      link: String(link),
      states,
      size: (unzipped ?? text ?? "").length,
    };
  } catch {
    return undefined;
  }
}
