import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { freePort, temporaryFolder } from "@bylaw/testing";

/** A Restate for tests, with a load balancer in front of its workers. */
export interface RestateServer {
  readonly ingress: string;
  readonly admin: string;
  /** The address at which Restate finds the workers. Each call goes to one that answers. */
  readonly address: string;
  /** The ports of the workers. */
  readonly workers: Set<number>;
  /** Kills it with SIGKILL, and starts it again on its data. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a Restate on 127.0.0.1. Returns `undefined`, with a message, if the package of this platform is not installed. */
export async function startRestate(): Promise<RestateServer | undefined> {
  const binary = findBinary();
  if (binary === undefined) {
    console.error("SKIPPED: no Restate. Install @restatedev/restate-server-linux-x64.");
    return undefined;
  }
  const folder = temporaryFolder();
  const [ingress, admin, node] = [await freePort(), await freePort(), await freePort()];
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    RESTATE_DISABLE_TELEMETRY: "true",
    DO_NOT_TRACK: "1",
    RESTATE_LISTEN_MODE: "tcp",
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
    RESTATE_DEFAULT_NUM_PARTITIONS: "2",
    RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "256 MiB",
    RESTATE_ADMIN__DISABLE_WEB_UI: "true",
  };
  const log = join(folder, "server.log");
  const launch = async (): Promise<ChildProcess> => {
    const output = openSync(log, "a");
    const child = spawn(binary, ["--base-dir", join(folder, "data"), "--node-name", "n1"], {
      ...{ cwd: folder, env, stdio: ["ignore", output, output] },
    });
    closeSync(output);
    await healthy(child, `http://127.0.0.1:${ingress}/restate/health`, log);
    return child;
  };
  let server = await launch();
  const workers = new Set<number>();
  const balancer = await balance(workers);
  return {
    ingress: `http://127.0.0.1:${ingress}`,
    admin: `http://127.0.0.1:${admin}`,
    address: `http://127.0.0.1:${balancer.port}`,
    workers,
    async crash() {
      await end(server, "SIGKILL");
      server = await launch();
    },
    async stop() {
      await balancer.close();
      await end(server, "SIGKILL");
    },
  };
}

function findBinary(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(
      "@restatedev/restate-server-linux-x64/package.json",
    );
    const binary = join(dirname(manifest), "bin/restate-server");
    return process.platform === "linux" && process.arch === "x64" && existsSync(binary)
      ? binary
      : undefined;
  } catch {
    return undefined;
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}

async function healthy(child: ChildProcess, url: string, log: string): Promise<void> {
  while (child.exitCode === null) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Unexpected end of Restate: ${readFileSync(log, "utf8").slice(-2_000)}`);
}

/** Connects each client to one of the workers. */
async function balance(
  workers: ReadonlySet<number>,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  };
  let turn = 0;
  const server = createServer((front) => {
    keep(front);
    const ports = [...workers];
    const tryNext = (left: number): void => {
      if (left === 0) return void front.destroy();
      turn += 1;
      const back = keep(connect(ports[turn % ports.length] ?? 0, "127.0.0.1"));
      let open = false;
      back.once("connect", () => {
        open = true;
        front.pipe(back).pipe(front);
        front.once("close", () => back.destroy());
      });
      back.once("close", () => (open ? front.destroy() : tryNext(left - 1)));
    };
    tryNext(ports.length);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const gone = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await gone;
    },
  };
}
