import { omitUndefined } from "@bylaw/kernel";
import { projectAllowing } from "../ui/allowing.ts";
import { uiApp } from "../ui/app.ts";
import { createLogin } from "../ui/login.ts";
import { uiOperator, type UiOperator } from "../ui/operator.ts";
import { UiReplay } from "../ui/replay.ts";
import { serveUi } from "../ui/serve-ui.ts";
import { WatchedRuns } from "../ui/watched-run.ts";
import { takeToken } from "../approve/authority.ts";
import { withReader, type StorePlace } from "../log/open-store.ts";
import { storeOrProject } from "../log/project-store.ts";
import { conclude } from "../io/exit-code.ts";
import { usageError } from "../io/report-error.ts";
import { jsonLine, write } from "../io/output.ts";
import { plain } from "../io/text.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { REPLAYED_OPTIONS, STORE_OPTION, VERSION_TEXT } from "../command-line/shared-options.ts";

const OPTIONS = [
  STORE_OPTION,
  [
    "--operator <name>",
    "let this operator of .bylaw/operators.json answer questions, after a sign-in with their token",
  ],
  [
    "--a <version>",
    `replay the recorded runs under this version and that of --b: ${VERSION_TEXT}`,
    { path: true },
  ],
  ["--b <version>", "the other version", { path: true }],
  ...REPLAYED_OPTIONS,
  ["--port <number>", "the port on 127.0.0.1 (default: a free one)", { least: 0 }],
  ["--json", "print the address as JSON"],
] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  options: OPTIONS,
  help: `
Only this machine can reach the page. The address has a code that signs in one browser tab, once, for reading.
With --operator, the page asks for the token of that operator instead.
With --a and --b, the experiments show what \`bylaw experiment replay\` prints, over the runs of the store at the start.
--run and --since only limit that replay. The page shows all runs.
Exit code: 0 stopped by a signal; 2 usage error, or a store or version that cannot be used.

Examples:
  $ bylaw ui
  $ bylaw ui --operator ada
  $ bylaw ui --a .bylaw/policy.toml --b candidate.toml
  $ bylaw ui --a .bylaw/policy.toml --b candidate.toml --since 7d
  $ bylaw ui --store runs.db --port 8100`,
  run: ui,
};

type UiOptions = OptionsOf<typeof OPTIONS>;

/** Serves the page of a store until a signal ends it. */
async function ui(options: UiOptions): Promise<void> {
  const { store, operator: name, port = 0, json = false } = options;
  // An operator types the token into the page. No program that this one starts may have it.
  takeToken();
  const place = storeOrProject(store);
  const operator = name === undefined ? undefined : await uiOperator(name, store);
  await withReplay(options, place, (replay) =>
    withReader(place, async (opened) => {
      const code = createLogin();
      const login = operator?.login ?? code;
      const runs = new WatchedRuns(opened, operator?.project);
      const closing = new AbortController();
      let bound = port;
      const hosts = (): readonly string[] => [`127.0.0.1:${bound}`, `localhost:${bound}`];
      const app = uiApp({
        ...{ store: opened, runs, login, operator, replay, hosts },
        ...{ allowing: projectAllowing, closing: closing.signal },
      });
      const server = await serveUi(app, port);
      bound = server.port;
      // After `#`, because browsers send that part of an address to nobody. Anyone who finds it can only read.
      const hash = operator === undefined ? `#login=${code.code}` : "";
      const url = `http://127.0.0.1:${bound}/ui${hash}`;
      const started = { url, store: place.shown, pid: process.pid };
      await write(
        json
          ? jsonLine(started)
          : `Open ${url}\nIt shows ${place.shown}${usedBy(operator)}. Ctrl+C ends it.\n`,
      );
      await new Promise<void>((resolve) => {
        process.once("SIGINT", () => resolve()).once("SIGTERM", () => resolve());
      });
      closing.abort();
      await runs.close();
      await server.close();
    }),
  );
  conclude(0);
}

/** Runs `work` beside a replay of the versions that the options name, if they do. */
async function withReplay(
  { a, b, run, since }: UiOptions,
  store: StorePlace,
  work: (replay: UiReplay | undefined) => Promise<void>,
): Promise<void> {
  if ([a, b, run, since].every((given) => given === undefined)) return await work(undefined);
  if (a === undefined || b === undefined)
    throw a === b
      ? usageError("`--run` and `--since` need `--a` and `--b`", "Name two versions to replay")
      : usageError("`--a` and `--b` are needed together", "Name both versions");
  const replay = new UiReplay({ a, b, store, ...omitUndefined({ run, since }) });
  try {
    await replay.loaded();
    await work(replay);
  } finally {
    await replay.close();
  }
}

const usedBy = (operator: UiOperator | undefined): string =>
  operator === undefined
    ? ", for reading"
    : `. Sign in with the token of ${plain(operator.name)} to answer its questions`;
