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

/** The plugin that taps, as the kernel stamps it on every vote. */
export interface TapContext extends Voter {
  readonly plugin: string;
  readonly from: string;
}

/** One tap. */
export interface TapInfo extends TapOptions<never> {
  readonly plugin: string;
  readonly tap: string;
  readonly from: string;
}

/** The tap that gave a vote. */
export const tapByVote = new WeakMap<Vote, object>();

/** One question: what taps read, and the votes so far. */
interface Poll {
  readonly view: View;
  readonly votes: Vote[];
}

type TapFunction = (subject: never, view: View) => Answer | Promise<Answer>;

/** Throws where a plugin may not declare a thing, or not any more. */
export type Declare = (what: string, may?: boolean) => void;

/**
 * One hook with its taps. tapable ends at the first answer (bail) or hands it on (waterfall); neither is "the strictest vote
 * wins". So each tap writes its votes to the poll and returns nothing: first those that answer at once, then the others side by side.
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

  /** The hook as one plugin sees it. */
  hookFor<H extends HookName>(context: TapContext, declare: Declare): Hook<H> {
    const { plugin, from } = context;
    const add = (tap: string, options?: TapOptions<never>): TapInfo => {
      declare(`tap \`${tap}\``, typeof tap === "string" && tap.trim() !== "");
      // Last, so that no option forges who votes.
      const info = { ...options, plugin, tap, from };
      this.taps.push(info);
      return info;
    };
    return {
      tap: (name, fn, options) => this.#tapSync(add(name, options), context, fn),
      tapPromise: (name, fn, options) => this.#tapAsync(add(name, options), context, fn),
    };
  }

  /** Asks every tap, and answers at once when every tap is synchronous. Never throws. */
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
    // By index up to the present length: an iterator could leave verdicts out.
    for (let index = 0, { length } = answers; index < length; index += 1)
      votes.push(voteOf(answers[index]));
    return;
  }
  // The vote says that a promise is no verdict, so its rejection needs no handler of its own.
  if (answer instanceof Promise) answer.catch(() => {});
  votes.push(voteOf(answer));
}

/** Turns the verdicts of one tap into votes. */
function votesOf(info: TapInfo, voter: Voter, hook: HookName): (given: unknown) => Vote {
  const { plugin, tap, from } = info;
  // A rule gives the same frozen verdict again and again; it is checked once.
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

/** Rejects when `work` takes longer than `deadline_ms`. */
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
