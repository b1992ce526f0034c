import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  createLog,
  createOrchestrator,
  resolveSettings,
  shownConfig,
  type Log,
  type Orchestrator,
} from "@bylaw/orchestrator";
import { takeToken } from "../approve/authority.ts";
import { bundled } from "../decide/kernel-source.ts";
import { storePlace, withStore } from "../log/open-store.ts";
import { conclude, whileLoading } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { STORE_TEXT } from "../command-line/shared-options.ts";

const OPTIONS = [
  ["--host <address>", "the address to listen on (default: 127.0.0.1)"],
  ["--port <number>", "the port; 0 picks a free one (default: 8000)"],
  [
    "--contract <file>",
    "the contract (default: agent_workflow.yaml, or that of the configuration)",
    { path: true },
  ],
  [
    "--data <dir>",
    "the folder of the store and of secrets made on first start (default: .bylaw)",
    { path: true },
  ],
  ["--store <url>", `the store that holds the run: ${STORE_TEXT} (default: store.db in --data)`],
  ["--run <name>", "the name of the run; servers that share it share their tasks (default: main)"],
  [
    "--workspace <dir>",
    "the folder that agents work in; the server runs nothing from it (default: work)",
    { path: true },
  ],
  ["--config <file>", "a bylaw.config.* whose plugins replace the default ones", { path: true }],
  [
    "--policy <file...>",
    "policy files of the operator, beside the default plugins",
    { path: true },
  ],
  ["--settings <file>", "a settings file (default: bylaw.serve.json, if any)", { path: true }],
  ["--tls-cert <file>", "the certificate chain in PEM, to serve HTTPS", { path: true }],
  ["--tls-key <file>", "its private key in PEM", { path: true }],
  [
    "--consensus",
    "let agents answer and vote: judge their responses, and record what they agree on",
  ],
  ["--allow-root", "start as root even if programs of agents then run as root"],
  [
    "--allow-plain-http",
    "allow other machines to connect without TLS, such as behind a proxy that does TLS",
  ],
  ["--allow-no-operator", "allow other machines to connect although there is no operator"],
  ["--print-config", "print every setting, its origin and where the secrets are, then exit"],
  ["--json", "print the address as JSON"],
] as const satisfies readonly OptionSpec[];
type ServeOptions = OptionsOf<typeof OPTIONS>;

export const command: CommandSpec = {
  options: OPTIONS,
  help: `
A setting comes from its option, else from its variable (BYLAW_PORT), else from the settings file.
Secrets come from BYLAW_JWT_SECRET (tokens), BYLAW_ENROL_SECRET (agents) and BYLAW_OPERATOR_TOKEN (operators), or from files.
Exit code: 0 stopped by a signal, or the settings were printed; 2 could not start, or was stopped by a second signal.

Examples:
  $ bylaw serve --print-config
  $ bylaw serve --port 8443 --workspace ../my-project --run release-7 --print-config`,
  run: serve,
};

/** Serves until a signal ends it. */
async function serve(options: ServeOptions): Promise<void> {
  const resolved = resolveSettings({
    flags: flagsOf(options),
    environment: process.env,
    file: options.settings,
  });
  const { settings } = resolved;
  if (options.printConfig === true) {
    await write(`${JSON.stringify(shownConfig(resolved, process.env), undefined, 2)}\n`);
    return conclude(0);
  }
  // Before any code of a configuration runs, and for no program that a tool starts.
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

const present = (texts: readonly (string | undefined)[]): readonly string[] =>
  texts.filter((text) => text !== undefined && text !== "") as readonly string[];

function taken(name: string): string | undefined {
  const value = process.env[name];
  delete process.env[name];
  return value === "" ? undefined : value;
}

function flagsOf({
  tlsCert,
  tlsKey,
  policy,
  ...options
}: ServeOptions): Readonly<Record<string, string | readonly string[]>> {
  const {
    host,
    port,
    contract,
    data,
    store,
    run,
    workspace,
    config,
    allowPlainHttp,
    allowNoOperator,
    allowRoot,
    consensus,
  } = options;
  const allowed = {
    consensus,
    allow_plain_http: allowPlainHttp,
    allow_no_operator: allowNoOperator,
    "tools.allow_root": allowRoot,
  };
  const flags = {
    ...{
      host,
      port,
      contract,
      data,
      store,
      run,
      workspace,
      config,
      policy,
      "tls.cert": tlsCert,
      "tls.key": tlsKey,
    },
    ...Object.fromEntries(
      Object.entries(allowed).map(([name, value]) => [name, value?.toString()]),
    ),
  };
  return Object.fromEntries(
    Object.entries(flags).filter(([, value]) => value !== undefined),
  ) as Record<string, string | readonly string[]>;
}

/** Waits for the first signal that ends a server; a second one ends it at once. */
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
