import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  createLog,
  createOrchestrator,
  resolveSettings,
  SettingsError,
  shownConfig,
  throwSettingsFaults,
  type Log,
  type Orchestrator,
  type WhatAllows,
} from "@bylaw/orchestrator";
import { takeToken } from "../approve/authority.ts";
import { bundled } from "../decide/kernel-source.ts";
import { storePlace, withStore } from "../log/open-store.ts";
import { conclude, whileLoading } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import type { ServeOptions } from "../command-line/serve-options.ts";

/** Serves agents until a signal ends the process. */
export async function serveAgents(options: ServeOptions): Promise<void> {
  const resolved = await settingsOf(options);
  const { settings } = resolved;
  if (options.printConfig === true) {
    await write(`${JSON.stringify(shownConfig(resolved, process.env), undefined, 2)}\n`);
    return conclude(0);
  }
  // Removed before any code of a configuration runs, so that no program of a tool inherits it.
  const secrets = { enrol: taken("BYLAW_ENROL_SECRET"), operator: takeToken() };
  const token = process.env["BYLAW_JWT_SECRET"] ?? process.env["ORCHESTRATOR_JWT_SECRET"];
  const log = createLog({
    level: settings.log.level,
    to: process.stderr,
    secrets: present([secrets.enrol, secrets.operator, token]),
  });
  const place = storePlace(settings.store ?? `sqlite:${join(settings.data, "store.db")}`);
  if (place.engine === "sqlite")
    mkdirSync(dirname(resolve(place.target)), { recursive: true, mode: 0o700 });
  await withStore(place, { create: true }, async (store) => {
    const create = (): Promise<Orchestrator> =>
      createOrchestrator({
        settings,
        settings_file: resolved.file,
        secrets,
        store,
        head_copy: true,
        log,
        bundled: bundled(),
        allowing: whatAllows(settings.config),
      });
    const server = await (settings.config === undefined
      ? create()
      : whileLoading(resolve(settings.config), create));
    for (const name of server.variables) delete process.env[name];
    try {
      const { url } = await server.listen();
      const address = {
        url: `${url}/api/v1`,
        run: settings.run,
        store: place.shown,
        contract: server.service.contract.name,
        pid: process.pid,
      };
      await write(
        options.json === true
          ? jsonLine(address)
          : `Serving ${address.contract} on ${address.url}, run ${address.run}\n`,
      );
      await untilSignal(log);
    } finally {
      await server.close();
    }
  });
  conclude(0);
}

// Loaded when a person first opens a decision, because most servers never need it.
const whatAllows =
  (config: string | undefined): WhatAllows =>
  async (event, { phase, kernel }) => {
    const { allowingOf } = await import("../ui/allowing.ts");
    const { benchOf } = await import("../cases/policy-bench.ts");
    const file = config === undefined ? undefined : resolve(config);
    return await allowingOf(event, phase, () => benchOf(kernel, file));
  };

/** Reads the settings. Throws one error with all faults of the settings and of the contract. */
async function settingsOf(options: ServeOptions): Promise<ReturnType<typeof resolveSettings>> {
  try {
    return resolveSettings({
      flags: flagsOf(options),
      environment: process.env,
      file: options.settings,
    });
  } catch (error) {
    if (error instanceof SettingsError) await throwSettingsFaults(error);
    throw error;
  }
}

const present = (texts: readonly (string | undefined)[]): readonly string[] =>
  texts.filter((text) => text !== undefined && text !== "") as readonly string[];

function taken(name: string): string | undefined {
  const value = process.env[name];
  delete process.env[name];
  return value === "" ? undefined : value;
}

/** Options whose settings have another name. */
const NAMES: Readonly<Record<string, string>> = {
  tlsCert: "tls.cert",
  tlsKey: "tls.key",
  allowPlainHttp: "allow_plain_http",
  allowNoOperator: "allow_no_operator",
  allowRoot: "tools.allow_root",
};

function flagsOf({
  settings: _,
  printConfig: __,
  json: ___,
  ...options
}: ServeOptions): Readonly<Record<string, string | readonly string[]>> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [
      NAMES[name] ?? name,
      typeof value === "object" ? value : String(value),
    ]),
  );
}

/** Waits for a signal to end. A second signal ends the process at once. */
function untilSignal(log: Log): Promise<void> {
  return new Promise((done) => {
    let ending = false;
    const end = (signal: NodeJS.Signals): void => {
      if (ending) {
        conclude(2);
        process.exit();
      }
      ending = true;
      log.info({ signal }, "the server ends");
      done();
    };
    process.on("SIGTERM", end).on("SIGINT", end);
  });
}
