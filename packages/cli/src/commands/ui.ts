import { projectAllowing } from "../ui/allowing.ts";
import { uiApp } from "../ui/app.ts";
import { createLogin } from "../ui/login.ts";
import { serveUi } from "../ui/serve-ui.ts";
import { WatchedRuns } from "../ui/watched-run.ts";
import { withReader } from "../log/open-store.ts";
import { storeOrProject } from "../log/project-store.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { STORE_OPTION } from "../command-line/shared-options.ts";

const OPTIONS = [
  STORE_OPTION,
  ["--port <number>", "the port on 127.0.0.1 (default: a free one)", { least: 0 }],
  ["--json", "print the address as JSON"],
] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  options: OPTIONS,
  help: `
Only this machine can reach the page. The address has a code that signs in one browser tab, once.
Exit code: 0 stopped by a signal; 2 usage error, or a store that cannot be used.

Examples:
  $ bylaw ui
  $ bylaw ui --store runs.db --port 8100`,
  run: ui,
};

/** Serves the page of a store until a signal ends it. */
async function ui({ store, port = 0, json = false }: OptionsOf<typeof OPTIONS>): Promise<void> {
  const place = storeOrProject(store);
  await withReader(place, async (opened) => {
    const login = createLogin();
    const runs = new WatchedRuns(opened);
    const closing = new AbortController();
    let bound = port;
    const hosts = (): readonly string[] => [`127.0.0.1:${bound}`, `localhost:${bound}`];
    const app = uiApp({
      ...{ store: opened, runs, login, hosts },
      ...{ allowing: projectAllowing, closing: closing.signal },
    });
    const server = await serveUi(app, port);
    bound = server.port;
    // After `#`, because browsers send that part of an address to nobody.
    const url = `http://127.0.0.1:${bound}/ui#login=${login.code}`;
    const told = { url, store: place.shown, pid: process.pid };
    await write(
      json
        ? jsonLine(told)
        : `Open ${url}\nIt shows ${place.shown}, for reading. Ctrl+C ends it.\n`,
    );
    await new Promise<void>((resolve) => {
      process.once("SIGINT", () => resolve()).once("SIGTERM", () => resolve());
    });
    closing.abort();
    await runs.close();
    await server.close();
  });
  conclude(0);
}
