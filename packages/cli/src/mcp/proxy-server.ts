import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { findConfig } from "@bylaw/config";
import {
  listenProxy,
  runProxy,
  type ProxyClient,
  type ProxyJudge,
  type ToolChange,
} from "@bylaw/host-mcp/proxy";
import { messageOf, omitUndefined } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { loadKernelFor } from "../decide/kernel-source.ts";
import { conclude } from "../io/exit-code.ts";
import { write } from "../io/output.ts";
import { usageError } from "../io/report-error.ts";
import { plain } from "../io/text.ts";
import { storePlace, withStore } from "../log/open-store.ts";
import { kernelOf } from "../run/run-kernel.ts";
import { checkRun } from "../run/store-folder.ts";
import { acceptTools } from "./accept-tools.ts";
import { checkJoin } from "./may-join.ts";
import { looseJudge, recordChange, runJudge, type ProxyRecords } from "./proxy-judge.ts";
import type { NamedServer } from "./server-options.ts";

/** The run and the agent for which a proxy judges. */
interface ProxyOptions {
  readonly store?: string;
  readonly run?: string;
  readonly agent?: string;
  readonly task?: string;
  readonly config?: string;
  readonly acceptTools?: boolean;
  readonly create?: boolean;
}

/** Runs a proxy in front of an MCP server until the client disconnects or the server ends. */
export async function proxyServer(
  named: NamedServer,
  options: ProxyOptions,
  token: string | undefined,
): Promise<void> {
  const { store, run: name, create = false } = options;
  if ((store === undefined) !== (name === undefined))
    throw usageError("`--store` and `--run` must be given together");
  const config =
    options.config === undefined ? await findConfig(process.cwd()) : resolve(options.config);
  if (options.acceptTools === true) {
    await acceptTools(named, config, token);
    return conclude(0);
  }
  if (store === undefined || name === undefined) {
    if (options.task !== undefined)
      throw usageError("`--task` needs the run that it belongs to", "Add `--store` and `--run`");
    const folder = join(dirname(config), ".bylaw");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const kernel = await loadKernelFor({ config });
    const records = { kernel, config, store: join(folder, "store.db"), run: `mcp-${named.name}` };
    return await relay(named, options, looseJudge(records), records);
  }
  const place = storePlace(store);
  await checkRun(place, name, create);
  const { kernel } = await kernelOf(undefined, config);
  await withStore(place, { create }, async (opened) => {
    const run = await openRun(kernel, { run: name, store: opened, join: true });
    try {
      checkJoin(run, config, token);
      const records = { kernel, config, store, run: name };
      await relay(named, options, runJudge(records, run), records);
    } finally {
      await run.close();
    }
  });
}

async function relay(
  { name, server, limit, pins, acceptedOnly, listen }: NamedServer,
  { agent, task }: ProxyOptions,
  judge: ProxyJudge,
  records: ProxyRecords,
): Promise<void> {
  const notice = (text: string): void => void process.stderr.write(`bylaw mcp: ${plain(text)}\n`);
  const who = {
    server: name,
    cwd: process.cwd(),
    home: homedir(),
    ...omitUndefined({ agent, task }),
  };
  // One after the other, and all of them before the run is closed.
  let changes = Promise.resolve();
  const toolChanged = (change: ToolChange): void => {
    changes = changes
      .then(() => recordChange(records, name, change))
      .catch((error: unknown) => notice(`The change was not recorded: ${messageOf(error)}`));
  };
  const serve = async (client: ProxyClient): Promise<string | undefined> => {
    const ended = await runProxy(client, server, {
      place: { ...who, session: randomUUID() },
      toolChanged,
      ...{ judge, pins, acceptedOnly, limit, notice },
    });
    await changes;
    return ended;
  };
  if (listen !== undefined) {
    const { url, close } = await listenProxy({ ...listen, limit, serve, notice });
    notice(`Listening on ${url}`);
    await stopped();
    await close();
    return conclude(0);
  }
  const ended = await serve({ input: process.stdin, write });
  if (ended !== undefined) notice(`The server ${ended}`);
  conclude(ended === undefined ? 0 : 1);
}

const stopped = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
