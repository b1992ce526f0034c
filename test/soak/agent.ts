import { setTimeout as sleep } from "node:timers/promises";
import {
  AgentClient,
  AgentError,
  ApprovalRefused,
  Conflict,
  NoTaskReady,
  NotClaimed,
  TokenExpired,
  ToolForbidden,
  TransitionBlocked,
  type Claim,
  type JsonObject,
} from "@bylaw/sdk";
import { ENROL } from "../e2e/orchestrator-kit.ts";
import { sendBad } from "./bad-requests.ts";
import { randomOf } from "./ledger.ts";
import type { Soak } from "./operator.ts";

const NEXT: Readonly<Record<string, string>> = {
  PLAN: "BUILD",
  BUILD: "REVIEW",
  REVIEW: "@completed",
};
const artifactsFor = (phase: string, mark: string): JsonObject =>
  phase === "PLAN"
    ? {
        plan_document: {
          title: `Plan ${mark}`,
          acceptance_criteria: [{ criterion: "it works", how_to_verify: "look" }],
        },
      }
    : { [phase === "BUILD" ? "build_summary" : "review_summary"]: { summary: `Done ${mark}` } };

/** Takes every kind of action once before chance decides, so that a short soak has all of them. */
const FIRST = [0.1, 0.17, 0.22, 0.27, 0.31, 0.36, 0.5, 0.9];

/** The task is over for this agent: handed on, lost or finished. */
class Ended extends Error {}

const isClaimOver = (error: unknown): boolean =>
  error instanceof AgentError &&
  error.code === "BYLAW_TASK_INVALID" &&
  /^The claim made with request id .+ is already over$/.test(error.message);

/** One agent that claims tasks and works on them until it is told to stop. */
export class SoakAgent {
  readonly #soak: Soak;
  readonly #name: string;
  readonly #random: () => number;
  #client: AgentClient;
  #claim: Claim | undefined;
  #marks = 0;
  #actions = 0;

  constructor(soak: Soak, index: number, seed: number) {
    this.#soak = soak;
    this.#name = `agent-${index}`;
    this.#random = randomOf(seed * 1_000 + index);
    this.#client = this.#newClient();
  }

  async work(): Promise<void> {
    const { gate, stop, ledger } = this.#soak;
    while (!stop.aborted) {
      try {
        await gate.enter();
        if (stop.aborted) break;
        if (this.#claim === undefined) await this.#take();
        else await this.#act(this.#claim);
      } catch (error) {
        this.#judge(error);
      }
      await sleep(this.#soak.pause_ms * (0.5 + this.#random()));
    }
    this.#client.close();
    gate.leave();
    ledger.count("agents ended");
  }

  #newClient(name = this.#name): AgentClient {
    const { endpoint, traffic } = this.#soak;
    const retry = { attempts: 1_000, base_ms: 50, cap_ms: 500, give_up_ms: 90_000 };
    return new AgentClient({
      endpoint: endpoint(),
      agent_id: name,
      enrol_secret: ENROL,
      retry,
      fetch: traffic.fetch,
    });
  }

  #judge(error: unknown): void {
    const { ledger } = this.#soak;
    if (error instanceof Ended) this.#drop();
    else if (error instanceof NoTaskReady) ledger.count("claims without a task");
    else if (error instanceof NotClaimed || error instanceof TokenExpired) {
      ledger.count("tasks lost");
      this.#drop();
    } else if (error instanceof Conflict || error instanceof ApprovalRefused)
      ledger.count(`conflicts ${error.code}`);
    else if (error instanceof AgentError)
      ledger.fault(`${error.constructor.name} ${error.status} ${error.code}: ${error.message}`);
    else ledger.fault(`An agent failed: ${String((error as Error).stack ?? error)}`);
  }

