import { AsyncParallelHook, SyncHook } from "tapable";
import { messageOf } from "./errors.ts";
import { freezeJson } from "./json.ts";
import type { Hook, TapOptions } from "./plugin.ts";
import type { View } from "./projection.ts";
import type { Subject } from "./subject.ts";
import {
  CODE_OF_EFFECT,
  verdictFault,
  type Answer,
  type HookName,
  type Verdict,
  type Vote,
  type Voter,
} from "./verdict.ts";

/** The plugin that taps. The kernel adds it to every vote. */
export interface TapContext extends Voter {
  readonly plugin: string;
  readonly from: string;
}

/** A tap with its plugin. */
export interface TapInfo extends TapOptions<never> {
  readonly plugin: string;
  readonly tap: string;
  readonly from: string;
}

/** The tap that cast a vote. */
export const tapByVote = new WeakMap<Vote, object>();

/** One question to the taps: the input that they read, and the votes so far. */
interface Poll {
  readonly view: View;
  readonly votes: Vote[];
}

type TapFunction = (subject: never, view: View) => Answer | Promise<Answer>;

/** Throws if a plugin may not declare something, or not any more. */
export type Declare = (what: string, may?: boolean) => void;

/**
 * One hook with its taps. In tapable, the first answer ends the call (bail) or is passed on (waterfall), but here the strictest
 * vote must win. So each tap adds its votes to the poll and returns nothing. Synchronous taps run first, then the asynchronous
 * ones concurrently.
 */
export class HookRunner {
  readonly taps: TapInfo[] = [];
  readonly #name: HookName;
  readonly #deadline_ms: number;
  readonly #sync = new SyncHook<[Subject, Poll]>(["subject", "poll"]);
  readonly #async = new AsyncParallelHook<[Subject, Poll]>(["subject", "poll"]);

  constructor(name: HookName, deadline_ms: number) {
    this.#name = name;
    this.#deadline_ms = deadline_ms;
  }

  /** Returns the hook for one plugin. */
  hookFor<H extends HookName>(context: TapContext, declare: Declare): Hook<H> {
    const { plugin, from } = context;
    const add = (tap: string, options?: TapOptions<never>): TapInfo => {
      declare(`tap \`${tap}\``, typeof tap === "string" && tap.trim() !== "");
      // These come last, so that no option can forge the voter.
      const info = { ...options, plugin, tap, from };
      this.taps.push(info);
      return info;
    };
    return {
      tap: (name, fn, options) => this.#tapSync(add(name, options), context, fn),
      tapPromise: (name, fn, options) => this.#tapAsync(add(name, options), context, fn),
    };
  }

  /** Asks every tap. The result is synchronous if every tap is. Never throws. */
  ask(subject: Subject, view: View): readonly Vote[] | Promise<readonly Vote[]> {
    const poll: Poll = { view, votes: [] };
    this.#sync.call(subject, poll);
    return this.#async.taps.length === 0
      ? poll.votes
      : this.#async.promise(subject, poll).then(() => poll.votes);
  }

  #tapSync(info: TapInfo, voter: Voter, fn: TapFunction): void {
    const voteOf = votesOf(info, voter, this.#name);
    this.#sync.tap(info.tap, (subject, { view, votes }) => {
      try {
        record(votes, fn(subject as never, view), voteOf);
      } catch (error) {
        votes.push(failedVote(info, error));
      }
    });
  }

  #tapAsync(info: TapInfo, voter: Voter, fn: TapFunction): void {
    const voteOf = votesOf(info, voter, this.#name);
    this.#async.tapPromise(info.tap, (subject, { view, votes }) =>
      within(this.#deadline_ms, async () => fn(subject as never, view))
        .then((answer) => record(votes, answer, voteOf))
        .catch((error: unknown) => void votes.push(failedVote(info, error))),
    );
  }
}

function record(votes: Vote[], answer: unknown, voteOf: (given: unknown) => Vote): void {
  if (answer === undefined) return;
  if (Array.isArray(answer)) {
    const answers: readonly unknown[] = answer;
    // Iterates by index up to the current length, because a custom iterator could hide verdicts.
    for (let index = 0, { length } = answers; index < length; index += 1)
      votes.push(voteOf(answers[index]));
    return;
  }
  // The vote reports that a promise is no verdict, so ignore its rejection.
  if (answer instanceof Promise) answer.catch(() => {});
  votes.push(voteOf(answer));
}

/** Turns the verdicts of one tap into votes. */
function votesOf(info: TapInfo, voter: Voter, hook: HookName): (given: unknown) => Vote {
  const { plugin, tap, from } = info;
  // A rule returns the same frozen verdict again and again, so check it only once.
  const known = new WeakMap<object, Vote>();
  return (given) => {
    const before = known.get(given as object);
    if (before !== undefined) return before;
    try {
      const verdict = freezeJson(given) as unknown as Verdict;
      const fault = verdictFault(verdict, voter, hook);
      if (fault !== undefined) throw new Error(fault);
      const code = verdict.code ?? CODE_OF_EFFECT[verdict.effect];
      const vote = freezeJson({ ...verdict, plugin, tap, from, code }) as unknown as Vote;
      tapByVote.set(vote, info);
      if (Object.is(verdict, given)) known.set(verdict, vote);
      return vote;
    } catch (error) {
      return failedVote(info, error);
    }
  };
}

/** Rejects if `work` takes longer than `deadline_ms`. */
export function within<T>(deadline_ms: number, work: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${deadline_ms} ms`)), deadline_ms);
  });
  return Promise.race([work(), late]).finally(() => clearTimeout(timer));
}

/** The vote of a check that failed. */
export function failedVote(info: TapInfo, error: unknown): Vote {
  const { plugin, tap, from } = info;
  const vote: Vote = Object.freeze({
    effect: "deny",
    code: "check_failed",
    reason: `The check ${plugin}/${tap} failed`,
    fix: "Fix or remove the check. Until then it denies.",
    plugin,
    tap,
    from,
    error: messageOf(error),
  });
  tapByVote.set(vote, info);
  return vote;
}
