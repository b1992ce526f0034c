import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BundledPackages } from "@bylaw/config";
import { BylawError, issuesOf, type Plugin, type Store } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { issueDirectives } from "@bylaw/plugin-phases";
import { createTasks } from "@bylaw/plugin-tasks";
import type { CallContext, Tool } from "@bylaw/tools";
import type { Hono } from "hono";
import { createAuthenticate } from "./auth/authenticate.ts";
import { createTokenReader } from "./auth/token-caller.ts";
import { madeSecret, secretIn, fit } from "./config/secrets.ts";
import { settingsSchema, type Settings, type SettingsInput } from "./config/settings.ts";
import { isShared } from "./config/shown.ts";
import { createApp } from "./http/app.ts";
import { listen, type Listener } from "./http/listen.ts";
import { ROUTES } from "./routes/index.ts";
import { serviceEvents } from "./service/events.ts";
import { createExecutor } from "./service/executions.ts";
import { holdersPlugin } from "./service/holders.ts";
import { configuredRules, runByName, usualRules, type TokenKey } from "./service/kernel.ts";
import { createOperations } from "./service/operations.ts";
import { createRateLimit } from "./service/rate.ts";
import type { Log, Service, ServiceParts } from "./service/service.ts";
import { openStore } from "./service/store.ts";
import { workspaces } from "./service/workspace.ts";
import { createTokenDesk } from "./service/tokens.ts";

/** What a server is made of. */
export interface OrchestratorOptions {
  /** Those that are not as usual. */
  readonly settings?: SettingsInput;
  /** Secrets that are not in files. */
  readonly secrets?: { readonly enrol?: string | undefined; readonly operator?: string | undefined };
  /** An open store, which is not closed with the server. Default: the one that the settings name. */
  readonly store?: Store;
  /** Packages that a configuration may use without installing them, by name: the URL of their entry. */
  readonly bundled?: BundledPackages;
  /** What agents may call. */
  readonly tools?: readonly Tool<CallContext>[];
  readonly log?: Log;
  /** RFC 3339, UTC. Default: the system's clock. */
  readonly now?: () => string;
}

/** A service under a contract, over HTTP. */
export interface Orchestrator {
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
  const { secrets = {}, tools = [], log = SILENT, now = () => new Date().toISOString() } = options;
  const settings = settingsOf(options.settings ?? {});
  const data = resolve(settings.data);
  const workspace = resolve(settings.workspace);
  const own: readonly Plugin[] = [holdersPlugin(), serviceEvents()];
  const { kernel, contract, signer } =
    settings.config === undefined
      ? usualRules({
          contract: resolve(settings.contract ?? "agent_workflow.yaml"),
          ...{
            workspace,
            policy: settings.policy.map((file) => resolve(file)),
            key: tokenKey(settings, data),
            tools: tools.map(({ name }) => name),
            own,
          },
        })
      : await configuredRules(resolve(settings.config), own, options.bundled);
  const opened = options.store === undefined ? await openStore(settings, data) : undefined;
  const store = options.store ?? opened;
  if (store === undefined) throw new Error("Unexpected lack of a store");
  const raw = await openRun(kernel, {
    run: settings.run,
    store,
    join: true,
    now,
    onError: (error) => log.error({ err: String(error) }, "a sink failed"),
  });
  const run = runByName(raw, kernel);
  const [closing, over] = [new AbortController(), new AbortController()];
  const limit = createRateLimit({ per_second: settings.limits.agent_per_second, burst: settings.limits.agent_burst });
  const enrol = enrolment(settings, data, secrets.enrol);
  const tasks = createTasks(run, contract, { now });
  const operations = createOperations({
    ...{ run, store, kernel, contract, tasks, now, log },
    ...{ refusals_per_second: settings.limits.refusals_per_second, duty_ms: settings.operate.due_every_ms },
  });
  const parts: ServiceParts = {
    ...{ settings, run, store, kernel, contract, signer, now, log, closing: closing.signal, over: over.signal },
    ...(limit === undefined ? {} : { limit }),
    workspaceOf: workspaces(workspace, { per_task: settings.workspace_per_task }),
    ...{ tasks, operations },
    tokens: createTokenDesk({ run, signer, contract, now }),
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    authenticate: createAuthenticate(
      {
        ...{ enrol, shared_enrolment: settings.auth.shared_enrolment },
        operator: secrets.operator === undefined ? undefined : fit(secrets.operator, "of the operator"),
        operators_file: resolve(settings.auth.operators_file ?? `${data}/operators.json`),
      },
      createTokenReader({ signer, run: run.run }),
    ),
    refused: (refusal, request) => operations.refusals.add(refusal, request),
    answered: (route, status, duration_ms) => operations.metrics.answered(route, status, duration_ms),
  };
  const service: Service = { ...parts, executor: createExecutor(parts) };
  await issueDirectives(run, contract);
  const app = createApp(service, ROUTES);
  operations.start();
  let listener: Listener | undefined;
  return {
    app,
    service,
    async listen() {
      listener = await listen(app, settings);
      return { url: listener.url };
    },
    async close() {
      closing.abort();
      await operations.close();
      await sleep(settings.shutdown.unready_ms);
      await listener?.close(settings.shutdown.grace_ms, () => over.abort());
      over.abort();
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

function tokenKey({ auth, store }: Settings, data: string): TokenKey {
  const id = "default";
  if (auth.token_secret_file !== undefined) return { id, file: resolve(auth.token_secret_file) };
  const env = ["BYLAW_JWT_SECRET", "ORCHESTRATOR_JWT_SECRET"].find((name) => (process.env[name] ?? "") !== "");
  // Many nodes have one secret, and nobody hands it on but a person.
  return env === undefined && !isShared(store) ? { id, file: madeSecret(data, "token.secret") } : { id, env: env ?? "BYLAW_JWT_SECRET" };
}

function enrolment({ auth, store }: Settings, data: string, given: string | undefined): string {
  if (given !== undefined) return fit(given, "of enrolment");
  if (auth.enrol_secret_file !== undefined || !isShared(store))
    return secretIn(resolve(auth.enrol_secret_file ?? madeSecret(data, "enrol.secret")));
  throw new BylawError({
    code: "BYLAW_SECRET_INVALID",
    message: "Unexpected server without a secret that agents enrol with, expected the one that all nodes have",
    fix: "set BYLAW_ENROL_SECRET, or name a file with `auth.enrol_secret_file`",
  });
}

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
