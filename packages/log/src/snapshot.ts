import { canonicalJson, isJsonObject, type DocumentWrite, type Json, type JsonObject, type Projection, type Store } from "@bylaw/kernel";
import { createFold, type Fold } from "./fold.ts";
import { NO_LINK } from "./chain.ts";

/** After how many events a run keeps a snapshot of its projections, so that opening it does not read the whole log. */
const EVERY = 1_000;
/** The same while calls wait for each other: dozens of them wait for the snapshot then, and of a hundred calls less than one should. */
const EVERY_UNDER_LOAD = 8_000;
/**
 * Of a large one it keeps fewer: an event more for so many characters. Who opens the run reads that many events in a few times the time that
 * the snapshot takes.
 */
const CHARACTERS = 500;

const KIND = "snapshot";

type Projections = readonly Projection<unknown>[];

/** Keeps snapshots of a run in its store. */
export interface Snapshots {
  /** The state of the last snapshot that fits these projections, or of an empty log. */
  load(): Promise<Fold>;
  /** The snapshot that is due at this state, to be committed with the next events. `load`: others wait meanwhile. */
  due(fold: Fold, link: string, load: boolean): readonly DocumentWrite[];
}

/** A snapshot as it is kept. */
interface Kept {
  /** The sequence of the last event in it, and its link. */
  readonly head: number;
  readonly link: string;
  /** By name of the projection. */
  readonly versions: Readonly<Record<string, number>>;
  readonly states: Readonly<Record<string, unknown>>;
}

/**
 * Snapshots are documents, committed with events and never a second truth: one whose link is not that of the event it stands
 * at, or whose projections are not exactly these in these versions, is passed over, and the log is folded from its beginning.
 */
export function createSnapshots(store: Store, run: string, projections: Projections): Snapshots {
  const versions = Object.fromEntries(projections.map(({ name, version }) => [name, version]));
  // Two projections of one name cannot be told apart in a snapshot, by this run or by the next.
  const ambiguous = Object.keys(versions).length < projections.length;
  let taken = 0;
  let size = 0;

  async function read(): Promise<Fold | undefined> {
    const text = ambiguous ? undefined : (await store.get(KIND, run))?.value;
    const kept = parse(text, versions, projections);
    if (kept === undefined) return undefined;
    const [event] = await store.events(run, kept.head - 1, 1);
    if (event?.sequence !== kept.head || (event.hash ?? NO_LINK) !== kept.link) return undefined;
    size = text?.length ?? 0;
    return createFold(projections, new Map(projections.map((of) => [of, kept.states[of.name]])), kept.head);
  }

  return {
    async load() {
      const fold = (await read()) ?? createFold(projections);
      taken = fold.head;
      return fold;
    },
    due(fold, link, load) {
      if (ambiguous || fold.head - taken < Math.max(load ? EVERY_UNDER_LOAD : EVERY, size / CHARACTERS)) return [];
      taken = fold.head;
      const states = Object.fromEntries(projections.map((of) => [of.name, fold.view(of)]));
      const kept: Kept = { head: fold.head, link, versions, states };
      // A state that is no JSON costs the reading of the whole log, and nothing else.
      const value = textOf(kept);
      size = value?.length ?? size;
      return value === undefined ? [] : [{ kind: KIND, id: run, value }];
    },
  };
}

function textOf(value: unknown): string | undefined {
  try {
    return isPlainJson(value) ? JSON.stringify(value) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether reading the text of a value gives the very same value again: keys in their order, nothing left out. */
function isPlainJson(value: unknown, depth = 0): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || depth > DEEPEST) return false;
  const keys = Object.keys(value);
  // Nothing that is hidden, and no symbols; of a list its length, and no gaps.
  const list = Array.isArray(value);
  if (Reflect.ownKeys(value).length !== keys.length + (list ? 1 : 0) || (list && keys.length !== value.length)) return false;
  if (Object.getPrototypeOf(value) !== (list ? Array.prototype : Object.prototype)) return false;
  for (const key of keys) if (!isPlainJson((value as Readonly<Record<string, unknown>>)[key], depth + 1)) return false;
  return true;
}

/** A state that refers to itself has no end; none that is meant is as deep as this. */
const DEEPEST = 1_000;

// What stands there may be of another version of this package, or of anyone who can write the store.
function parse(text: string | undefined, versions: Json, projections: Projections): Kept | undefined {
  try {
    const kept = JSON.parse(text ?? "null") as Json;
    if (!isJsonObject(kept)) return undefined;
    const { head, states } = kept;
    if (!Number.isSafeInteger(head) || (head as number) < 1 || !isJsonObject(states)) return undefined;
    if (canonicalJson(kept["versions"] as JsonObject) !== canonicalJson(versions)) return undefined;
    return projections.every(({ name }) => Object.hasOwn(states, name)) ? (kept as unknown as Kept) : undefined;
  } catch {
    return undefined;
  }
}
