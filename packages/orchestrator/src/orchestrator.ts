import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BundledPackages } from "@bylaw/config";
import { BylawError, issuesOf, messageOf, present, type Plugin, type Store } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import { issueDirectives } from "@bylaw/plugin-phases";
import { createTasks } from "@bylaw/plugin-tasks";
import type { CallContext, Tool } from "@bylaw/tools";
import { canContain } from "@bylaw/process";
import type { Hono } from "hono";
import { createAuthenticate } from "./auth/authenticate.ts";
import { createOperatorList } from "./auth/operator-list.ts";
import { createOperatorNames } from "./auth/operator-names.ts";
import { createTokenReader } from "./auth/token-caller.ts";
import { belongingsOf, checkPlaces } from "./config/belongings.ts";
import { makeDataFolder } from "./config/data-folder.ts";
import { readSecrets, type GivenSecrets } from "./config/secrets.ts";
import { readTokenKeys } from "./config/token-keys.ts";
import { CONTRACT, settingsSchema, type Settings, type SettingsInput } from "./config/settings.ts";
import { BASE, createApp } from "./http/app.ts";
import { listen } from "./http/listen.ts";
import type { Listener } from "./http/listener.ts";
import { direct } from "./http/direct.ts";
import { faultOf } from "./observe/fault.ts";
import { ROUTES } from "./routes/index.ts";
import { createClock } from "./service/clock.ts";
import { serviceEvents } from "./service/events.ts";
import { createExecutor } from "./service/executions.ts";
import { holdersPlugin } from "./service/holders.ts";
import { openCallsPlugin } from "./service/open-calls.ts";
import { configuredRules, runByName, usualRules } from "./service/kernel.ts";
import { createOperations } from "./service/operations.ts";
import { createRateLimit } from "./service/rate.ts";
import type { Log, Service, ServiceParts } from "./service/service.ts";
import { questionsPlugin } from "./service/questions.ts";
import { openStore } from "./service/store.ts";
import { workspaces } from "./service/workspace.ts";
import { keptBy, toolset } from "./service/toolset.ts";
import { createSeeTests } from "./service/tests.ts";
import { createTokenDesk } from "./service/tokens.ts";

/** What a server is made of. */
export interface OrchestratorOptions {
  /** Those that are not as usual. */
  readonly settings?: SettingsInput;
  /** The file that they come from, which agents do not see. */
  readonly settings_file?: string | undefined;
  /** Secrets that are not in files. */
  readonly secrets?: GivenSecrets;
  /** An open store, which is not closed with the server. Default: the one that the settings name. */
  readonly store?: Store;
  /** Packages that a configuration may use without installing them, by name: the URL of their entry. */
  readonly bundled?: BundledPackages;
  /** What agents may call besides the tools of the workspace, or instead of those of the same name. */
  readonly tools?: readonly Tool<CallContext>[];
  readonly log?: Log;
  /** RFC 3339, UTC. Default: the system's clock. */
  readonly now?: () => string;
}

/** A service under a contract, over HTTP. */
export interface Orchestrator {
  /** Variables of this process that may hold the keys of its tokens, which it has read: no program that is started later needs them. */
  readonly variables: readonly string[];
  /** Answers requests without a socket. */
  readonly app: Hono;
  readonly service: Service;
  /** Listens where the settings say. */
  listen(): Promise<Pick<Listener, "url">>;
  /** Ends: answers as not ready, takes nothing new, lets requests end, flushes. */
  close(): Promise<void>;
}

