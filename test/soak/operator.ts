import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { OPERATOR, give, type Site } from "../e2e/orchestrator-kit.ts";
import type { Gate } from "./gate.ts";
import type { Ledger } from "./ledger.ts";
import type { Traffic } from "./traffic.ts";

/** State that all workers share. */
export interface Soak {
  readonly site: Site;
  readonly endpoint: () => string;
  readonly ledger: Ledger;
  readonly traffic: Traffic;
  readonly gate: Gate;
  readonly stop: AbortSignal;
  /** Milliseconds between two actions of a worker. */
  readonly pause_ms: number;
}

const headers = { authorization: `Bearer ${OPERATOR}`, "content-type": "application/json" };
/** How many tasks are ready or held for each agent. */
const TASKS_PER_AGENT = 3;
/** How long a request is repeated: as long as a restart may take on a busy machine. */
const GIVE_UP_MS = 90_000;
let requests = 0;

/** Sends a request as the operator until the server answers. It takes effect once. */
async function askAsOperator(
  { endpoint, traffic }: Soak,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const key = `operator-${process.pid}-${++requests}`;
  const method = body === undefined ? "GET" : "POST";
  for (const until = Date.now() + GIVE_UP_MS; ;) {
    try {
      const response = await traffic.fetch(`${endpoint()}/api/v1${path}`, {
        method,
        headers: { ...headers, "idempotency-key": key },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(30_000),
      });
      const answer = (await response.json()) as Record<string, unknown>;
      if (response.status !== 503 && response.status !== 429)
        return { status: response.status, body: answer };
    } catch (error) {
      if (Date.now() > until) throw error;
    }
    await sleep(100);
  }
}

/** Keeps enough tasks ready, and opens every gate. */
export async function workAsOperator(soak: Soak, agents: number): Promise<void> {
  const { gate, stop, ledger } = soak;
  for (let tasks = 0; !stop.aborted;) {
    await gate.enter();
    const wanted = agents * TASKS_PER_AGENT + ledger.counted("tasks finished");
    if (tasks < wanted) {
      const ids = Array.from({ length: wanted - tasks }, (_, at) => `task-${tasks + at + 1}`);
      for (const id of ids) makeWorkspace(soak, id);
      const { status } = await askAsOperator(soak, "/tasks", { tasks: ids.map((id) => ({ id })) });
      if (status === 201 || status === 200)
        for (const id of ids) ledger.acknowledge(`created ${id}`);
      else ledger.fault(`Creating tasks answered ${status}`);
      tasks = wanted;
    }
    await answerGates(soak);
    await sleep(100);
  }
  gate.leave();
}

function makeWorkspace({ site }: Soak, task: string): void {
  const file = site.path("work", task, "src/journal.txt");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  writeFileSync(site.path("work", task, "README.md"), `The workspace of ${task}.\n`);
  give(site.path("work", task));
}

async function answerGates(soak: Soak): Promise<void> {
  const { body } = await askAsOperator(soak, "/approvals?limit=100");
  for (const { id, task, state } of (body["approvals"] ?? []) as readonly {
    id: string;
    task: string;
    state: string;
  }[]) {
    if (state !== "open") continue;
    const answer = await askAsOperator(soak, `/approvals/${id}`, { answer: "yes", role: "human" });
    // The agent may have lost the task, or made another request, meanwhile.
    if (answer.status === 404 || answer.status === 409) soak.ledger.count("late approvals");
    else if (answer.status !== 200)
      soak.ledger.fault(`An approval answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    else soak.ledger.acknowledge(`gate of ${task} decided at ${String(answer.body["sequence"])}`);
  }
}

/** Follows the events of the whole run, with a new connection now and then, and reports a gap. */
export class EventFollower {
  last = 0;
  readonly #soak: Soak;

  constructor(soak: Soak) {
    this.#soak = soak;
  }

  async follow(): Promise<void> {
    const { endpoint, traffic, stop, ledger } = this.#soak;
    while (!stop.aborted) {
      const signal = AbortSignal.any([stop, AbortSignal.timeout(5_000)]);
      try {
        const response = await traffic.fetch(`${endpoint()}/api/v1/events`, {
          headers: { ...headers, "last-event-id": String(this.last) },
          signal,
        });
        ledger.count("event streams");
        if (response.status === 200) await this.#read(response);
      } catch {
        // The server was ended, or the time of this connection is over. The next one continues.
      }
      await sleep(100);
    }
  }

  async #read(response: Response): Promise<void> {
    let text = "";
    for await (const part of (response.body ?? new ReadableStream<Uint8Array>()).pipeThrough(
      new TextDecoderStream(),
    )) {
      const messages = `${text}${part}`.split("\n\n");
      text = messages.pop() ?? "";
      for (const message of messages) {
        const id = /^id: (\d+)$/m.exec(message)?.[1];
        if (id === undefined || !/^data: /m.test(message)) continue;
        if (Number(id) !== this.last + 1)
          this.#soak.ledger.fault(`The event stream goes from ${this.last} to ${id}`);
        this.last = Number(id);
      }
    }
  }
}
