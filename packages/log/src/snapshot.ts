import { canonicalJson, freezeJson, isJsonObject, type DocumentWrite, type Json, type Projection, type Store } from "@bylaw/kernel";
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

/**
 * Snapshots are documents, committed with events and never a second truth: one whose link is not that of the event it stands
 * at, or whose projections are not exactly these in these versions, is passed over, and the log is folded from its beginning.
 */
export function createSnapshots(store: Store, run: string, projections: Projections): Snapshots {
  const versions = Object.fromEntries(projections.map(({ name, version }) => [name, version]));
  let taken = 0;
  return {
    async load() {
      const fold = await read(store, run, projections, versions);
      taken = fold.head;
      return fold;
    },
    due(fold, link) {
      if (fold.head - taken < EVERY) return [];
      taken = fold.head;
      try {
        const states = Object.fromEntries(projections.map((of) => [of.name, freezeJson(fold.view(of))]));
        return [{ kind: KIND, id: run, value: canonicalJson({ head: fold.head, link, versions, states }) }];
      } catch {
        // A state that is no JSON cannot be kept; it costs the reading of the log, and nothing else.
        return [];
      }
    },
  };
}

async function read(store: Store, run: string, projections: Projections, versions: Json): Promise<Fold> {
  const nothing = createFold(projections);
  // Two projections of one name cannot be told apart in a snapshot.
  if (new Set(projections.map(({ name }) => name)).size < projections.length) return nothing;
  const kept = parse((await store.get(KIND, run))?.value);
  if (!isJsonObject(kept) || canonicalJson(kept["versions"] ?? null) !== canonicalJson(versions)) return nothing;
  const { head, link, states } = kept;
  if (typeof head !== "number" || !isJsonObject(states)) return nothing;
  const [event] = await store.events(run, head - 1, 1);
  if (event?.sequence !== head || (event.hash ?? NO_LINK) !== link) return nothing;
  return createFold(projections, new Map(projections.map((of) => [of, states[of.name]])), head);
}

function parse(value: string | undefined): Json {
  try {
    return freezeJson(JSON.parse(value ?? "null"));
  } catch {
    return null;
  }
}
