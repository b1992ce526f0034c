import type { Caller } from "../auth/caller.ts";
import { problem, type Problem } from "./problem.ts";

/** How many bytes of request bodies a node holds at once. */
export interface InFlightLimits {
  /** For all agents together. */
  readonly bytes_in_flight: number;
  /** For one caller. */
  readonly caller_bytes_in_flight: number;
  /** For all callers without a credential together. */
  readonly anonymous_bytes_in_flight: number;
}

/** Counts the bytes of bodies that are being read or processed. */
export interface InFlight {
  reserve(caller: Caller): Reservation;
  /** The bytes that are reserved now. */
  held(): number;
}

/** Creates the counter of a node. A caller that holds nothing may always send one body of any size. */
export function createInFlight(limits: InFlightLimits): InFlight {
  const callers = new Map<string, number>();
  const totals = { agents: 0, all: 0 };

  function change(key: string, bytes: number): void {
    const held = (callers.get(key) ?? 0) + bytes;
    if (held === 0) callers.delete(key);
    else callers.set(key, held);
    if (!isOperator(key)) totals.agents += bytes;
    totals.all += bytes;
  }

  function check(key: string, own: number, bytes: number): void {
    const most = key === ANYONE ? limits.anonymous_bytes_in_flight : limits.caller_bytes_in_flight;
    const inCaller = fits(callers.get(key) ?? 0, own, bytes, most);
    // An operator must be able to stop agents that use up what they share.
    if (!inCaller || !(isOperator(key) || fits(totals.agents, own, bytes, limits.bytes_in_flight)))
      throw busy();
  }

  return {
    reserve: (caller) => new Reservation(keyOf(caller), { change, check }),
    held: () => totals.all,
  };
}

interface Counter {
  change(key: string, bytes: number): void;
  /** Throws a 503 problem if the bytes do not fit. `own`: the bytes that the same request holds already. */
  check(key: string, own: number, bytes: number): void;
}

/** The bytes that one request holds. */
export class Reservation {
  readonly #counter: Counter;
  #key: string;
  #bytes = 0;

  constructor(key: string, counter: Counter) {
    this.#key = key;
    this.#counter = counter;
  }

  /** Reserves more bytes. Throws a 503 problem if they do not fit. */
  add(bytes: number): void {
    if (bytes === 0) return;
    this.#counter.check(this.#key, this.#bytes, bytes);
    this.#counter.change(this.#key, bytes);
    this.#bytes += bytes;
  }

  /** Counts the bytes for another caller from now on, the one that the body names. Throws like {@link add}. */
  moveTo(caller: Caller): void {
    const bytes = this.#bytes;
    this.release();
    this.#key = keyOf(caller);
    this.add(bytes);
  }

  release(): void {
    this.#counter.change(this.#key, -this.#bytes);
    this.#bytes = 0;
  }
}

// The first body of a caller always fits. Otherwise a small limit would refuse the largest body for ever.
const fits = (held: number, own: number, bytes: number, most: number): boolean =>
  held + bytes <= most || held === own;

const ANYONE = "anyone";
const isOperator = (key: string): boolean => key.startsWith("operator ");

function keyOf(caller: Caller): string {
  switch (caller.kind) {
    case "agent":
      return `agent ${caller.agent}`;
    case "enrolled":
      return `enrolled ${caller.agent ?? ""}`;
    case "operator":
      return `operator ${caller.name}`;
    case "anyone":
      return ANYONE;
  }
}

const busy = (): Problem =>
  problem({
    status: 503,
    code: "BYLAW_SERVICE_BUSY",
    detail: "The server is busy with too many request bodies",
    fix: "Send the request again later, with fewer large bodies at once.",
    headers: { "retry-after": "1", connection: "close" },
  });
