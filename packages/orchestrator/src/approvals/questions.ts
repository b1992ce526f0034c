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

/** A waiting gate with its artifacts. */
export interface WaitingGate extends OpenGate {
  readonly kind: "gate";
  /** The artifacts to approve. Left out if the log no longer has them. */
  readonly content?: JsonObject;
  /** Whether parts of them were redacted before they were recorded. */
  readonly redacted?: boolean;
  /** The artifacts of the previous request for the same transition, if there was one. */
  readonly before?: JsonObject;
}

/** Something that waits for a person. Its id stands for exactly this content. */
export type Question = GateQuestion | CallQuestion | StopQuestion;
export type GateQuestion = WaitingGate & { readonly id: string };
export type CallQuestion = OpenCall & {
  readonly id: string;
  /** Why people were not told of it, one sentence each. Left out if nothing went wrong. */
  readonly untold?: readonly string[];
};
export type StopQuestion = OpenStop;

/** A question with its id, without the parts that must be read from the log. */
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

/** The time and state of the run for which to list questions. */
export interface QuestionTime {
  readonly view: View;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Lists only the questions of this task. */
  readonly task?: string | undefined;
}

/** How many refusals at gates are kept. */
const REJECTIONS = 10_000;

/** Follows, event by event, what a run asks of people. The events stay in the store. */
export class QuestionFold {
  readonly #source: QuestionSource;
  readonly #calls: CallFold;
  /** Pauses and holds. */
  readonly stops: StopFold;
  readonly #agents = new Set<string>();
  /** The last refusal at each gate of each task. */
  readonly #rejections = new Map<string, GateVote & { readonly artifacts: Json }>();
  #head = 0;

  constructor(source: QuestionSource) {
    this.#source = source;
    this.#calls = new CallFold(source.run);
    this.stops = new StopFold(source.run, source.hold_at);
  }

  /** The sequence of the last event that was added. */
  get head(): number {
    return this.#head;
  }

  /** The folded names of all agents of the run. No person may have one of them. */
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

  /** The refusal of what a gate waited for. `undefined` if there is none. */
  rejection({ task, gate, artifacts }: OpenGate): GateVote | undefined {
    const { artifacts: about = null, ...vote } =
      this.#rejections.get(JSON.stringify([task, gate])) ?? {};
    return "by" in vote && about === artifacts ? vote : undefined;
  }

  /** A question about a call that is still kept, answered or not. */
  call(id: string, now: number): AskedCall | undefined {
    return this.#calls.get(id, now);
  }

  /** Reads everything that a person needs to see of a question. */
  async read(open: OpenId): Promise<Question> {
    const { id } = open;
    if (open.kind === "gate")
      return { id, kind: "gate", ...open.gate, ...(await contentOf(open.gate, this.#source)) };
    if (open.kind !== "call") return open.stop;
    const { store, run } = this.#source;
    const [event] = await store.events(run, open.call.sequence - 1, 1);
    if (event === undefined)
      throw new Error(`The log has no event ${open.call.sequence}, which asked this question`);
    const untold = this.#calls.untold(id);
    return { id, ...openCall(event), ...(untold.length === 0 ? {} : { untold }) };
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

/** Creates the list of a run's questions, before its first event. */
export const createQuestions = (source: QuestionSource): QuestionFold =>
  new QuestionFold(checkArgument("createQuestions", "the source of questions", source));

const idOfGate = (run: string, { task, gate, opened_at, artifacts, to, tree }: OpenGate): string =>
  idOfQuestion({ run, task, gate, opened_at, artifacts, to, tree });

/** The artifacts in the request that opened the gate. Unless redacted, they are exactly what the digest of the gate covers. */
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
