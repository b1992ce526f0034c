import { canonicalJson, isJsonObject, type DocumentWrite, type Json, type JsonObject, type Projection, type Store } from "@bylaw/kernel";
import { createFold, type Fold } from "./fold.ts";
import { NO_LINK } from "./chain.ts";

/** After how many events a run keeps a snapshot of its projections, so that opening it does not read the whole log. */
const EVERY = 1_000;

const KIND = "snapshot";

type Projections = readonly Projection<unknown>[];

/** Keeps snapshots of a run in its store. */
export interface Snapshots {
  /** The state of the last snapshot that fits these projections, or of an empty log. */
  load(): Promise<Fold>;
  /** The snapshot that is due at this state, to be committed with the next events. */
  due(fold: Fold, link: string): readonly DocumentWrite[];
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

  async function read(): Promise<Fold | undefined> {
    const kept = ambiguous ? undefined : parse((await store.get(KIND, run))?.value, versions, projections);
    if (kept === undefined) return undefined;
    const [event] = await store.events(run, kept.head - 1, 1);
    if (event?.sequence !== kept.head || (event.hash ?? NO_LINK) !== kept.link) return undefined;
    return createFold(projections, new Map(projections.map((of) => [of, kept.states[of.name]])), kept.head);
  }

  return {
    async load() {
      const fold = (await read()) ?? createFold(projections);
      taken = fold.head;
      return fold;
    },
    due(fold, link) {
      if (ambiguous || fold.head - taken < EVERY) return [];
      taken = fold.head;
      const states = Object.fromEntries(projections.map((of) => [of.name, fold.view(of)]));
      const kept: Kept = { head: fold.head, link, versions, states };
      // A state that is no JSON costs the reading of the whole log, and nothing else.
      const value = textOf(kept);
      return value === undefined ? [] : [{ kind: KIND, id: run, value }];
    },
  };
}

/** The text of a value, where reading it gives the very same value again: keys in their order, nothing left out. */
function textOf(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value);
    return same(value, JSON.parse(text)) ? text : undefined;
  } catch {
    return undefined;
  }
}

function same(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null) return Object.is(one, other);
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  const [keys, others] = [Reflect.ownKeys(one), Reflect.ownKeys(other)];
  const at = (of: object, key: string | symbol): unknown => (of as Readonly<Record<string | symbol, unknown>>)[key];
  return keys.length === others.length && keys.every((key, index) => key === others[index] && same(at(one, key), at(other, key)));
}

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
