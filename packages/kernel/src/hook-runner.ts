import { AsyncParallelHook, SyncHook } from "tapable";
import { messageOf } from "./errors.ts";
import { freezeJson } from "./json.ts";
import type { Hook, TapOptions } from "./plugin.ts";
import type { View } from "./projection.ts";
import type { Subject } from "./subject.ts";
import { CODE_OF_EFFECT, type Answer, type HookName, type Verdict, type Vote } from "./verdict.ts";
import { verdictFault, type Voter } from "./verdict-fault.ts";

/** The plugin that taps, as the kernel stamps it on every vote. */
export interface TapContext extends Voter {
  readonly plugin: string;
  readonly from: string;
}

/** One tap. */
export interface TapInfo extends TapOptions<never> {
  readonly hook: HookName;
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
  readonly #sync: SyncHook<[Subject, Poll]>;
  readonly #async: AsyncParallelHook<[Subject, Poll]>;

  constructor(name: HookName, deadline_ms: number) {
    this.#name = name;
    this.#deadline_ms = deadline_ms;
    this.#sync = new SyncHook(["subject", "poll"], name);
    this.#async = new AsyncParallelHook(["subject", "poll"], name);
  }

  /** The hook as one plugin sees it. */
  hookFor<H extends HookName>(context: TapContext, declare: Declare): Hook<H> {
    return {
      tap: (tap, fn, options) => this.#tapSync(this.#tap(context, declare, tap, options), fn),
      tapPromise: (tap, fn, options) =>
        this.#tapAsync(this.#tap(context, declare, tap, options), fn),
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

  #tap(
    context: TapContext,
    declare: Declare,
    tap: string,
    options: TapOptions<never> = {},
  ): TapVotes {
    declare(`tap \`${tap}\``, typeof tap === "string" && tap.trim() !== "");
    const { plugin, from } = context;
    const info: TapInfo = { hook: this.#name, plugin, tap, from, ...options };
    this.taps.push(info);
    return new TapVotes(info, context);
  }

  #tapSync(tap: TapVotes, fn: TapFunction): void {
    this.#sync.tap(tap.info.tap, (subject, { view, votes }) => {
      try {
        tap.record(votes, fn(subject as never, view));
      } catch (error) {
        votes.push(failedVote(tap.info, error));
      }
    });
  }

  #tapAsync(tap: TapVotes, fn: TapFunction): void {
    this.#async.tapPromise(tap.info.tap, (subject, { view, votes }) =>
      within(this.#deadline_ms, async () => fn(subject as never, view))
        .then((answer) => tap.record(votes, answer))
        .catch((error: unknown) => void votes.push(failedVote(tap.info, error))),
    );
  }
}

/** Turns the answers of one tap into votes. */
class TapVotes {
  readonly info: TapInfo;
  readonly #voter: Voter;
  // A rule gives the same frozen verdict again and again; it is checked once.
  readonly #known = new WeakMap<object, Vote>();

  constructor(info: TapInfo, voter: Voter) {
    this.info = info;
    this.#voter = voter;
  }

  record(votes: Vote[], answer: unknown): void {
    if (answer === undefined) return;
    if (Array.isArray(answer)) {
      const answers: readonly unknown[] = answer;
      // By index up to the present length: an iterator could leave verdicts out.
      for (let index = 0, { length } = answers; index < length; index += 1)
        votes.push(this.#vote(answers[index]));
      return;
    }
    // The vote says that a promise is no verdict, so its rejection needs no handler of its own.
    if (answer instanceof Promise) answer.catch(() => {});
    votes.push(this.#vote(answer));
  }

  #vote(given: unknown): Vote {
    const known = this.#known.get(given as object);
    if (known !== undefined) return known;
    try {
      const verdict = freezeJson(given) as unknown as Verdict;
      const fault = verdictFault(verdict, this.#voter, this.info.hook);
      if (fault !== undefined) throw new Error(fault);
      const { plugin, tap, from } = this.info;
      const code = verdict.code ?? CODE_OF_EFFECT[verdict.effect];
      const vote = freezeJson({ ...verdict, plugin, tap, from, code }) as unknown as Vote;
      tapByVote.set(vote, this.info);
      if (Object.is(verdict, given)) this.#known.set(verdict, vote);
      return vote;
    } catch (error) {
      return failedVote(this.info, error);
    }
  }
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
export function failedVote(info: Pick<TapInfo, "plugin" | "tap" | "from">, error: unknown): Vote {
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