  #drop(): void {
    this.#client.close();
    this.#client = this.#newClient();
    this.#claim = undefined;
  }

  #mark(): string {
    return `${this.#name}-${++this.#marks}`;
  }

  async #take(): Promise<void> {
    const { ledger } = this.#soak;
    const claim = await this.#client.claimTask().catch((error: unknown) => {
      // If the server was down or slow, a claim may be over when its retry arrives.
      if (!isClaimOver(error)) throw error;
      ledger.count("claims over before their answer came");
      throw new Ended();
    });
    const { id, agent_id, fence } = claim.task;
    ledger.acknowledge(`claimed ${id} by ${agent_id} at fence ${fence}`);
    this.#claim = claim;
  }

  async #act({ task: { id: task, fence } }: Claim): Promise<void> {
    const { ledger } = this.#soak;
    const chance = FIRST[this.#actions] ?? this.#random();
    this.#actions += 1;
    const phase = this.#client.phase ?? "";
    if (chance < 0.02) {
      await this.#client.releaseTask();
      ledger.acknowledge(`released ${task} at fence ${fence}`);
      throw new Ended();
    }
    if (chance < 0.025) {
      // It vanishes: the lease runs out, and another agent takes over.
      ledger.count("agents that vanish");
      throw new Ended();
    }
    if (chance < 0.14) return this.#advance(task, phase);
    if (chance < 0.2) return this.#misbehave(task);
    if (chance < 0.25) return this.#overreach(phase);
    if (chance < 0.29) {
      const { lease_until } = await this.#client.heartbeat();
      ledger.acknowledge(`lease of ${task} until ${lease_until}`);
      return;
    }
    if (chance < 0.34) return void (await this.#client.getStateSnapshot());
    if (chance < 0.38) return this.#watch(task);
    if (chance < 0.55) return this.#check();
    return this.#use(task, phase);
  }

  async #advance(task: string, phase: string): Promise<void> {
    const { ledger } = this.#soak;
    const to = NEXT[phase] ?? "";
    try {
      const { sequence } = await this.#client.requestTransition(to, artifactsFor(phase, task));
      ledger.acknowledge(`entered ${to} with ${task} at ${sequence}`);
    } catch (error) {
      if (!(error instanceof TransitionBlocked) || !error.pending) throw error;
      ledger.count("waits for approval");
      const [open] = await this.#client.approvals();
      if (open !== undefined) await this.#client.waitForApproval(open.id, { wait_ms: 2_000 });
      return;
    }
    if (to !== "@completed") return;
    ledger.count("tasks finished");
    throw new Ended();
  }

  async #use(task: string, phase: string): Promise<void> {
    const { ledger } = this.#soak;
    const mark = this.#mark();
    const kind = phase === "BUILD" ? Math.floor(this.#random() * 4) : 0;
    const [tool, args] = (
      [
        ["read_files", { path: "README.md" }],
        ["write_files", { path: "src/journal.txt", content: `${mark}\n`, mode: "a" }],
        ["bash", { command: `echo ${mark}` }],
        ["bash", { command: "sleep 0.2" }],
      ] as const
    )[kind] ?? ["grep", { pattern: "workspace", path: "." }];
    const { id } = await this.#client.useTool(tool, args);
    ledger.count(`calls of ${tool}`);
    ledger.acknowledge(`result of ${id}`);
    if (tool === "write_files") ledger.acknowledge(`wrote ${task} ${mark}`);
  }

  async #check(): Promise<void> {
    const { ledger } = this.#soak;
    const question = { tool_name: "read_files", args: { path: `src/${this.#mark()}.txt` } };
    if (this.#random() < 0.5) {
      const { id, allowed, code } = await this.#client.checkTool(question.tool_name, question.args);
      if (code === "task_lease_over") ledger.count("checks after the lease");
      else if (!allowed) ledger.fault(`A check of an allowed call was denied: ${code}`);
      ledger.acknowledge(`decision about ${id}`);
      return;
    }
    const answers = await this.#client.batch(
      Array.from({ length: 5 }, (_, at) => ({ id: `c${at}`, ...question })),
    );
    for (const { call_id } of answers) ledger.acknowledge(`decision about ${call_id}`);
  }

  /** Checks that its own events arrive once and in order. */
  async #watch(task: string): Promise<void> {
    const { ledger } = this.#soak;
    let last = 0;
    let left = 5;
    for await (const { sequence, task_id } of this.#client.events({
      signal: AbortSignal.timeout(60_000),
    })) {
      if (sequence <= last || task_id !== task)
        ledger.fault(`The stream of ${task} has event ${sequence} of ${task_id} after ${last}`);
      last = sequence;
      left -= 1;
      if (left === 0) break;
    }
    ledger.count("event streams of agents");
  }

  /** Requests what the phase forbids. */
  async #overreach(phase: string): Promise<void> {
    const asks: readonly (readonly [string, JsonObject])[] = [
      ["git_commit", { message: "forbidden", paths: ["README.md"] }],
      ["read_files", { path: "../../forbidden/README.md" }],
      phase === "BUILD"
        ? ["bash", { command: "echo forbidden; env" }]
        : ["bash", { command: "echo forbidden" }],
      ["write_files", { path: "src/secret/forbidden.txt", content: "x" }],
    ];
    const [tool, args] = asks[Math.floor(this.#random() * asks.length)] ?? ["bash", {}];
    try {
      await this.#client.useTool(tool, args);
      this.#soak.ledger.fault(`${tool} ${JSON.stringify(args)} ran in ${phase}`);
    } catch (error) {
      if (!(error instanceof ToolForbidden)) throw error;
      this.#soak.ledger.count("calls denied");
    }
  }

  /** Claims its own task under another name, or sends requests that must be refused. */
  async #misbehave(task: string): Promise<void> {
    const { ledger, endpoint, traffic } = this.#soak;
    if (this.#random() < 0.2) {
      const thief = this.#newClient(`thief-${this.#name}`);
      try {
        // Granted only if the lease of this agent has just ended; the log shows whether it had.
        const { fence, agent_id } = (await thief.claimTask({ task_id: task })).task;
        ledger.acknowledge(`claimed ${task} by ${agent_id} at fence ${fence}`);
        await thief.releaseTask();
        ledger.acknowledge(`released ${task} at fence ${fence}`);
        ledger.count("claims taken over");
      } catch (error) {
        if (!(error instanceof AgentError) || error.status === undefined || error.status >= 500)
          throw error;
        ledger.count("claims refused");
      } finally {
        thief.close();
      }
      return;
    }
    const kind = Math.floor(this.#random() * 1_000);
    const status = await sendBad(kind, endpoint(), traffic).catch(() => 0);
    ledger.count("bad requests");
    if (status !== 0 && status !== 503 && (status < 400 || status >= 500))
      ledger.fault(`Bad request ${kind} was answered ${status}`);
  }
}
