import { canonicalJson, digestJson, isJsonObject, type Json, type JsonObject, type Kernel, type LogEvent, type Store } from "@bylaw/kernel";
import { foldName } from "@bylaw/log";
import type { OpenGate } from "@bylaw/plugin-gates";
import { foldingView } from "../folding-view.ts";
import { eventsOf } from "../log/store.ts";
import { createCallFold, type OpenCall } from "./calls.ts";
import type { ProjectGates } from "./gates.ts";

/** A gate that waits, with what it is about. */
export interface WaitingGate extends OpenGate {
  readonly kind: "gate";
  /** What is to be approved; left out where the log does not have it any more. */
  readonly content?: JsonObject;
  /** Whether parts of that were redacted before they were put on record. */
  readonly redacted?: boolean;
  /** What was asked about before, for the same way; left out where nothing was. */
  readonly before?: JsonObject;
}

/** Something that waits for a person, under an id that is about exactly this and nothing else. */
export type Question = GateQuestion | CallQuestion;
export type GateQuestion = WaitingGate & { readonly id: string };
export type CallQuestion = OpenCall & { readonly id: string };

/** What a run asks of people. */
export interface Questions {
  readonly open: readonly Question[];
  /** The names of all agents of the run, folded: none of them is a person's. */
  readonly agents: ReadonlySet<string>;
  /** How many events the run has. */
  readonly head: number;
}

interface Source {
  readonly store: Pick<Store, "events">;
  readonly run: string;
  readonly kernel: Kernel;
  readonly gates: ProjectGates | undefined;
}

/** Reads a run from its beginning. `now`: milliseconds since 1970. */
export async function readQuestions({ store, run, kernel, gates }: Source, now: number): Promise<Questions> {
  const calls = createCallFold();
  const states = foldingView(kernel);
  const agents = new Set<string>();
  // Where the requests of each task stand; what they hand in may be large.
  const requests = new Map<string, number[]>();
  let head = 0;
  for await (const events of eventsOf(store, run)) {
    for (const event of events) {
      const { agent_id, task_id, event_type } = event;
      if (agent_id !== null) agents.add(foldName(agent_id));
      calls.add(event);
      if (gates !== undefined) states.add(event);
      if (event_type === "transition_blocked" && task_id !== null) {
        const known = requests.get(task_id);
        if (known === undefined) requests.set(task_id, [event.sequence]);
        else known.push(event.sequence);
      }
      head = event.sequence;
    }
  }
  const waiting = gates === undefined ? [] : gates.plugin.openGates(gates.view(states.view), gates.contract);
  const found: (WaitingGate | OpenCall)[] = [];
  for (const gate of waiting) {
    const content = await contentOf(gate, backwards(store, run, requests.get(gate.task) ?? []));
    found.push({ kind: "gate", ...gate, ...content });
  }
  found.push(...(await calls.open(now)));
  const open = await Promise.all(found.map(async (question): Promise<Question> => ({ id: await idOf(run, question), ...question })));
  return { open, agents, head };
}

/** 64 bits: nobody makes other artifacts that have the id of those which were shown. */
const ID = 16;

async function idOf(run: string, question: WaitingGate | OpenCall): Promise<string> {
  const about: Json =
    question.kind === "gate"
      ? {
          run,
          task: question.task,
          gate: question.gate,
          opened_at: question.opened_at,
          artifacts: question.artifacts,
          to: question.to,
          tree: question.tree,
        }
      : { run, sequence: question.sequence, digest: question.digest };
  return (await digestJson(about)).slice("sha256:".length, "sha256:".length + ID);
}

async function* backwards(store: Source["store"], run: string, sequences: readonly number[]): AsyncGenerator<LogEvent> {
  for (const sequence of sequences.toReversed()) yield* await store.events(run, sequence - 1, 1);
}

// By what it is and not by what is said about it: a reason may quote any text of an agent.
async function contentOf(
  { artifacts, to, opened_at }: OpenGate,
  requests: AsyncIterable<LogEvent>,
): Promise<Pick<WaitingGate, "content" | "before" | "redacted">> {
  let content: JsonObject | undefined;
  let redacted = false;
  for await (const event of requests) {
    const { timestamp, details } = event;
    const handed = artifactsOf(event);
    if (details["to"] !== to || handed === undefined) continue;
    const isIt = (await digestJson(handed)) === artifacts;
    if (content !== undefined) {
      if (!isIt && canonicalJson(handed) !== canonicalJson(content)) return { content, before: handed, ...(redacted ? { redacted } : {}) };
      continue;
    }
    // What was redacted has another digest; the request that opened the gate was held back by nothing but it.
    redacted =
      !isIt &&
      timestamp === opened_at &&
      Array.isArray(details["redacted"]) &&
      canonicalJson(details["decision"] ?? null).includes(artifacts);
    if (isIt || redacted) content = handed;
  }
  return content === undefined ? {} : { content, ...(redacted ? { redacted } : {}) };
}

function artifactsOf(event: LogEvent | undefined): JsonObject | undefined {
  const artifacts = event?.details["artifacts"];
  return isJsonObject(artifacts ?? null) ? (artifacts as JsonObject) : undefined;
}
