import {
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import type { JsonObject, LogEvent } from "@bylaw/kernel";
import { expect } from "vitest";
import { createMemoryStore } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { isRoot, NOBODY } from "@bylaw/process";
import { defineTool, type CallContext, type Tool } from "@bylaw/tools";
import { temporaryFolder } from "@bylaw/testing";
import { z } from "zod";
import {
  createOrchestrator,
  type Orchestrator,
  type OrchestratorOptions,
  type SettingsInput,
} from "../src/index.ts";

export const ENROL = "the-secret-that-agents-enrol-with-here";
export const OPERATOR = "the-token-of-the-operator-of-this-server";
const START = Date.parse("2026-01-02T10:00:00.000Z");

const CONTRACT = readFileSync(join(import.meta.dirname, "fixtures/kit-contract.yaml"), "utf8");

/** An answer that was read. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, never>> & JsonObject;
}

/** The number of runs of each tool, by name. */
type Runs = Map<string, number>;

/** A server without a socket, in memory, with a clock that the test moves. */
export interface Served extends Orchestrator {
  readonly store: Store;
  readonly runs: Runs;
  readonly workspace: string;
  /** Ends the tool `slow`. */
  readonly finish: () => void;
  pass(ms: number): void;
  ask(
    method: string,
    path: string,
    authorization?: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  get(
    path: string,
    authorization?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  post(
    path: string,
    authorization: string | undefined,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** Creates a task and lets an agent claim it. Returns the agent's Authorization header and the task. */
  agent(name: string, task?: string): Promise<Agent>;
  events(...types: readonly string[]): Promise<readonly LogEvent[]>;
}

/** An agent with a task. */
export interface Agent {
  readonly auth: string;
  readonly token: string;
  readonly task: string;
}

/** The expected answer of a refused request. */
export const problemOf = (status: number, code: string) => ({ status, body: { code } });
/** Expects that a request fails with a problem. */
export const fails = async (
  answer: Promise<object>,
  ...problem: Parameters<typeof problemOf>
): Promise<void> => expect(await answer).toMatchObject(problemOf(...problem));

export const asOperator = `Bearer ${OPERATOR}`;
export const asNewcomer = `Bylaw-Enrol ${ENROL}`;

/** The options that matter, with test defaults for the rest. */
export interface ServeOptions extends Omit<OrchestratorOptions, "settings"> {
  readonly settings?: SettingsInput;
  readonly policy?: string;
}

/** If root runs the tests, gives a workspace to the user that runs programs of agents. */
export function give(workspace: string): void {
  if (!isRoot() || !existsSync(workspace)) return;
  const { uid, gid } = NOBODY;
  const isFolder = lstatSync(workspace).isDirectory();
  const inside = isFolder ? readdirSync(workspace, { recursive: true, encoding: "utf8" }) : [];
  // Follows no link, so nothing outside changes its owner.
  for (const path of ["", ...inside]) lchownSync(join(workspace, path), uid, gid);
}

/** Starts a server. Another one with the same folder and store is another node. */
export async function serve(
  { settings, policy, ...options }: ServeOptions = {},
  given?: string,
): Promise<Served> {
  const folder = given ?? temporaryFolder();
  let at = START;
  const runs: Runs = new Map();
  let finish = (): void => {};
  const released = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const workspace = join(folder, "work");
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(folder, "contract.yaml"), CONTRACT);
  if (policy !== undefined) writeFileSync(join(folder, "policy.toml"), policy);
  // A workspace elsewhere, such as a home folder, must keep its owner.
  const chosen = resolve(settings?.workspace ?? workspace);
  if (`${chosen}/`.startsWith(`${folder}/`)) give(chosen);
  const store = options.store ?? createMemoryStore({ now: () => at });
  const orchestrator = await createOrchestrator({
    secrets: { enrol: ENROL, operator: OPERATOR },
    now: () => new Date(at).toISOString(),
    tools: tools(runs, released),
    ...options,
    store,
    settings: {
      contract: join(folder, "contract.yaml"),
      data: join(folder, "data"),
      workspace,
      port: 0,
      ...(policy === undefined ? {} : { policy: [join(folder, "policy.toml")] }),
      ...settings,
    },
  });
  const { app, service } = orchestrator;
  const served: Served = {
    ...orchestrator,
    store,
    runs,
    workspace,
    finish,
    pass(ms) {
      at += ms;
    },
    async ask(method, path, authorization, body, headers = {}) {
      const given =
        body === undefined || typeof body === "string" || body instanceof Uint8Array
          ? body
          : JSON.stringify(body);
      const response = await app.request(`/api/v1${path}`, {
        method,
        headers: {
          ...(authorization === undefined ? {} : { authorization }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(given === undefined ? {} : { body: given }),
      });
      return {
        status: response.status,
        headers: response.headers,
        body: JSON.parse(await response.text()) as Answer["body"],
      };
    },
    get: (path, authorization, headers) =>
      served.ask("GET", path, authorization, undefined, headers),
    post: (path, authorization, body, headers) =>
      served.ask("POST", path, authorization, body, headers),
    async agent(name, task = `of-${name}`) {
      await served.post("/tasks", asOperator, { id: task });
      const claim = { agent_id: name, task_id: task };
      const { body } = await served.post("/tasks/claim", asNewcomer, claim);
      const token = String(body["phase_token"]);
      return { auth: `Bearer ${token}`, token, task };
    },
    async events(...types) {
      const all = await store.events(service.run.run, 0, 10_000);
      return types.length === 0 ? all : all.filter(({ event_type }) => types.includes(event_type));
    },
  };
  return served;
}

function tools(runs: Runs, released: Promise<void>): readonly Tool<CallContext>[] {
  const path = z.object({ path: z.string() });
  const ran = (name: string): void => void runs.set(name, (runs.get(name) ?? 0) + 1);
  return [
    defineTool({
      name: "read_files",
      description: "Reads a file",
      input: path,
      annotations: { readOnlyHint: true },
      run: ({ path: file }, { workspace }) => {
        ran("read_files");
        return { content: `${file} in ${workspace ?? "nothing"}` };
      },
    }),
    defineTool({
      name: "note",
      description: "Records that it ran",
      input: path,
      run: () => (ran("note"), { count: runs.get("note") ?? 0 }),
    }),
    defineTool({
      name: "slow",
      description: "Waits",
      input: path,
      run: async () => (ran("slow"), await released, { done: true }),
    }),
    defineTool({
      name: "broken",
      description: "Fails",
      input: path,
      run: () => {
        throw new Error("There is a fire");
      },
    }),
    defineTool({
      name: "write_files",
      description: "Writes a file",
      input: path,
      run: () => (ran("write_files"), { written: true }),
    }),
  ];
}
