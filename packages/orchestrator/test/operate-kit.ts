import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bylaw/kernel";
import type { Store } from "@bylaw/store";
import { temporaryFolder } from "@bylaw/testing";
import { createOrchestrator, type Orchestrator, type OrchestratorOptions } from "../src/index.ts";
import { give } from "./kit.ts";

export const ENROL = "enrolment-secret-of-these-tests-long-enough";
export const OPERATOR = "operator-token-of-these-tests-long-enough";

const CONTRACT = readFileSync(
  join(import.meta.dirname, "fixtures/operate-kit-contract.yaml"),
  "utf8",
);

const POLICY = `
[[rules]]
name = "ask-before-the-web"
action = "ask_user"
tool = "web_fetch"
reason = "This goes to the web, so a person must approve it."
`;

const digest = (token: string): string =>
  `sha256:${createHash("sha256").update(token).digest("hex")}`;

/** Operators of the tests, by name, and their tokens. */
export const TOKENS = {
  ada: "ada's-token-of-this-test-is-long-enough",
  bob: "bob's-token-of-this-test-is-long-enough",
  ci: "the-token-of-a-machine-that-is-long-enough",
  ann: "a-token-for-somebody-with-an-agents-name",
} as const;
type Name = keyof typeof TOKENS;

const OPERATORS = [
  { name: "ada", roles: ["human", "lead"], token: digest(TOKENS.ada) },
  { name: "ci", roles: ["lead"], token: digest(TOKENS.ci) },
];
/** Operators who come later. Agents of tests have the same names. */
const MORE = [
  { name: "bob", roles: ["human"], token: digest(TOKENS.bob) },
  { name: "ann", roles: ["human"], token: digest(TOKENS.ann) },
];

const writeOperators = (data: string, operators: readonly object[]): void =>
  writeFileSync(join(data, "operators.json"), JSON.stringify({ operators }), { mode: 0o600 });

/** An answer that was read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: JsonObject & Readonly<Record<string, never>>;
}

/** A client with a credential. */
export interface Asker {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  send(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<Answer>;
  /** Headers for a request whose answer is not read completely. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An agent with a task. */
export interface Agent extends Asker {
  readonly task: string;
  move(to: string, artifacts: JsonObject): Promise<Answer>;
  check(tool: string, args: JsonObject): Promise<Answer>;
}

/** A server that listens, with its files. */
export interface Served {
  readonly orchestrator: Orchestrator;
  readonly folder: string;
  /** The URL prefix of the API. */
  readonly base: string;
  readonly nobody: Asker;
  as(name: Name | "operator"): Asker;
  claim(agent: string): Promise<Agent>;
  /** Adds Ann and Bob as operators. */
  hire(): void;
  close(): Promise<void>;
}

interface ServeOptions extends Pick<OrchestratorOptions, "now" | "log"> {
  readonly settings?: OrchestratorOptions["settings"];
  readonly store?: Store;
  /** A server whose files this one shares, as another node. */
  readonly beside?: Served;
  readonly contract?: (text: string) => string;
  /** Creates more files and returns the settings that they change. */
  readonly files?: (folder: string) => object;
}

/** Starts a server in this process, on a free port of 127.0.0.1. */
export async function serve({
  settings,
  store,
  beside,
  contract = (text) => text,
  files = () => ({}),
  ...options
}: ServeOptions = {}): Promise<Served> {
  const folder = beside?.folder ?? temporaryFolder();
  const data = join(folder, "data");
  if (beside === undefined) {
    mkdirSync(data, { mode: 0o700 });
    mkdirSync(join(folder, "work"));
    give(join(folder, "work"));
    writeFileSync(join(folder, "agent_workflow.yaml"), contract(CONTRACT));
    writeFileSync(join(folder, "policy.toml"), POLICY);
    writeOperators(data, OPERATORS);
  }
  const more = files(folder);
  const orchestrator = await createOrchestrator({
    settings: {
      contract: join(folder, "agent_workflow.yaml"),
      policy: [join(folder, "policy.toml")],
      data,
      workspace: join(folder, "work"),
      port: 0,
      consensus: !("config" in more),
      limits: { refusals_per_second: 1_000 },
      ...settings,
      ...more,
    },
    secrets: { enrol: ENROL, operator: OPERATOR },
    ...(store === undefined ? {} : { store }),
    ...options,
  });
  const { url } = await orchestrator.listen();
  const base = `${url}/api/v1`;
  return {
    orchestrator,
    folder,
    base,
    nobody: asker(base, {}),
    as: (name) =>
      asker(base, { authorization: `Bearer ${name === "operator" ? OPERATOR : TOKENS[name]}` }),
    claim: (agent) => claim(base, agent),
    hire: () => writeOperators(data, [...OPERATORS, ...MORE]),
    async close() {
      await orchestrator.close();
    },
  };
}

function asker(base: string, headers: Readonly<Record<string, string>>): Asker {
  const ask = async (method: string, path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${base}${path}`, { method, ...init });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : {}) as Answer["body"],
    };
  };
  return {
    headers,
    get: (path, more = {}) => ask("GET", path, { headers: { ...headers, ...more } }),
    send: (method, path, body) =>
      ask(
        method,
        path,
        body === undefined
          ? { headers }
          : {
              headers: { ...headers, "content-type": "application/json" },
              body: JSON.stringify(body),
            },
      ),
  };
}

async function claim(base: string, agent_id: string): Promise<Agent> {
  const id = `task-of-${agent_id}`;
  await asker(base, { authorization: `Bearer ${OPERATOR}` }).send("POST", "/tasks", {
    tasks: [{ id }],
  });
  const enrolled = asker(base, { authorization: `Bylaw-Enrol ${ENROL}` });
  const { status, body, text } = await enrolled.send("POST", "/tasks/claim", {
    agent_id,
    task_id: id,
  });
  if (status !== 200) throw new Error(`The claim failed with ${status}: ${text}`);
  const { task, phase_token } = body as unknown as { task: { id: string }; phase_token: string };
  let current = asker(base, { authorization: `Bearer ${phase_token}` });
  return {
    task: task.id,
    get headers() {
      return current.headers;
    },
    get: (path, headers) => current.get(path, headers),
    send: (method, path, sent) => current.send(method, path, sent),
    async move(target_phase, artifacts) {
      const answer = await current.send("POST", "/tasks/transition", {
        task_id: task.id,
        target_phase,
        artifacts,
      });
      const { new_token: token } = answer.body as { readonly new_token?: string | null };
      if (typeof token === "string") current = asker(base, { authorization: `Bearer ${token}` });
      return answer;
    },
    check: (tool_name, args) =>
      current.send("POST", "/tools/check", { task_id: task.id, tool_name, args }),
  };
}

export const planOf = (criterion: string): JsonObject => ({
  plan_document: { acceptance_criteria: [{ criterion, how_to_verify: "run the tests" }] },
});

/** All events of a run. */
export const eventsOf = ({ orchestrator: { service } }: Served) =>
  service.store.events(service.run.run, 0, 100_000);
