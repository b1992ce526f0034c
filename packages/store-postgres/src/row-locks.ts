import type { Query } from "./database.ts";
import { readEvents } from "./events.ts";
import { eventsAfter, type Head, type HeadCache } from "./head-cache.ts";
import { lastKnown, type PendingCommit } from "./pending-commit.ts";

const PAGE = 5_000;

interface LockRequest {
  /** The key of the run of all commits. */
  readonly key: string;
  readonly commits: readonly PendingCommit[];
  readonly heads: HeadCache;
  readonly lock_timeout_ms: number;
}

/**
 * Locks the rows that commits to one run need until the transaction of `query` ends, and reads where the log ends. Resolves to whether the
 * log had grown.
 */
export async function lockRows(
  query: Query,
  { key, commits, heads, lock_timeout_ms }: LockRequest,
): Promise<boolean> {
  const { requests, tasks } = needsOf(commits);
  const [locked] = await query<{
    readonly head: number;
    readonly link: string;
    readonly known: readonly string[];
  }>("select * from {schema}.lock_commits($1, $2, $3, $4)", [
    lock_timeout_ms,
    key,
    requests,
    tasks,
  ]);
  if (locked === undefined) throw new Error("lock_commits returned no row");
  for (const commit of commits)
    if (commit.request !== undefined && !locked.known.includes(commit.request))
      commit.checked = true;
  const run = commits[0]?.run ?? "";
  const before = heads.get(key)?.sequence;
  if (before !== undefined && before < locked.head)
    heads.saw(key, await readEvents(query, run, Math.max(before, locked.head - PAGE), PAGE));
  heads.moveTo(key, locked.head, `sha256:${locked.link}`);
  await readForAll(commits, locked.head, heads.get(key), query);
  return before !== locked.head;
}

/** Reads, once for all commits, the events that their writers have not seen and the cache does not hold. */
async function readForAll(
  commits: readonly PendingCommit[],
  until: number,
  head: Head | undefined,
  query: Query,
): Promise<void> {
  // A commit that is more than a page behind reads the rest later, when no rows are locked.
  const behind = commits.filter(
    (commit) =>
      until - lastKnown(commit) <= PAGE &&
      head !== undefined &&
      eventsAfter(head, lastKnown(commit)) === undefined,
  );
  const from = Math.min(...behind.map(lastKnown));
  if (behind.length === 0) return;
  const events = await readEvents(query, behind[0]?.run ?? "", from, until - from);
  for (const commit of behind)
    commit.known = [...commit.known, ...events.slice(lastKnown(commit) - from)];
}

/** Deletes the placeholder rows that were inserted to be locked, for commits that were then not written. */
export async function deletePlaceholders(
  query: Query,
  key: string,
  commits: readonly PendingCommit[],
): Promise<void> {
  const { requests, tasks } = needsOf(commits);
  await query("select {schema}.tidy($1, $2, $3, null)", [[key], requests, tasks]);
}

/** Reads the events that the writer of a commit has not seen, up to a sequence. */
export async function readUnseen(
  commit: PendingCommit,
  until: number,
  query: Query,
): Promise<void> {
  while (lastKnown(commit) < until) {
    const page = await readEvents(
      query,
      commit.run,
      lastKnown(commit),
      Math.min(PAGE, until - lastKnown(commit)),
    );
    if (page.length === 0) return;
    commit.known = [...commit.known, ...page];
  }
}

/** The request ids and tasks of commits. Their rows are locked before those of runs. */
function needsOf(commits: readonly PendingCommit[]): {
  readonly requests: readonly string[] | null;
  readonly tasks: string | null;
} {
  const requests = commits.flatMap(({ request }) => request ?? []);
  const tasks = commits.flatMap(({ task }) => task ?? []);
  return {
    requests: requests.length === 0 ? null : requests,
    tasks: tasks.length === 0 ? null : JSON.stringify(tasks),
  };
}
