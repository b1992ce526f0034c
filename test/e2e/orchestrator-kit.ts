import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { isRoot, NOBODY } from "@bylaw/process";
import { AgentClient, type AgentClientOptions } from "@bylaw/sdk";
import { temporaryFolder } from "@bylaw/testing";
import { BIN } from "./bylaw.ts";
import { SHIPPED, commitAll } from "./workflow-walk-kit.ts";

/** The secrets for enrolment, for the operator and for signing tokens. */
export const ENROL = "the enrolment secret of these walks, which is long".replaceAll(/[ ,]/g, "-");
export const OPERATOR = "the token of the operator of these walks".replaceAll(" ", "-");
const SIGNING = "the secret that the tokens of these walks are signed with";

/** The tree of `workflow-walk-kit.ts`: a repository in which an adder is to be written. */
const REPOSITORY: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify({ name: "adder", type: "module", scripts: { test: "node --test" } }, null, 2)}\n`,
  ".gitignore": ".bylaw/\n.orchestrator/\nnode_modules/\n",
  "src/index.js": "// The adder.\n",
};

/** A folder with a contract and a repository for each task, which `endServers` removes. */
export interface Site {
  readonly folder: string;
  readonly path: (...names: readonly string[]) => string;
  readonly git: (task: string, ...args: readonly string[]) => string;
}

// Git may run as root in these tests, while the repositories belong to another user.
const SAFE = ["-c", "safe.directory=*"];

/** If the tests run as root, gives a folder to the user that runs agents' programs. */
export function give(folder: string): void {
  const { uid, gid } = NOBODY;
  // `-h` follows no link, so nothing outside changes its owner.
  if (isRoot()) spawnSync("chown", ["-hR", `${uid}:${gid}`, folder], { stdio: "inherit" });
}

export function makeSite(tasks: readonly string[], contract = SHIPPED): Site {
  const folder = temporaryFolder();
  const path = (...names: readonly string[]): string => join(folder, ...names);
  const put = (file: string, text: string): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const git = (task: string, ...args: readonly string[]): string =>
    execFileSync("git", [...SAFE, ...args], { cwd: path("work", task), encoding: "utf8" }).trim();
  put(path("agent_workflow.yaml"), contract);
  for (const task of tasks) {
    for (const [name, text] of Object.entries(REPOSITORY)) put(path("work", task, name), text);
    commitAll(path("work", task));
  }
  if (tasks.length > 0) give(path("work"));
  return { folder, path, git };
}

/** A server in its own process. */
export interface ServerProcess {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Everything that it has printed on standard error so far. */
  readonly errors: () => string;
  /** Ends it like an operator; resolves to its exit code. */
  readonly stop: () => Promise<number | null>;
  /** Ends it like a power cut. */
  readonly kill: () => Promise<void>;
  readonly operator: Operator;
  /** Creates a client of an agent, as `clientFor` does. */
  readonly client: (agent_id: string) => AgentClient;
}

const running = new Set<ChildProcess>();
/** Ends every server that is still running, for `afterAll`. */
export async function endServers(): Promise<void> {
  await Promise.all([...running].map((child) => ended(child, "SIGKILL")));
}

const ended = (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode);
    child.once("exit", (code) => resolve(code));
    child.kill(signal);
  });

let started = 0;
/** Starts the built `bylaw serve` for a site, waits until it listens, and creates tasks. */
export async function startServer(
  { folder, path }: Site,
  settings: Readonly<Record<string, unknown>> = {},
  tasks: readonly object[] = [],
): Promise<ServerProcess> {
  const usual = {
    contract: path("agent_workflow.yaml"),
    workspace: path("work"),
    workspace_per_task: true,
    data: path("data"),
    port: 0,
  };
  const file = path(`serve-${++started}.json`);
  writeFileSync(file, JSON.stringify({ ...usual, log: { level: "warn" }, ...settings }));
  const child = spawn(process.execPath, [BIN, "serve", "--settings", file, "--json"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      BYLAW_ENROL_SECRET: ENROL,
      BYLAW_OPERATOR_TOKEN: OPERATOR,
      BYLAW_JWT_SECRET: SIGNING,
    },
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const told = await new Promise<string>((resolve, reject) => {
    const lines: string[] = [];
    child.once("exit", (code) =>
      reject(new Error(`The server ended with ${code}: ${lines.join("\n")}${errors}`)),
    );
    createInterface(child.stdout).on("line", (line) => {
      lines.push(line);
      const { url: at } = JSON.parse(line) as { readonly url?: string };
      if (at !== undefined) resolve(at);
    });
  });
  const { origin: url, port } = new URL(told);
  const operator = createOperator(() => url);
  if (tasks.length > 0) await operator.insist("POST", "/tasks", { tasks });
  return {
    operator,
    client: (agent_id) => clientFor({ url }, agent_id),
    ...{ url, port: Number(port), pid: child.pid ?? 0, errors: () => errors },
    stop: () => ended(child, "SIGTERM"),
    kill: async () => void (await ended(child, "SIGKILL")),
  };
}

/** A client that sends no heartbeat of its own accord. */
export const clientFor = (
  { url }: Pick<ServerProcess, "url">,
  agent_id: string,
  options: Partial<AgentClientOptions> = {},
): AgentClient =>
  new AgentClient({
    ...{ endpoint: url, agent_id, enrol_secret: ENROL, heartbeat: false },
    ...options,
  });

/** Acts as the operator over HTTP: answers what waits for a person, and reports reviews. */
export interface Operator {
  /** Sends a request; resolves to status and body. Throws if nobody answers. */
  ask(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  /** The same, repeated until it is answered. */
  insist(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
  /** Approves every gate and reports every review until the signal aborts. Tries again what fails. */
  attend(stop: AbortSignal, options?: { readonly directives?: boolean }): Promise<void>;
}

export function createOperator(endpoint: () => string): Operator {
  const ask: Operator["ask"] = async (method, path, body) => {
    const response = await fetch(`${endpoint()}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
  const round = async (directives: boolean): Promise<void> => {
    const { body } = await ask("GET", "/approvals");
    for (const { id, state } of body["approvals"] as readonly { id: string; state: string }[])
      if (state === "open") await ask("POST", `/approvals/${id}`, { answer: "yes", role: "human" });
    if (!directives) return;
    const open = (await ask("GET", "/directives")).body["directives"] as readonly {
      directive: string;
      model?: string;
      task: string;
    }[];
    for (const { directive, model, task } of open)
      if (model !== undefined)
        await ask("POST", `/directives/${directive}`, {
          task_id: task,
          ok: true,
          agent: `reviewer-${model}`,
          verdict: "approved",
          summary: "looked at",
        });
  };
  return {
    ask,
    async insist(method, path, body) {
      for (;;) {
        const answer = await ask(method, path, body).catch(() => undefined);
        if (answer !== undefined && answer.status < 400) return answer.body;
        if (answer !== undefined && answer.status < 500 && answer.status !== 429)
          throw new Error(`Status ${answer.status}: ${JSON.stringify(answer.body)}`);
        await pause();
      }
    },
    async attend(stop, { directives = true } = {}) {
      while (!stop.aborted) {
        await round(directives).catch(() => undefined);
        await pause();
      }
    },
  };
}

/** The text of a file in a task's repository. */
export const textIn = ({ path }: Site, task: string, name: string): string =>
  readFileSync(path("work", task, name), "utf8");
