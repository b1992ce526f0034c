import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { isJsonObject, type Json, type JsonObject, type Kernel } from "@bylaw/kernel";
import { onTestFinished } from "vitest";
import { ToolPins, runProxy, type McpServer, type ProxyJudge } from "../src/proxy/index.ts";

const HOSTILE = fileURLToPath(new URL("hostile-server.ts", import.meta.url));

export interface Setup {
  readonly kernel: Kernel;
  readonly mode?: string;
  /** The capabilities of the client. */
  readonly capabilities?: JsonObject;
  readonly limit?: number;
  readonly home?: string;
  readonly acceptedOnly?: boolean;
  readonly hides?: ProxyJudge["hides"];
  readonly server?: McpServer;
  /** Whether to skip the handshake of a client. */
  readonly raw?: boolean;
}

export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "bylaw-proxy-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A proxy in front of the hostile server, with both ends of it. */
export async function openProxy({
  kernel,
  mode = "",
  capabilities = {},
  limit = 50_000,
  home = scratch(),
  hides = () => false,
  acceptedOnly = false,
  server,
  raw = false,
}: Setup) {
  const log = join(home, "received.jsonl");
  writeFileSync(log, "");
  const input = new PassThrough();
  const told: JsonObject[] = [];
  const notices: string[] = [];
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const all = waiting;
    waiting = [];
    for (const resolve of all) resolve();
  };
  const answers: ("approved" | "rejected")[] = [];
  const judge: ProxyJudge = {
    decide: (call) => kernel.decide(call),
    hides,
    record: async (call) => ({
      decision: await kernel.decide(call),
      answer_with: "`bylaw approve yes 1234`",
      answer: async (verdict) => {
        answers.push(verdict);
        const expires_at = new Date(Date.now() + 60_000).toISOString();
        return verdict === "approved"
          ? await kernel.decide({ ...call, at: new Date().toISOString() }, undefined, {
              sequence: 1,
              by: "ada",
              expires_at,
            })
          : await kernel.decide(call);
      },
    }),
  };
  const program = {
    command: [process.execPath, HOSTILE, mode, log],
    cwd: home,
    env: { PATH: process.env["PATH"] ?? "" },
  };
  const ended = runProxy(
    {
      input,
      write(text) {
        told.push(JSON.parse(text) as JsonObject);
        wake();
        return undefined;
      },
    },
    server ?? program,
    {
      place: { server: "files", session: "s1", cwd: home, home },
      pins: new ToolPins(join(home, "pins.json")),
      notice: (text) => void notices.push(text),
      ...{ judge, limit, acceptedOnly },
    },
  );
  onTestFinished(async () => {
    input.end();
    await ended.catch(() => {});
  });
  const write = (message: JsonObject | string): void =>
    void input.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  /** Waits for the first message that matches and was not taken before. */
  const take = async (fits: (message: JsonObject) => boolean): Promise<JsonObject> => {
    for (;;) {
      const at = told.findIndex(fits);
      if (at >= 0) return told.splice(at, 1)[0] ?? {};
      await new Promise<void>((resolve) => void waiting.push(resolve));
    }
  };
  let count = 100;
  const ask = async (method: string, params: JsonObject = {}): Promise<JsonObject> => {
    count += 1;
    const id = count;
    write({ jsonrpc: "2.0", id, method, params });
    return await take((message) => message["id"] === id && message["method"] === undefined);
  };
  const proxy = {
    write,
    take,
    ask,
    told,
    notices,
    answers,
    ended,
    home,
    end: () => void input.end(),
    call: (name: string, args: JsonObject = {}) => ask("tools/call", { name, arguments: args }),
    names: async () => namesIn(await ask("tools/list")),
    /** The lines that reached the server, after everything sent before has. */
    received: async (): Promise<readonly string[]> => {
      await ask("ping");
      return readFileSync(log, "utf8").split("\n").filter(Boolean);
    },
  };
  if (!raw) {
    const clientInfo = { name: "test", version: "1" };
    await ask("initialize", { protocolVersion: "2025-06-18", capabilities, clientInfo });
    write({ jsonrpc: "2.0", method: "notifications/initialized" });
  }
  return proxy;
}

const namesIn = ({ result = null }: JsonObject): readonly Json[] => {
  const tools = isJsonObject(result) ? result["tools"] : undefined;
  return Array.isArray(tools)
    ? tools.map((tool: Json) => (isJsonObject(tool) ? (tool["name"] ?? null) : null))
    : [];
};

/** The text of a tool's answer, with `refused: ` before an error. */
export function textOf({ result = null, error = null }: JsonObject): string {
  if (isJsonObject(error)) return `error: ${String(error["message"])}`;
  const { content = [], isError = false } = result as Partial<JsonObject>;
  const [first = null] = content as readonly Json[];
  const text = isJsonObject(first) ? String(first["text"]) : "";
  return isError === true ? `refused: ${text}` : text;
}
