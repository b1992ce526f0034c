import { execFile, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "@bylaw/testing";

const run = promisify(execFile);

/** A registry on the loopback that accepts our packages and passes on all others from the machine's registry. */
export interface Registry {
  readonly url: string;
  /** Environment variables with which npm publishes to it and installs from it. */
  readonly env: NodeJS.ProcessEnv;
  readonly stop: () => Promise<void>;
}

export async function startRegistry(): Promise<Registry> {
  const folder = mkdtempSync(join(tmpdir(), "bylaw-registry-"));
  cpSync(join(import.meta.dirname, "registry"), folder, { recursive: true });
  await run("npm", ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit"], { cwd: folder });
  const upstream = (await run("npm", ["config", "get", "registry"])).stdout.trim();
  writeFileSync(join(folder, "config.yaml"), configOf(upstream));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const program = join(folder, "node_modules/verdaccio/bin/verdaccio");
  const server = spawn(
    process.execPath,
    [program, "--config", "config.yaml", "--listen", `127.0.0.1:${port}`],
    { cwd: folder, stdio: "ignore" },
  );
  const ended = new Promise((resolve) => server.once("exit", resolve));
  while (!(await answers(`${url}-/ping`))) {
    if (server.exitCode !== null) throw new Error("The registry did not start");
    await sleep(50);
  }
  // A separate home, so that npm reads and writes nothing of this machine but its cache.
  const home = join(folder, "home");
  mkdirSync(home);
  writeFileSync(
    join(home, ".npmrc"),
    `registry=${url}\n//127.0.0.1:${port}/:_authToken=${await tokenOf(url)}\n`,
  );
  return {
    url,
    env: {
      ...process.env,
      npm_config_userconfig: join(home, ".npmrc"),
      npm_config_registry: url,
      npm_config_cache: join(folder, "cache"),
    },
    async stop() {
      server.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const configOf = (upstream: string): string => `
storage: ./storage
# The password is checked with each request, which takes 50 ms with the rounds that are the default.
auth: { htpasswd: { file: ./htpasswd, max_users: 1, algorithm: bcrypt, rounds: 4 } }
packages:
  '@bylaw/*': { access: $all, publish: $authenticated }
  '@acme/*': { access: $all, publish: $authenticated }
  'create-bylaw': { access: $all, publish: $authenticated }
  '**': { access: $all, proxy: upstream }
# A registry that is slow once must not be given up for minutes, which is the default after two failures.
uplinks: { upstream: { url: ${JSON.stringify(upstream)}, timeout: 60s, max_fails: 100 } }
web: { enable: false }
middlewares: { audit: { enabled: false } }
max_body_size: 50mb
log: { type: stdout, format: json, level: error }
`;

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

async function tokenOf(registry: string): Promise<string> {
  const answer = await fetch(`${registry}-/user/org.couchdb.user:publisher`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "publisher", password: "only for this registry" }),
  });
  const { token } = (await answer.json()) as { readonly token?: string };
  if (token === undefined) throw new Error(`The registry gave no token (${answer.status})`);
  return token;
}
