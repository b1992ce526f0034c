import type { Json, JsonObject, LogEvent } from "@bylaw/kernel";
import { jsonText } from "./json-text.ts";
import { added, amountOf, countOf, objectOf, firstCharacters, rounded, textOf } from "./reading.ts";
import { ReliabilityFold, type ReliabilityOptions } from "./reliability.ts";
import type { AgentStatus } from "./schema.ts";
import { ToolFold } from "./tools.ts";
import type { Worker } from "./work.ts";

const INFRASTRUCTURE = 100;
const FIELDS = [
  "input_tokens",
  "output_tokens",
  "reasoning_tokens",
  "cached_input_tokens",
] as const;

const encoder = new TextEncoder();
const INDENT = "\n    ";
const PREVIEWED = 500;
const EMPTY = '"enforcement_attempts": []';

interface CachedEntry {
  readonly key: string;
  readonly vote: AgentStatus["vote_cast"];
  readonly around: readonly [Uint8Array, Uint8Array];
}

/** Follows one agent. */
export class AgentFold implements Worker {
  readonly reliability: ReliabilityFold;
  readonly usage = {
    input_tokens: 0,
    output_tokens: 0,
    reasoning_tokens: 0,
    cached_input_tokens: 0,
    estimated_cost: 0,
  };
  /** Its answers and votes, which the coordination of all agents updates. */
  readonly answers: { count: number; label: string | null } = { count: 0, label: null };
  vote: AgentStatus["vote_cast"] = null;
  readonly #tools = new ToolFold();
  readonly #infrastructure: AgentStatus["infrastructure_events"] = [];
  #failures = 0;
  #restarts = 0;
  #restarting = false;
  #last: number | null = null;
  #worked = false;
  // The tasks and steps that it holds; `undefined`: it never held one.
  #held: Set<string> | undefined;
  #error: AgentStatus["error"] = null;
  // The state of the cached entry: most agents are unchanged when another one did something.
  #changes = 0;
  #cached: CachedEntry | undefined;

  constructor(options: ReliabilityOptions) {
    this.reliability = new ReliabilityFold(options);
  }

  /** Whether it is working now, by the log. */
  get active(): boolean {
    return this.#worked && this.reliability.outcome === null && !this.done;
  }

  /** Whether all its work is done. */
  get done(): boolean {
    return this.#held?.size === 0;
  }

  hold(work: string): void {
    (this.#held ??= new Set()).add(work);
    this.#changes += 1;
  }

  release(work: string): void {
    this.#held?.delete(work);
    this.#changes += 1;
  }

  add(event: LogEvent, at: number): void {
    this.#last = at;
    this.#changes += 1;
    if (event.event_type !== "agent_registered") this.#worked = true;
    const before = this.reliability.outcome;
    this.reliability.add(event, at);
    this.#tools.add(event, at);
    // Events after the end of a turn do not change how it ended.
    this.#take(event, at, { ends: before !== this.reliability.outcome });
  }

  /** The entry as JSON in UTF-8, indented as in the file, in parts. Parts are never mutated. */
  parts(): readonly Uint8Array[] {
    const { answers, vote } = this;
    const key = `${this.#changes} ${answers.count} ${answers.label ?? ""}`;
    if (this.#cached === undefined || this.#cached.key !== key || this.#cached.vote !== vote)
      this.#cached = { key, vote, around: this.#around() };
    const [before, behind] = this.#cached.around;
    return [before, ...this.reliability.list.parts(), behind];
  }

  #take({ event_type, details }: LogEvent, at: number, { ends }: { readonly ends: boolean }): void {
    if (event_type === "enforcement") {
      const final = details["final"] === true;
      this.#restarting = details["recovery"] === "restart" && !final;
      if (this.#restarting) this.#restarts += 1;
      if (final && ends)
        this.#fail(textOf(details["reason"]) ?? "unknown", details["error_message"], at);
    } else if (event_type === "response_accepted") {
      this.#restarting = false;
      this.#error = null;
    } else if (event_type === "agent_dropped") {
      if (ends) this.#fail(textOf(details["reason"]) ?? "dropped", details["message"], at);
    } else if (event_type === "round_started") this.#error = null;
    else if (event_type === "model_usage") this.#use(details);
    else if (event_type === "infrastructure_event") this.#suffer(details, at);
  }

  #fail(type: string, message: Json | undefined, timestamp: number): void {
    this.#error = { type, message: firstCharacters(textOf(message) ?? "", PREVIEWED), timestamp };
  }

  #use(details: JsonObject): void {
    const { usage } = this;
    for (const field of FIELDS) usage[field] = added(usage[field], countOf(details[field]) ?? 0);
    usage.estimated_cost = added(usage.estimated_cost, amountOf(details["estimated_cost"]));
  }

  #suffer({ round, kind, message, docker_health }: JsonObject, timestamp: number): void {
    this.#failures += 1;
    this.#infrastructure.push({
      round: countOf(round) ?? this.reliability.round,
      kind: textOf(kind) ?? "unknown",
      message: textOf(message) ?? null,
      timestamp,
      ...(docker_health === undefined ? {} : { docker_health: objectOf(docker_health) }),
    });
    if (this.#infrastructure.length > INFRASTRUCTURE) this.#infrastructure.shift();
  }

  #status(): AgentStatus["status"] {
    const { outcome } = this.reliability;
    if (outcome === "non_compliant" || outcome === "dropped") return outcome;
    if (this.#restarting) return "restarting";
    if (this.vote !== null) return "voted";
    if (this.answers.count > 0) return "answered";
    if (this.#held !== undefined) return this.done ? "done" : "working";
    if (outcome === "ok") return "ok";
    return this.#worked ? "working" : "waiting";
  }

  // The text before and after the violations.
  #around(): readonly [Uint8Array, Uint8Array] {
    const { reliability, usage, answers, vote } = this;
    const { list } = reliability;
    const value: AgentStatus = {
      status: this.#status(),
      answer_count: answers.count,
      latest_answer_label: answers.label,
      vote_cast: vote,
      times_restarted: this.#restarts,
      last_activity: this.#last,
      error: this.#error,
      token_usage: { ...usage, estimated_cost: rounded(usage.estimated_cost, 6) },
      tool_metrics: this.#tools.value(),
      round_timing: { round_number: reliability.round, round_start_time: reliability.entered },
      infrastructure_events: this.#infrastructure,
      total_infrastructure_events: this.#failures,
      enforcement_attempts_omitted: reliability.violations - list.length,
      total_buffer_chars_carried: reliability.carried,
      reliability: reliability.value(),
    };
    const text = jsonText(value, 2).replaceAll("\n", INDENT);
    // Quotes inside strings are escaped, and only numbers and strings follow, so the last match is the list's own.
    const at = text.lastIndexOf(EMPTY) + EMPTY.length - 1;
    return [
      encoder.encode(text.slice(0, at)),
      encoder.encode(`${list.length === 0 ? "" : "\n        "}${text.slice(at)}`),
    ];
  }
}
