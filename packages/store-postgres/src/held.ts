import type { Query } from "./database.ts";
import { readEvents } from "./events.ts";
import { eventsAfter, type Head, type Heads } from "./heads.ts";
import type { Item } from "./item.ts";
import { lastKnown } from "./plan.ts";

const PAGE = 5_000;

/** Commits to one run that are decided while its rows are held. */
interface Holding {
  readonly key: string;
  readonly items: readonly Item[];
  readonly heads: Heads;
  readonly lock_timeout_ms: number;
}

/**
 * Holds the rows that commits to one run need until the transaction of `query` ends, and learns where its log ends. Resolves to whether
 * it had grown.
 */
export async function holdCommits(query: Query, { key, items, heads, lock_timeout_ms }: Holding): Promise<boolean> {
  const { requests, tasks } = needsOf(items);
  const [held] = await query<{ readonly head: number; readonly link: string; readonly known: readonly string[] }>(
    "select * from {schema}.lock_commits($1, $2, $3, $4)",
    [lock_timeout_ms, key, requests, tasks],
  );
  if (held === undefined) throw new Error("Unexpected answer of lock_commits, expected a head");
  for (const item of items) if (item.request !== undefined && !held.known.includes(item.request)) item.asked = true;
  const run = items[0]?.run ?? "";
  const before = heads.get(key)?.sequence;
  if (before !== undefined && before < held.head) heads.saw(key, await readEvents(query, run, Math.max(before, held.head - PAGE), PAGE));
  heads.at(key, held.head, `sha256:${held.link}`);
  await tellAll(items, held.head, heads.get(key), query);
  return before !== held.head;
}

/** Tells commits what their writers have not seen and nobody here remembers; it is read once for all. */
async function tellAll(items: readonly Item[], until: number, head: Head | undefined, query: Query): Promise<void> {
  // Whoever has missed more than a page is told so, and reads on while nobody waits for it.
  const behind = items.filter(
    (item) => until - lastKnown(item) <= PAGE && head !== undefined && eventsAfter(head, lastKnown(item)) === undefined,
  );
  const from = Math.min(...behind.map(lastKnown));
  if (behind.length === 0) return;
  const events = await readEvents(query, behind[0]?.run ?? "", from, until - from);
  for (const item of behind) item.known = [...item.known, ...events.slice(lastKnown(item) - from)];
}

/** Takes back the rows that were made to be held for commits that then were not written. */
export async function releaseCommits(query: Query, key: string, items: readonly Item[]): Promise<void> {
  const { requests, tasks } = needsOf(items);
  await query("select {schema}.tidy($1, $2, $3, null)", [[key], requests, tasks]);
}

/** Reads for a commit what its writer has not seen, up to a sequence. */
export async function readOn(item: Item, until: number, query: Query): Promise<void> {
  while (lastKnown(item) < until) {
    const page = await readEvents(query, item.run, lastKnown(item), Math.min(PAGE, until - lastKnown(item)));
    if (page.length === 0) return;
    item.known = [...item.known, ...page];
  }
}

/** Request ids and tasks of commits, whose rows are held before those of runs. */
function needsOf(items: readonly Item[]): { readonly requests: readonly string[] | null; readonly tasks: string | null } {
  const requests = items.flatMap(({ request }) => request ?? []);
  const tasks = items.flatMap(({ task }) => task ?? []);
  return { requests: requests.length === 0 ? null : requests, tasks: tasks.length === 0 ? null : JSON.stringify(tasks) };
}
