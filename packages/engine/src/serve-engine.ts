import { timingSafeEqual } from "node:crypto";
import { existsSync, mkdirSync, unlinkSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { homedir } from "node:os";
import {
  EVENT_LIMIT_BYTES,
  STATUS_UNANSWERED,
  engineFolderFault,
  type EnginePlace,
  type HookAnswer,
} from "@bylaw/hook-client";
import { BylawError } from "@bylaw/kernel";
import { Configuration } from "./configuration.ts";
import type { EngineStatus } from "./engine-status.ts";
import { bodyOf, hookRequest, type RequestBody } from "./hook-request.ts";
import { listen, socketIdentity } from "./listen.ts";
import { readKeys, type EngineKeys } from "./read-keys.ts";
import { signatureOf } from "./signature.ts";

/** The options of an engine. */
export interface EngineOptions {
  readonly place: EnginePlace;
  readonly version: string;
  /** Absolute path of the program that serves. The engine ends when the file changes. */
  readonly bin: string;
  /** The file that runs in a thread for each configuration. It calls `answerInThread`. */
  readonly program: URL;
  /** Milliseconds without an event after which the engine ends. */
  readonly idle: number;
  /** Receives messages for a person. */
  readonly note: (text: string) => void;
}

/** The most configurations to keep loaded. A further one replaces the least recently used one. */
const MAX_CONFIGURATIONS = 6;
const LOOK_MS = 1_000;
const FIELDS_BYTES = 65_536;

/**
 * Serves hooks until the engine is idle, is replaced or gets SIGTERM. Returns false if another engine already serves this place.
 * Throws BYLAW_ENGINE_UNSAFE for a folder that others may use, and the errors of listening.
 */
export async function serveEngine(options: EngineOptions): Promise<boolean> {
  const { folder } = options.place;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fault = engineFolderFault(folder);
  if (fault !== undefined)
    throw new BylawError({
      code: "BYLAW_ENGINE_UNSAFE",
      message: fault,
      fix: `Remove the folder, or close it to others: \`chmod 700 ${folder}\``,
    });
  const engine = new Engine(options, readKeys(options.place));
  if (!(await engine.listen())) return false;
  await engine.ended;
  return true;
}

class Engine {
  /**
   * Resolves when the engine has nothing left to do. The process then ends without closing the server, because closing would remove
   * the socket even if it already belongs to another engine.
   */
  readonly ended: Promise<void>;
  readonly #options: EngineOptions;
  readonly #keys: EngineKeys;
  readonly #server: Server;
  readonly #configurations = new Map<string, Configuration>();
  readonly #files: string;
  readonly #startedAt = new Date();
  #socket: string | undefined;
  #usedAt = Date.now();
  #open = 0;
  #ending = false;
  #end: () => void = () => {};

  constructor(options: EngineOptions, keys: EngineKeys) {
    this.#options = options;
    this.#keys = keys;
    this.#files = this.#filesNow();
    this.ended = new Promise((resolve) => (this.#end = resolve));
    this.#server = createServer((request, response) => {
      this.#open += 1;
      response.once("close", () => {
        this.#open -= 1;
        if (this.#ending) this.#finish();
      });
      this.#serve(request, response).catch(() => response.destroy());
    });
    // Silent clients must not keep connections open.
    this.#server.headersTimeout = 5_000;
    this.#server.requestTimeout = 15_000;
    this.#server.maxConnections = 256;
  }

  async listen(): Promise<boolean> {
    const { place, note, version } = this.#options;
    if (!(await listen(this.#server, place.socket))) return false;
    this.#socket = socketIdentity(place.socket);
    setInterval(() => this.#look(), LOOK_MS);
    for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => this.#finish());
    note(`Engine ${version} serves on ${place.socket}, process ${process.pid}`);
    return true;
  }

  #filesNow(): string {
    const { bin, place } = this.#options;
    return [bin, place.clientKey, place.engineKey].map(signatureOf).join("/");
  }

  // If the socket or the keys were replaced, no client can reach this engine. If the program was replaced, this version must not
  // answer any more.
  #look(): void {
    const { idle, place } = this.#options;
    const lost = socketIdentity(place.socket) !== this.#socket;
    const old = this.#filesNow() !== this.#files || !existsSync(homedir());
    if (this.#open === 0 && Date.now() - this.#usedAt > idle) this.#ending = true;
    if (lost || old || this.#ending) this.#finish();
  }

  #finish(): void {
    const { place, note } = this.#options;
    this.#ending = true;
    if (process.platform !== "win32" && socketIdentity(place.socket) === this.#socket) {
      this.#socket = "";
      unlinkSync(place.socket);
    }
    if (this.#open > 0) return;
    note(`Engine ends, process ${process.pid}`);
    this.#end();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await read(request);
    const body = bodyOf(bytes);
    const { status, text } = await this.#reply(request.url ?? "", body);
    // Only a client that showed its own key may see the engine's key.
    const proof = status === 401 ? "" : `${this.#keys.engine}\n`;
    const reply = Buffer.from(`${proof}${text}`);
    response.writeHead(status, { "content-length": reply.length }).end(reply);
  }

  async #reply(
    path: string,
    body: RequestBody,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { fields } = body;
    if (!isSame(fields.get("key") ?? "", this.#keys.client)) return { status: 401, text: "" };
    if (path === "/status") return { status: 200, text: JSON.stringify(this.#status) };
    this.#usedAt = Date.now();
    this.#look();
    const request = hookRequest(body);
    if (path !== "/hook" || request === undefined) return { status: 400, text: "" };
    if (this.#ending || !isOwner(fields, this.#options.bin)) return { status: 409, text: "" };
    const answer = await this.#configuration(request.config).answer(request);
    return answer === undefined
      ? { status: STATUS_UNANSWERED, text: "" }
      : {
          status: 200,
          text: fields.get("form") === "sh" ? linesOf(answer) : JSON.stringify(answer),
        };
  }

  #configuration(config: string): Configuration {
    const known = this.#configurations.get(config);
    if (known !== undefined) return known;
    const { program, note } = this.#options;
    const made = new Configuration(config, program, note);
    this.#configurations.set(config, made);
    if (this.#configurations.size > MAX_CONFIGURATIONS) {
      const others = [...this.#configurations].filter(([name]) => name !== config);
      const [oldest] = others.toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
      oldest?.[1].retire();
      if (oldest !== undefined) this.#configurations.delete(oldest[0]);
    }
    return made;
  }

  get #status(): EngineStatus {
    return {
      version: this.#options.version,
      pid: process.pid,
      started_at: this.#startedAt.toISOString(),
      rss_bytes: process.memoryUsage.rss(),
      configurations: [...this.#configurations.values()].map(({ status }) => status),
    };
  }
}

// The engine finds the user's rules by the home of its own process, so the client must have the same one. The name of the socket
// alone is no proof: it is a short hash.
const isOwner = (fields: URLSearchParams, bin: string): boolean =>
  fields.get("bin") === bin &&
  fields.get("home") === homedir() &&
  (fields.get("xdg") ?? "") === (process.env["XDG_CONFIG_HOME"] ?? "");

// Plain lines for a shell client, which cannot read JSON: the exit code, then the output.
const linesOf = ({ stdout, stderr, exit }: HookAnswer): string =>
  `${exit}\n${exit === 0 ? stdout : stderr.trimEnd()}`;

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > EVENT_LIMIT_BYTES + FIELDS_BYTES) throw new Error("The request is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isSame(given: string, key: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(key)];
  return a.length === b.length && timingSafeEqual(a, b);
}
