import { AsyncParallelHook, SyncHook } from "tapable";
import type { Hook, TapOptions } from "../contract/plugin.d.ts";
import type { View } from "../contract/projection.d.ts";
import type { Subject } from "../contract/subject.d.ts";
import type { Answer, HookName, Verdict, Vote } from "../contract/verdict.d.ts";
import { messageOf } from "./errors.ts";
import { freezeJson, isJsonObject } from "./json.ts";
import { CODE_OF_EFFECT, DIRECTIVES, RECOVERIES, VERDICT_CODES, isEffect } from "./verdict.ts";

/** Who taps, as the kernel stamps it on every vote. */
export interface Tapper {
  readonly plugin: string;
  readonly from: string;
  readonly grants: boolean;
  readonly codes: ReadonlySet<string>;
}

/** One tap, for `explain`. */
export interface TapInfo extends TapOptions<never> {
  readonly hook: HookName;
  readonly plugin: string;
  readonly tap: string;
  readonly from: string;
}

/** One tap at work. */
interface Voter {
  readonly tapper: Tapper;
  readonly info: TapInfo;
  /** The votes of frozen verdicts. */
  readonly stamped: WeakMap<object, Vote>;
}

/** One hook with its taps. */
export interface Ballots {
  readonly taps: readonly TapInfo[];
  /** What a plugin taps; `declare` throws where it may not. */
  facade<H extends HookName>(tapper: Tapper, declare: (what: string, may: boolean) => void): Hook<H>;
  /** Asks every tap, and answers at once when every tap is synchronous. Never throws. */
  ask(subject: Subject, view: View): readonly Vote[] | Promise<readonly Vote[]>;
}

/** The tap that gave a vote. */
export const origins = new WeakMap<Vote, object>();

interface Ballot {
  readonly view: View;
  readonly votes: Vote[];
}

// tapable ends at the first answer (bail) or hands it on (waterfall); neither is "strictest wins". So every tap becomes one
// that writes its votes on the ballot and returns nothing, and the hooks ask them all: those that
// answer at once first, the others side by side.
export function createBallots(name: HookName, deadline_ms: number): Ballots {
  const prompt = new SyncHook<[Subject, Ballot]>(["subject", "ballot"], name);
  const late = new AsyncParallelHook<[Subject, Ballot]>(["subject", "ballot"], name);
  const taps: TapInfo[] = [];
  return {
    taps,
    facade: (tapper, declare) => {
      type Fn = (subject: never, view: View) => Answer | Promise<Answer>;
      const on =
        (register: (voter: Voter, fn: Fn) => void) =>
        (tap: string, fn: Fn, options: TapOptions<never> = {}) => {
          declare(`tap \`${tap}\``, typeof tap === "string" && tap.trim() !== "");
          const info: TapInfo = { hook: name, plugin: tapper.plugin, tap, from: tapper.from, ...options };
          taps.push(info);
          register({ tapper, info, stamped: new WeakMap() }, fn);
        };
      return {
        tap: on((voter, fn) =>
          prompt.tap(voter.info.tap, (subject, { view, votes }) => {
            try {
              record(votes, voter, fn(subject as never, view));
            } catch (error) {
              votes.push(failed(voter.info, error));
            }
          }),
        ),
        tapPromise: on((voter, fn) =>
          late.tapPromise(voter.info.tap, (subject, { view, votes }) =>
            within(deadline_ms, async () => fn(subject as never, view))
              .then((answer) => record(votes, voter, answer))
              .catch((error: unknown) => void votes.push(failed(voter.info, error))),
          ),
        ),
      };
    },
    ask(subject, view) {
      const ballot: Ballot = { view, votes: [] };
      prompt.call(subject, ballot);
      return late.taps.length === 0 ? ballot.votes : late.promise(subject, ballot).then(() => ballot.votes);
    },
  };
}

