import type { Effect, LogEvent } from "@bylaw/kernel";
import { asksPerson, callHash, readRecordedCall } from "@bylaw/log";
import { callTargets } from "@bylaw/policy-language";
import { BoundedNames } from "./bounded-names.ts";
import { decidedBy } from "./decision-of.ts";

/** How agents went on after a denial. */
export interface RetryCount {
  denied: number;
  /** A rule offered other arguments, and the call ran with them. The agent retried nothing. */
  changed_by_rule: number;
  /** The same call was made again: the same tool, arguments and folder. */
  same_call: number;
  /** Another call acts on something that the denied call would have acted on. */
  another_call: number;
  /** Retries of either kind, by what was decided. */
  allow: number;
  ask_user: number;
  deny: number;
}

export interface RetryReport {
  readonly totals: RetryCount;
  readonly rules: readonly (RetryCount & { readonly rule: string })[];
}

interface Denial {
  readonly key: string;
  readonly targets: ReadonlySet<string>;
  readonly counts: readonly RetryCount[];
  /** How many further calls of the agent are compared with it. */
  left: number;
}

/** A call counts as a retry if it is among this many calls after the denial. */
const RETRY_WINDOW = 20;
/** The most agents of a run whose denials are kept. */
const MAX_AGENTS = 1_000;

const noRetries = (): RetryCount => ({
  ...{ denied: 0, changed_by_rule: 0, same_call: 0, another_call: 0 },
  ...{ allow: 0, ask_user: 0, deny: 0 },
});

/** Counts denied calls that the same agent tried again, or by another call. A denial counts as retried at most once. */
export class RetryCounter {
  readonly #totals = noRetries();
  readonly #rules = new BoundedNames(noRetries);
  readonly #agents = new Map<string | null, Denial[]>();

  /** A call of another run is no retry. */
  begin(): void {
    this.#agents.clear();
  }

  /** Adds the decision about a call. */
  add(event: LogEvent, effect: Effect): void {
    const denials = this.#agents.get(event.agent_id) ?? [];
    // A call that waits for a person's yes has to be made again.
    const denied = effect === "deny" && !asksPerson(event);
    if (denials.length === 0 && !denied) return;
    const key = callHash(event);
    const { call } = readRecordedCall(event);
    const targets = call === undefined ? NONE : callTargets(call);
    const open = denials.filter((denial) => {
      denial.left -= 1;
      const same = denial.key === key;
      if (!same && ![...targets].some((target) => denial.targets.has(target)))
        return denial.left > 0;
      for (const count of denial.counts) {
        count[same ? "same_call" : "another_call"] += 1;
        count[effect] += 1;
      }
      return false;
    });
    if (denied) {
      const counts = [this.#totals, this.#rules.of(decidedBy(event))];
      for (const count of counts) count.denied += 1;
      open.push({ key, targets, counts, left: RETRY_WINDOW });
    }
    if (open.length > 0) this.#agents.set(event.agent_id, open);
    else this.#agents.delete(event.agent_id);
    const [oldest] = this.#agents.keys();
    if (this.#agents.size > MAX_AGENTS && oldest !== undefined) this.#agents.delete(oldest);
  }

  /** Counts a call of an agent that ran with other arguments: the one with this key. */
  changed(agent: string | null, key: string): void {
    const denials = this.#agents.get(agent) ?? [];
    const denial = denials.findLast((open) => open.key === key);
    if (denial === undefined) return;
    for (const count of denial.counts) count.changed_by_rule += 1;
    denials.splice(denials.indexOf(denial), 1);
  }

  result(): RetryReport {
    const rules = this.#rules.entries.map(([rule, count]) => ({ rule, ...count }));
    return {
      totals: this.#totals,
      rules: rules.toSorted((one, other) => other.denied - one.denied),
    };
  }
}

const NONE: ReadonlySet<string> = new Set();
