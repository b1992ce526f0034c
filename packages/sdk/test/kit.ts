import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { AgentClient, type AgentClientOptions } from "../src/index.ts";

/** A received request. */
interface Received {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

/** Answers a request; `undefined` closes the connection. */
export type Handler = (
  request: Received,
  count: number,
) => Reply | undefined | Promise<Reply | undefined>;

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Literal text, instead of JSON. */
  readonly text?: string;
  /** Writes the answer itself. */
  readonly stream?: (response: ServerResponse) => void;
}

export interface Service {
  readonly endpoint: string;
  readonly received: readonly Received[];
}

/** A real server on this machine with the test's answers. Stopped after the test. */
export async function serve(handler: Handler): Promise<Service> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const parts: Uint8Array[] = [];
    request.on("data", (part: Uint8Array) => parts.push(part));
    request.on("end", () => {
      const text = Buffer.concat(parts).toString("utf8");
      const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
      const one: Received = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body,
      };
      received.push(one);
      void Promise.resolve(handler(one, received.length)).then((reply) => {
        if (reply === undefined) return request.socket.destroy();
        const { status = 200, headers = {}, text: raw, stream } = reply;
        response.writeHead(status, {
          "content-type": status >= 400 ? "application/problem+json" : "application/json",
          ...headers,
        });
        if (stream === undefined) return response.end(raw ?? JSON.stringify(reply.body));
        return stream(response);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

export const ENROL = "enrol-secret-that-nobody-may-see";
export const TOKEN = "phase-token-that-nobody-may-see";

/** The answer to a claim. */
export const CLAIM = {
  task: {
    id: "t1",
    agent_id: "ann",
    capabilities: [],
    assigned_phase: "PLAN",
    fence: 1,
    lease_until: "2026-01-02T10:00:00.000Z",
  },
  phase_token: TOKEN,
  phase: "PLAN",
  allowed_tools: ["read_files"],
  contract: { name: "c", version: "1", digest: "sha256:0" },
};

export const problem = (status: number, code: string, more: object = {}): Reply => ({
  status,
  body: {
    type: `#${code}`,
    title: code,
    status,
    detail: `The request failed with ${code}`,
    code,
    ...more,
  },
});

export interface Started {
  readonly client: AgentClient;
  /** The pauses of the client in milliseconds. They take no time. */
  readonly pauses: readonly number[];
}

/** A client that does not wait and uses no random numbers. */
export function start(endpoint: string, options: Partial<AgentClientOptions> = {}): Started {
  const pauses: number[] = [];
  const client = new AgentClient({
    ...{ endpoint, agent_id: "ann", enrol_secret: ENROL, heartbeat: false },
    random: () => 0,
    sleep: (ms, signal) => {
      pauses.push(ms);
      signal?.throwIfAborted();
      return Promise.resolve();
    },
    ...options,
  });
  onTestFinished(() => client.close());
  return { client, pauses };
}

/** The same, with a task. */
export const holding = (endpoint: string, options: Partial<AgentClientOptions> = {}): Started =>
  start(endpoint, { task_id: "t1", phase_token: TOKEN, ...options });

/** The reason with which a promise rejects. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("The call should have been rejected");
}
