import {
  Experiments,
  offerLinks,
  PAGE_FILES,
  pageFile,
  readRows,
  type ExperimentsPage,
} from "@bylaw/dashboard";
import { BylawError, messageOf, omitUndefined } from "@bylaw/kernel";
import type { RunSummary, StoreReader } from "@bylaw/log";
import { eventStream } from "@bylaw/orchestrator/events";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { isRefusal } from "../approve/is-refusal.ts";
import type { ProjectAllowing } from "./allowing.ts";
import type { Login } from "./login.ts";
import type { UiOperator } from "./operator.ts";
import type { UiReplay } from "./replay.ts";
import { runQuery, rowQuery, sequenceIn } from "./queries.ts";
import { refusal } from "./refusal.ts";
import { WaitingCounts } from "./waiting-counts.ts";
import type { WatchedRuns } from "./watched-run.ts";

/** What the page of a local store is served from. */
export interface UiAppOptions {
  readonly store: StoreReader;
  readonly runs: WatchedRuns;
  readonly allowing: ProjectAllowing;
  readonly login: Login;
  /** The person who may answer. Default: nobody. */
  readonly operator?: UiOperator | undefined;
  /** The replay of two versions that the command line names. Default: none. */
  readonly replay?: UiReplay | undefined;
  /** The names by which this server may be addressed, with its port. */
  readonly hosts: () => readonly string[];
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
}

type ReadOptions = Pick<UiAppOptions, "store" | "runs" | "operator" | "allowing" | "replay">;

/** The largest body of a request. */
const MAX_BYTES = 65_536;
/** How often a quiet stream says that it is alive. */
const HEARTBEAT_MS = 15_000;
/** After this time, a reader that takes nothing is disconnected. */
const SLOW_MS = 30_000;

/** The server of `bylaw ui`. It answers the same requests of the page as `bylaw serve` does. */
export function uiApp(options: UiAppOptions): Hono {
  const { runs, login, operator, hosts, closing } = options;
  const app = new Hono();
  app.use(async (context, next) => {
    const { req } = context;
    // A page of another site reaches this port under its own name: DNS rebinding.
    if (!hosts().includes(req.header("host") ?? ""))
      return refusal(403, "This server is addressed by another name", "Open the printed address.");
    const origin = req.header("origin");
    if (origin !== undefined && !hosts().some((host) => origin === `http://${host}`))
      return refusal(403, "Requests of other sites are refused", "Open the printed address.");
    return await next();
  });
  app.use(bodyLimit({ maxSize: MAX_BYTES, onError: () => refusal(413, "The body is too large") }));
  app.get("/ui", () => pageFile("index.html", login.kind));
  for (const file of PAGE_FILES) app.get(`/ui/${file}`, () => pageFile(file, login.kind));
  app.post("/api/v1/login", async ({ req, json }) => {
    const body = (await req.json().catch(() => ({}))) as { readonly code?: unknown };
    const token = login.enter(typeof body.code === "string" ? body.code : "");
    return token === undefined
      ? refusal(
          401,
          login.kind === "code" ? "This code is wrong, or was used before" : "This token is wrong",
          login.fix,
        )
      : json({ token }, 200, { "cache-control": "no-store" });
  });
  app.use("/api/*", async ({ req, header }, next) => {
    header("cache-control", "no-store");
    return login.knows(req.header("authorization"))
      ? await next()
      : refusal(401, "This needs a sign-in", login.fix);
  });
  addMe(app, options);
  addReads(app, options);
  addOpened(app, options);
  if (operator !== undefined) addAnswers(app, operator);
  app.get("/api/v1/events", async (context) => {
    const { run, after } = runQuery(context.req.query());
    const { feed } = runs.get(run);
    return eventStream(context as never, {
      listener: feed.listen(),
      after: after ?? (await feed.head()),
      sees: () => true,
      endsBefore: () => false,
      mayGoOn: () => !closing.aborted && login.knows(context.req.header("authorization")),
      signal: closing,
      heartbeat_ms: HEARTBEAT_MS,
      slow_ms: SLOW_MS,
      onEnd: () => {},
    });
  });
  app.notFound(() => refusal(404, "There is nothing at this path"));
  app.onError((error) =>
    error instanceof BylawError
      ? refusal(STATUS[error.code] ?? (isRefusal(error) ? 409 : 500), error.message, error.fix)
      : refusal(500, messageOf(error)),
  );
  return app;
}

