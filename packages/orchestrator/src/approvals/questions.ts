import {
  canonicalJson,
  checkArgument,
  isJsonObject,
  omitUndefined,
  type Json,
  type JsonObject,
  type LogEvent,
  type View,
} from "@bylaw/kernel";
import { digestOf, foldName } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import type { GateVote, OpenGate } from "@bylaw/plugin-gates";
import { setBounded } from "../service/bounded-map.ts";
import { createCallFold, idOfQuestion, openCall, type AskedCall, type OpenCall } from "./calls.ts";
import type { ProjectGates } from "./gates.ts";
import { createBlockedRequests, type BlockedRequests } from "./blocked-requests.ts";

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

/** A question by its id, without what has to be read for it. */
export type OpenId =
  | { readonly id: string; readonly kind: "gate"; readonly gate: OpenGate }
  | { readonly id: string; readonly kind: "call"; readonly call: AskedCall };

/** Where questions are read from. */
export interface QuestionSource {
  readonly store: Pick<Store, "events">;
  readonly run: string;
  readonly gates: ProjectGates | undefined;
}

/** When, and by which state of the run. */
export interface QuestionTime {
  readonly view: View;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** What is about this task alone. */
  readonly task?: string | undefined;
}

/** What a run asks of people, event by event. The events themselves stay in the store. */
export interface QuestionFold {
  /** Sequence of the last event that was added. */
  readonly head: number;
  /** The names of all agents of the run, folded: none of them is a person's. */
  readonly agents: ReadonlySet<string>;
  /** Adds the next event. */
  add(event: LogEvent): void;
  /** All that waits: gates by task, then calls, the oldest first. */
  open(at: QuestionTime): readonly OpenId[];
  /** The no to what a gate waited for; `undefined` where nobody said one. */
  rejection(gate: OpenGate): GateVote | undefined;
  /** A question about a call that is still known, answered or not. */
  call(id: string, now: number): AskedCall | undefined;
  /** All that there is to see of a question. */
  read(open: OpenId): Promise<Question>;
}

/** How many gates are known that somebody said no at. */
const REJECTIONS = 10_000;

/** Folds no event yet. */
export function createQuestions(source: QuestionSource): QuestionFold {
  const { store, run, gates } = checkArgument("createQuestions", "the source of questions", source);
  const calls = createCallFold(run);
  const requests = createBlockedRequests(store, run);
  const agents = new Set<string>();
  // The last one at each gate of each task.
  const rejections = new Map<string, GateVote & { readonly artifacts: Json }>();
  let head = 0;

  function reject({
    task_id,
    timestamp,
    details: { gate, by, role, verdict, reason, artifacts = null },
  }: LogEvent): void {
    const key = JSON.stringify([task_id, gate]);
    if (verdict !== "rejected") return;
    const said = typeof reason === "string" ? reason : null;
    setBounded(
      rejections,
      key,
      { by: String(by), role: String(role), verdict, reason: said, at: timestamp, artifacts },
      REJECTIONS,
    );
  }

  return {
    get head() {
      return head;
    },
    agents,
    add(event) {
      if (event.agent_id !== null) agents.add(foldName(event.agent_id));
      requests.add(event);
      if (event.event_type === "gate_decided") reject(event);
      calls.add(event);
      head = event.sequence;
    },
    open({ view, now, task }) {
      const waiting =
        gates === undefined
          ? []
          : gates.plugin.openGates(gates.view(view), gates.contract, omitUndefined({ task }));
      const ids = waiting.map((gate): OpenId => ({ id: idOfGate(run, gate), kind: "gate", gate }));
      return [
        ...ids,
        ...calls.open(now, task).map((call): OpenId => ({ id: call.id, kind: "call", call })),
      ];
    },
    rejection({ task, gate, artifacts }) {
      const { artifacts: about, ...said } = rejections.get(JSON.stringify([task, gate])) ?? {
        artifacts: null,
      };
      return "by" in said && about === artifacts ? said : undefined;
    },
    call: (id, now) => calls.get(id, now),
    async read(open) {
      const { id } = open;
      if (open.kind === "gate")
        return { id, kind: "gate", ...open.gate, ...(await contentOf(open.gate, requests)) };
      const [event] = await store.events(run, open.call.sequence - 1, 1);
      if (event === undefined)
        throw new Error(`The log has no event ${open.call.sequence}, which asked this question`);
      return { id, ...openCall(event) };
    },
  };
}

const idOfGate = (run: string, { task, gate, opened_at, artifacts, to, tree }: OpenGate): string =>
  idOfQuestion({ run, task, gate, opened_at, artifacts, to, tree });

// By what it is and not by what is said about it: a reason may quote any text of an agent.
async function contentOf(
  { task, artifacts, to, opened_at }: OpenGate,
  requests: BlockedRequests,
): Promise<Pick<WaitingGate, "content" | "before" | "redacted">> {
  let content: JsonObject | undefined;
  let redacted = false;
  for await (const event of requests.of(task, opened_at)) {
    const { timestamp, details } = event;
    const handed = artifactsOf(event);
    if (details["to"] !== to || handed === undefined) continue;
    const isIt = digestOf(handed) === artifacts;
    if (content !== undefined) {
      if (!isIt && canonicalJson(handed) !== canonicalJson(content))
        return { content, before: handed, ...(redacted ? { redacted } : {}) };
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

function artifactsOf({ details }: LogEvent): JsonObject | undefined {
  const { artifacts = null } = details;
  return isJsonObject(artifacts) ? artifacts : undefined;
}