/** Makes a server. Throws what is wrong in its settings, contract, configuration, secrets or store. */
export async function createOrchestrator(options: OrchestratorOptions = {}): Promise<Orchestrator> {
  const { tools: more = [], log = SILENT, now = createClock() } = options;
  const settings = settingsOf(options.settings ?? {});
  const data = resolve(settings.data);
  const workspace = resolve(settings.workspace);
  makeDataFolder(data);
  const secrets = readSecrets(settings, options.secrets ?? {});
  const own: readonly Plugin[] = [
    holdersPlugin({ per_agent: settings.tasks.per_agent }),
    openCallsPlugin(),
    questionsPlugin(),
    serviceEvents(),
  ];
  const files = belongingsOf(settings, options.settings_file);
  const common = { own, belongings: { ...files, hidden: [...secrets.places, ...files.hidden] } };
  const { kernel, contract, signer, signing, belongings } =
    settings.config === undefined
      ? usualRules({
          ...{
            ...common,
            workspace,
            keysOf: (terms) => readTokenKeys(settings, terms),
            policy: settings.policy.map((file) => resolve(file)),
          },
          contract: resolve(settings.contract ?? CONTRACT),
          tools: more.map(({ name }) => name),
        })
      : await configuredRules({ ...common, file: resolve(settings.config), bundled: options.bundled ?? {} });
  const texts = [...secrets.texts, ...signing.texts];
  log.conceal?.(texts);
  checkPlaces(settings, { tested: contract.evidence.testCommand !== undefined && !settings.workspace_per_task });
  const opened = options.store === undefined ? await openStore(settings, data) : undefined;
  const store = options.store ?? opened;
  if (store === undefined) throw new Error("Unexpected lack of a store");
  const raw = await openRun(kernel, {
    run: settings.run,
    store,
    join: true,
    now,
    onError: (error) => log.error(faultOf(error), "a sink failed"),
  });
  const run = runByName(raw, kernel);
  const [closing, over] = [new AbortController(), new AbortController()];
  const limit = createRateLimit({ per_second: settings.limits.agent_per_second, burst: settings.limits.agent_burst });
  // A tool of the same name goes before the usual one.
  const { hidden, kept: protect } = belongings;
  const seeTests = createSeeTests({ ...settings.tools, run, contract, hidden, protect: [...keptBy(contract, settings), ...protect] });
  const tools = [
    ...toolset({ ...{ settings, contract, seeTests, view: run.view, hidden, protect }, ...{ secrets: texts, over: over.signal } }),
    ...more,
  ];
  const tasks = createTasks(run, contract, { now });
  const operations = createOperations({
    ...{ run, store, kernel, contract, tasks, now, log },
    ...{ refusals_per_second: settings.limits.refusals_per_second, duty_ms: settings.operate.due_every_ms },
  });
  const operators = createOperatorList(secrets.operators_file, (error) =>
    log.error(faultOf(error), "nobody is known by the file of operators"),
  );
  const parts: ServiceParts = {
    ...{ settings, run, store, kernel, contract, signer, now, log, closing: closing.signal, over: over.signal },
    ...present({ limit }),
    workspaceOf: workspaces(workspace, { per_task: settings.workspace_per_task }),
    ...{ tasks, operations, seeTests },
    tokens: createTokenDesk({ run, signer, contract, now }),
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    authenticate: createAuthenticate(
      { ...secrets, operators, shared_enrolment: settings.auth.shared_enrolment },
      createTokenReader({ signer, run: run.run }),
    ),
    isOperatorName: createOperatorNames(operators),
    refused: (refusal, request) => operations.refusals.add(refusal, request),
    answered: (route, status, duration_ms) => operations.metrics.answered(route, status, duration_ms),
  };
  const service: Service = { ...parts, executor: createExecutor(parts) };
  const stopFollowing = await followOthers(store, run, log);
  await issueDirectives(run, contract);
  if (settings.tools.contain !== "never" && settings.tools.wrap.length === 0 && !canContain(workspace))
    log.warn({}, "programs of agents run as the user of this server and see what it sees: start them elsewhere with `tools.wrap`");
  const app = createApp(service, ROUTES);
  operations.start();
  let listener: Listener | undefined;
  return {
    ...{ app, service, variables: signing.variables },
    async listen() {
      listener = await listen(app, direct(BASE, ROUTES, service), settings);
      return { url: listener.url };
    },
    async close() {
      closing.abort();
      stopFollowing();
      await operations.close();
      await sleep(settings.shutdown.unready_ms);
      await listener?.close(settings.shutdown.grace_ms, () => over.abort());
      over.abort();
      await operations.refusals.flush({ all: true });
      await run.close();
      await opened?.close();
    },
  };
}

function settingsOf(given: SettingsInput): Settings {
  const parsed = settingsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const message = `Unexpected settings: ${issuesOf(parsed.error)}`;
  throw new BylawError({ code: "BYLAW_SETTINGS_INVALID", message, fix: "`bylaw serve --help` and docs/serve.md name them" });
}

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** How long a node that was told of events of others waits for its own writes to bring them. */
const FOLLOW_MS = 50;

/** Reads what other nodes wrote soon after, so that a node that was not asked for long need not read it all when it is. */
async function followOthers(store: Store, run: Run, log: Log): Promise<() => void> {
  let told = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    timer = undefined;
    if (told > run.head) run.catchUp().catch((error: unknown) => log.warn({ err: messageOf(error) }, "the log could not be read on"));
  };
  const stop = await store.watch((name, head) => {
    if (name !== run.run) return;
    told = head;
    timer ??= setTimeout(look, FOLLOW_MS);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
