import {
  checkArgument,
  isJsonObject,
  omitUndefined,
  type Json,
  type JsonObject,
  type LogEvent,
  type View,
} from "@bylaw/kernel";
import { digestOf, foldName, idOfQuestion } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import type { GateVote, OpenGate } from "@bylaw/plugin-gates";
import { setBounded } from "../service/bounded-map.ts";
import { CallFold, openCall, type AskedCall, type OpenCall } from "./calls.ts";
import type { ProjectGates } from "./gates.ts";
import { StopFold, type OpenStop } from "./stops.ts";

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
export type Question = GateQuestion | CallQuestion | StopQuestion;
export type GateQuestion = WaitingGate & { readonly id: string };
export type CallQuestion = OpenCall & { readonly id: string };
export type StopQuestion = OpenStop;

/** A question by its id, without what has to be read for it. */
export type OpenId =
  | { readonly id: string; readonly kind: "gate"; readonly gate: OpenGate }
  | { readonly id: string; readonly kind: "call"; readonly call: AskedCall }
  | { readonly id: string; readonly kind: "pause" | "hold"; readonly stop: OpenStop };

/** Where questions are read from. */
export interface QuestionSource {
  readonly store: Pick<Store, "events">;
  readonly run: string;
  readonly gates: ProjectGates | undefined;
  /** The risk from which a person must look. Default: the plugin's. */
  readonly hold_at?: number | undefined;
}

/** When, and by which state of the run. */
export interface QuestionTime {
  readonly view: View;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** What is about this task alone. */
  readonly task?: string | undefined;
}

/** How many gates are known that somebody said no at. */
const REJECTIONS = 10_000;

/** What a run asks of people, event by event. The events themselves stay in the store. */
export class QuestionFold {
  readonly #source: QuestionSource;
  readonly #calls: CallFold;
  /** Pauses and holds. */
  readonly stops: StopFold;
  readonly #agents = new Set<string>();
  /** The last one at each gate of each task. */
  readonly #rejections = new Map<string, GateVote & { readonly artifacts: Json }>();
  #head = 0;

  constructor(source: QuestionSource) {
    this.#source = source;
    this.#calls = new CallFold(source.run);
    this.stops = new StopFold(source.run, source.hold_at);
  }

  /** Sequence of the last event that was added. */
  get head(): number {
    return this.#head;
  }

  /** The names of all agents of the run, folded: none of them is a person's. */
  get agents(): ReadonlySet<string> {
    return this.#agents;
  }

  /** Adds the next event. */
  add(event: LogEvent): void {
    if (event.agent_id !== null) this.#agents.add(foldName(event.agent_id));
    if (event.event_type === "gate_decided") this.#decided(event);
    this.#calls.add(event);
    this.stops.add(event);
    this.#head = event.sequence;
  }

  /** Everything that waits for an answer: gates by task, then calls (oldest first), then pauses and holds. */
  open({ view, now, task }: QuestionTime): readonly OpenId[] {
    const { run, gates } = this.#source;
    const waiting =
      gates?.plugin.openGates(gates.view(view), gates.contract, omitUndefined({ task })) ?? [];
    return [
      ...waiting.map((gate): OpenId => ({ id: idOfGate(run, gate), kind: "gate", gate })),
      ...this.#calls.open(now, task).map((call): OpenId => ({ id: call.id, kind: "call", call })),
      ...this.stops.open(task).map((stop): OpenId => ({ id: stop.id, kind: stop.kind, stop })),
    ];
  }

  /** The no to what a gate waited for; `undefined` if nobody said one. */
  rejection({ task, gate, artifacts }: OpenGate): GateVote | undefined {
    const { artifacts: about = null, ...vote } =
      this.#rejections.get(JSON.stringify([task, gate])) ?? {};
    return "by" in vote && about === artifacts ? vote : undefined;
  }

  /** A question about a call that is still known, answered or not. */
  call(id: string, now: number): AskedCall | undefined {
    return this.#calls.get(id, now);
  }

  /** All that there is to see of a question. */
  async read(open: OpenId): Promise<Question> {
    const { id } = open;
    if (open.kind === "gate")
      return { id, kind: "gate", ...open.gate, ...(await contentOf(open.gate, this.#source)) };
    if (open.kind !== "call") return open.stop;
    const { store, run } = this.#source;
    const [event] = await store.events(run, open.call.sequence - 1, 1);
    if (event === undefined)
      throw new Error(`The log has no event ${open.call.sequence}, which asked this question`);
    return { id, ...openCall(event) };
  }

  #decided({ task_id, timestamp: at, details }: LogEvent): void {
    const { gate, by, role, verdict, reason = null, artifacts = null } = details;
    if (verdict !== "rejected") return;
    const said = typeof reason === "string" ? reason : null;
    const vote = {
      by: String(by),
      role: String(role),
      verdict,
      reason: said,
      at,
      artifacts,
    } as const;
    setBounded(this.#rejections, JSON.stringify([task_id, gate]), vote, REJECTIONS);
  }
}

/** Folds no event yet. */
export const createQuestions = (source: QuestionSource): QuestionFold =>
  new QuestionFold(checkArgument("createQuestions", "the source of questions", source));

const idOfGate = (run: string, { task, gate, opened_at, artifacts, to, tree }: OpenGate): string =>
  idOfQuestion({ run, task, gate, opened_at, artifacts, to, tree });

/** What is to be approved, as the request that opened the gate has it: exactly what the digest of the gate is of, unless it was redacted. */
async function contentOf(
  { artifacts, request, earlier }: OpenGate,
  { store, run }: QuestionSource,
): Promise<Pick<WaitingGate, "content" | "before" | "redacted">> {
  const read = async (sequence: number | null): Promise<LogEvent | undefined> =>
    sequence === null ? undefined : (await store.events(run, sequence - 1, 1))[0];
  const [asked, last] = await Promise.all([read(request), read(earlier)]);
  const content = artifactsOf(asked);
  if (asked === undefined || content === undefined) return {};
  const redacted = digestOf(content) !== artifacts;
  if (redacted && !Array.isArray(asked.details["redacted"])) return {};
  const other = artifactsOf(last);
  const before = other !== undefined && digestOf(other) === digestOf(content) ? undefined : other;
  return { content, ...omitUndefined({ before }), ...(redacted && { redacted }) };
}

function artifactsOf(event: LogEvent | undefined): JsonObject | undefined {
  const { artifacts = null } = event?.details ?? {};
  return isJsonObject(artifacts) ? artifacts : undefined;
}
