import { setTimeout as sleep } from "node:timers/promises";
import { checkArgument, messageOf } from "@bylaw/kernel";
import { isChainBroken, type Run } from "@bylaw/log";
import { issueDue } from "./tasks/issue-due.ts";
import { canContain } from "@bylaw/process";
import type { Store } from "@bylaw/store";
import type { App } from "./http/app-env.ts";
import { createApp } from "./http/app.ts";
import { listen, type HttpServer } from "./http/listen.ts";
import type { Log } from "./observe/log.ts";
import { ROUTES } from "./routes/index.ts";
import { createService } from "./service/create-service.ts";
import { openLog } from "./service/open-log.ts";
import {
  type OrchestratorOptions,
  prepareServer,
  type PreparedServer,
} from "./service/prepare-server.ts";
import { startWarnings } from "./service/start-warnings.ts";
import type { Service } from "./service/service.ts";
import { isStoreFailure } from "./service/store-health.ts";

/** A service under a contract, over HTTP. */
export interface Orchestrator {
  /** Environment variables that may hold keys of tokens. The server has read them, so remove them before you start other programs. */
  readonly variables: readonly string[];
  /** Answers requests without a socket. */
  readonly app: App;
  readonly service: Service;
  /** Listens at the address in the settings. */
  listen(): Promise<Pick<HttpServer, "url">>;
  /** Closes the server: reports not ready, accepts nothing new, lets requests end, and flushes. */
  close(): Promise<void>;
}

/** Creates a server. Throws the faults of its settings, contract, configuration, secrets or store. */
export async function createOrchestrator(options: OrchestratorOptions = {}): Promise<Orchestrator> {
  const {
    tools = [],
    log = SILENT,
    now = createClock(),
    allowing,
  } = checkArgument("createOrchestrator", "options", options);
  const prepared = await prepareServer(options, log);
  const { settings, rules } = prepared;
  const opened = await openLog(prepared, options, { log, now });
  const { store, run } = opened;
  const [closing, over] = [new AbortController(), new AbortController()];
  const signals = { closing: closing.signal, over: over.signal };
  const service = createService(prepared, opened, { tools, allowing, log, now, ...signals });
  const { operations } = service;
  const stopFollowing = await followOtherNodes(store, run, log);
  if (opened.broken() === undefined) await issueDue(run, rules.contract);
  warnIfUncontained(prepared, log);
  for (const warning of warningsOf(prepared, service)) log.warn({}, warning);
  const app = createApp(service, ROUTES);
  operations.start();
  let server: HttpServer | undefined;
  return {
    app,
    service,
    variables: rules.signing.variables,
    async listen() {
      server = await listen(app, settings);
      return { url: server.url };
    },
    async close() {
      closing.abort();
      stopFollowing();
      await operations.close();
      await sleep(settings.shutdown.unready_ms);
      await server?.close(settings.shutdown.grace_ms, () => over.abort());
      over.abort();
      await operations.refusals.flush({ all: true });
      await opened.close();
    },
  };
}

function warnIfUncontained({ settings: { tools }, workspace }: PreparedServer, log: Log): void {
  if (tools.contain === "never" || tools.wrap.length > 0) return;
  if (canContain(workspace, { allowRoot: tools.allow_root })) return;
  log.warn(
    {},
    "programs of agents run as the user of this server and can read what it can: start them elsewhere with `tools.wrap`",
  );
}

const warningsOf = (
  { settings, rules: { contract }, secrets, operators, workspace }: PreparedServer,
  { tools }: Service,
): readonly string[] =>
  startWarnings({
    settings,
    contract,
    workspace,
    tools: new Set(tools.keys()),
    operated: secrets.operator !== undefined || operators().length > 0,
  });

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** The system's time in RFC 3339, UTC. Formatted once a millisecond, because each request needs it several times. */
function createClock(): () => string {
  let at = Number.NaN;
  let text = "";
  return () => {
    const time = Date.now();
    if (time !== at) [at, text] = [time, new Date(time).toISOString()];
    return text;
  };
}

/** Milliseconds that a node waits, after other nodes have written, for one of its own writes to read their events. */
const FOLLOW_MS = 50;

/** Reads what other nodes wrote soon afterwards, so that an idle node need not read everything at its next request. */
async function followOtherNodes(store: Store, run: Run, log: Log): Promise<() => void> {
  let logged = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    timer = undefined;
    if (logged <= run.head) return;
    run.catchUp().catch((error: unknown) => {
      if (!isChainBroken(error) && !isStoreFailure(error))
        log.warn({ err: messageOf(error) }, "cannot read new events of the log");
    });
  };
  const stop = await store.watch((name, head) => {
    if (name !== run.run) return;
    logged = head;
    timer ??= setTimeout(look, FOLLOW_MS);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