/** Rejects when `work` takes longer than `deadline_ms`. */
export function within<T>(deadline_ms: number, work: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Unexpected silence, expected an answer within ${deadline_ms} ms`)), deadline_ms);
  });
  return Promise.race([work(), late]).finally(() => clearTimeout(timer));
}

function record(votes: Vote[], voter: Voter, answer: unknown): void {
  if (answer === undefined) return;
  if (Array.isArray(answer)) {
    const answers: readonly unknown[] = answer;
    // By index, and to the length that it has now: an iterator could leave verdicts out.
    for (let index = 0, { length } = answers; index < length; index += 1) votes.push(stamp(answers[index], voter));
    return;
  }
  // A rejection of what should not be a promise is nobody's to handle: the vote says all there is to say.
  if (answer instanceof Promise) answer.catch(() => {});
  votes.push(stamp(answer, voter));
}

// What `freezeJson` made cannot change, so a verdict that a rule gives again and again is looked at once.
function stamp(given: unknown, { tapper, info, stamped }: Voter): Vote {
  const known = stamped.get(given as object);
  if (known !== undefined) return known;
  try {
    const verdict = freezeJson(given) as unknown as Verdict;
    const wrong = fault(verdict, tapper, info.hook);
    if (wrong !== undefined) throw new Error(`Unexpected ${wrong}`);
    const { plugin, tap, from } = info;
    // Frozen in the way that is known, so that who records it makes no copy.
    const vote = freezeJson({ ...verdict, plugin, tap, from, code: verdict.code ?? CODE_OF_EFFECT[verdict.effect] }) as unknown as Vote;
    origins.set(vote, info);
    if (Object.is(verdict, given)) stamped.set(verdict, vote);
    return vote;
  } catch (error) {
    return failed(info, error);
  }
}

// Why an answer is not a verdict that this plugin may give, or nothing.
function fault(verdict: Verdict, { grants, codes }: Tapper, hook: HookName): string | undefined {
  if (!isJsonObject(verdict)) return "answer, expected a verdict or nothing";
  const { effect, reason, code = "rule_denied", directive, recovery = "end" }: Partial<Verdict> = verdict;
  const { fix = "", message = "", shadow = true, severity = "blocking", rule = { name: "" } }: Partial<Verdict> = verdict;
  const texts = [reason, fix, message, code, rule.name, rule.file ?? ""];
  if (!isEffect(effect)) return "effect, expected allow, ask_user or deny";
  if (effect === "allow" && !grants) return "allow from a plugin without `grants`, expected deny, ask_user or nothing";
  if (!texts.every((text) => typeof text === "string")) return "verdict, expected text in reason, fix, message, code and rule";
  if (typeof (rule.line ?? 0) !== "number" || typeof shadow !== "boolean") return "line or shadow, expected a number and a boolean";
  if (severity !== "blocking" && (severity !== "warning" || hook !== "onTransition"))
    return "severity, expected blocking, or warning of a transition";
  if (!(VERDICT_CODES as readonly string[]).includes(code) && !codes.has(code))
    return `code \`${code}\`, expected one that the plugin declares`;
  if (directive !== undefined && !DIRECTIVES.includes(directive.action)) return `directive, expected ${DIRECTIVES.join(", ")}`;
  if (!RECOVERIES.includes(recovery)) return `recovery, expected ${RECOVERIES.join(", ")}`;
  return undefined;
}

/** The vote of a check that could not do its work. */
export function failed(info: Omit<TapInfo, "explain" | "hook">, error: unknown): Vote {
  const { plugin, tap, from } = info;
  const reason = `Unexpected failure of ${plugin}/${tap}, expected a verdict`;
  const fix = "mend or remove the check; until then it denies";
  const vote: Vote = Object.freeze({ effect: "deny", code: "check_failed", reason, fix, plugin, tap, from, error: messageOf(error) });
  origins.set(vote, info);
  return vote;
}