const STATUS: Readonly<Record<string, number>> = {
  BYLAW_USAGE_INVALID: 400,
  BYLAW_APPROVAL_UNAUTHORIZED: 403,
  BYLAW_APPROVAL_MISSING: 404,
};

function addAnswers(app: Hono, operator: UiOperator): void {
  app.post("/api/v1/approvals/:id", async ({ req, json }) => {
    const { run } = runQuery(req.query());
    const given: unknown = await req.json().catch(() => undefined);
    const { sequence, event_type, details } = await operator.answer(run, req.param("id"), given);
    return json({ recorded: true, sequence, event_type, details });
  });
}

const latestLast = async (store: StoreReader): Promise<readonly RunSummary[]> =>
  (await store.runs()).toSorted((one, other) => Date.parse(one.last) - Date.parse(other.last));

function addMe(app: Hono, { store, runs, operator }: ReadOptions): void {
  const counts = new WaitingCounts(store);
  app.get("/api/v1/me", async ({ req, json }) => {
    const chosen = req.query("run") ?? "";
    const all = await latestLast(store);
    const waiting = await counts.of(all);
    // The counts know no gates, and only late events.
    const waitsOf = ({ run, head }: RunSummary): number =>
      (run === chosen ? runs.get(run).waits(head) : undefined) ?? waiting.get(run) ?? 0;
    return json({
      ...(operator === undefined
        ? { name: "This store", can_answer: false, is_agent: false, roles: [] }
        : {
            ...{ name: operator.name, can_answer: true, roles: operator.roles() },
            is_agent: chosen !== "" && runs.get(chosen).isAgent(operator.name),
          }),
      many_runs: true,
      runs: all.map((one) => ({
        run: one.run,
        head: one.head,
        last: one.last,
        waits: waitsOf(one),
      })),
    });
  });
}

function addReads(app: Hono, { store, runs, replay }: ReadOptions): void {
  const experiments = new Experiments({
    events: (...of) => store.events(...of),
    runs: () => latestLast(store),
  });
  app.get("/api/v1/decisions", async ({ req, json }) => {
    const { run, limit, below, filter } = rowQuery(req.query());
    const { overview, follower, feed, broken } = runs.get(run);
    const head = await feed.head();
    // Only a filter by phase must wait until the log was read from its beginning.
    if (filter.phase !== undefined) await follower.fresh();
    const page = await readRows(store, {
      ...{ run, filter, limit, phaseAt: overview.live.phaseAt },
      below: Math.min(below ?? Infinity, head + 1),
    });
    // Goes on reading in the background, after the first page.
    broken();
    return json({ ...page, head });
  });
  app.get("/api/v1/experiments", async ({ json }) => {
    const page: ExperimentsPage = { ...(await experiments.read()), replay: replay?.seen() ?? null };
    return json(page);
  });
  app.get("/api/v1/approvals", async ({ req, json }) =>
    json(await runs.get(runQuery(req.query()).run).questions()),
  );
  app.get("/api/v1/overview", async ({ req, json }) => {
    const { run, at } = runQuery(req.query());
    const { overview, follower, feed, broken } = runs.get(run);
    const head = await feed.head();
    const chain = { broken: broken(), verified: follower.head, head };
    if (at === undefined) return json({ ...overview.live.value(), chain });
    const { signal } = req.raw;
    const then = await overview.at(store, run, {
      at: Math.min(at, head),
      read: () => follower.fresh(),
      ...omitUndefined({ signal }),
    });
    return json({ ...then, chain });
  });
}

function addOpened(app: Hono, { store, runs, allowing }: ReadOptions): void {
  app.get("/api/v1/decisions/:sequence", async ({ req, json }) => {
    const { run } = runQuery(req.query());
    const at = sequenceIn(req.param("sequence"));
    const [event] = await store.events(run, at - 1, 1);
    return event === undefined
      ? refusal(404, `The log has no event ${at}`)
      : json({
          ...{ event, phase: runs.get(run).overview.live.phaseAt(event.task_id, at) },
          ...(await offerLinks(store, run, event)),
        });
  });
  app.get("/api/v1/decisions/:sequence/allowing", async ({ req, json }) => {
    const { run } = runQuery(req.query());
    const at = sequenceIn(req.param("sequence"));
    const [event] = await store.events(run, at - 1, 1);
    return event === undefined
      ? refusal(404, `The log has no event ${at}`)
      : json(await allowing(event, runs.get(run).overview.live.phaseAt(event.task_id, at)));
  });
}
