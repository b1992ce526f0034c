import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";

/** A registry on the loopback that accepts our packages and redirects requests for all others to the machine's registry. */
export interface Registry {
  readonly url: string;
  /** Environment variables with which npm publishes to it and installs from it. */
  readonly env: NodeJS.ProcessEnv;
  readonly stop: () => Promise<void>;
}

/** What npm reads of a package before it installs it. */
interface Packument {
  readonly "dist-tags": Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, object>>;
}

/** What npm sends when it publishes. The tarballs are by their file names, in base64. */
interface Upload extends Packument {
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
}

const TOKEN = "only-for-this-registry";

// Packages that only this registry has. The machine's registry must not answer for them.
const OURS = /^(@bylaw\/|@acme\/|create-bylaw(\/|$))/;

export async function startRegistry(): Promise<Registry> {
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const answer = registryOver(upstream);
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  // A separate home, so that npm reads and writes nothing of this machine.
  const home = mkdtempSync(join(tmpdir(), "bylaw-registry-"));
  const userconfig = join(home, ".npmrc");
  writeFileSync(userconfig, `registry=${url}\n//127.0.0.1:${port}/:_authToken=${TOKEN}\n`);
  return {
    url,
    env: {
      ...process.env,
      npm_config_userconfig: userconfig,
      npm_config_registry: url,
      npm_config_cache: join(home, "cache"),
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Answers npm's requests. Everything is kept in memory. */
function registryOver(upstream: string) {
  const packages = new Map<string, Packument>();
  const tarballs = new Map<string, Uint8Array>();

  function publish(name: string, { _attachments, ...sent }: Upload): number {
    const known = packages.get(name) ?? { "dist-tags": {}, versions: {} };
    if (Object.keys(sent.versions).some((version) => version in known.versions)) return 409;
    packages.set(name, {
      ...sent,
      "dist-tags": { ...known["dist-tags"], ...sent["dist-tags"] },
      versions: { ...known.versions, ...sent.versions },
    });
    for (const [file, { data }] of Object.entries(_attachments))
      tarballs.set(`${name}/-/${file}`, Buffer.from(data, "base64"));
    return 201;
  }

  return async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ""] = (request.url ?? "/").slice(1).split("?");
    const name = decodeURIComponent(path);
    const end = (status: number, body: object = {}): void =>
      void response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify(body));
    if (request.method === "PUT") {
      const isPublisher = request.headers.authorization === `Bearer ${TOKEN}`;
      return end(isPublisher ? publish(name, (await json(request)) as Upload) : 401);
    }
    const tarball = tarballs.get(name);
    if (tarball !== undefined) return void response.end(tarball);
    const found = packages.get(name);
    if (found !== undefined) return end(200, found);
    if (OURS.test(name)) return end(404, { error: "not found" });
    response.writeHead(302, { location: new URL(path, upstream).href }).end();
  };
}
