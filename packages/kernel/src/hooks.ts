import { AsyncParallelHook } from "tapable";
import { codeOf } from "./decision.ts";
import { messageOf } from "./errors.ts";
import { isJsonObject, type Json } from "./json.ts";
import type { View } from "./projection.ts";
import type { Subject, SubjectOf } from "./subject.ts";
import {
  DIRECTIVES,
  RECOVERIES,
  VERDICT_CODES,
  isEffect,
  type Answer,
  type HookName,
  type Verdict,
  type Vote,
} from "./verdict.ts";

/** Extras of a tap. */
export interface TapOptions<S extends Subject> {
  /** Says, rule by rule, why the tap answers as it does; for `explain`. */
  readonly explain?: (subject: S, view: View) => Json;
}

/** Where plugins tap. Taps are pure functions of the subject and the projections. */
export interface Hook<H extends HookName> {
  /** Taps with a function that answers at once. */
  tap(name: string, fn: (subject: SubjectOf<H>, view: View) => Answer, options?: TapOptions<SubjectOf<H>>): void;
  /** Taps with a function that answers later, and before the config's deadline. */
  tapPromise(
    name: string,
    fn: (subject: SubjectOf<H>, view: View) => Promise<Answer>,
    options?: TapOptions<SubjectOf<H>>,
  ): void;
}

/** Who taps, as the kernel stamps it on every vote. */
export interface Tapper {
  readonly plugin: string;
  readonly from: string;
  readonly grants: boolean;
  readonly codes: ReadonlySet<string>;
  /** Taps that the config's `without` dropped. */
  readonly dropped: ReadonlySet<string>;
}

/** One tap, for `explain`. */
export interface TapInfo {
  readonly plugin: string;
  readonly tap: string;
  readonly from: string;
  readonly explain?: (subject: never, view: View) => Json;
}

interface Ballot {
  readonly view: View;
  readonly votes: Vote[];
}

/** One hook with its taps. */
export interface Ballots<H extends HookName> {
  readonly taps: readonly TapInfo[];
  facade(tapper: Tapper, guard: (tap: string) => void): Hook<H>;
  /** Asks every tap. The result comes at once when every tap is synchronous. Never throws. */
  ask(subject: SubjectOf<H>, view: View, done: (votes: Vote[]) => void): void;
}

// tapable ends at the first answer (bail) or hands it on (waterfall); neither is "strictest wins". So every tap becomes one
// that writes its votes on the ballot and returns nothing, and the hook asks them all, side by side.
export function createBallots<H extends HookName>(name: H, deadline_ms: number): Ballots<H> {
  const hook = new AsyncParallelHook<[SubjectOf<H>, Ballot]>(["subject", "ballot"], name);
  const taps: TapInfo[] = [];
  return {
    taps,
    facade: (tapper, guard) => {
      const register = (tap: string, options?: TapOptions<SubjectOf<H>>): boolean => {
        guard(tap);
        if (tapper.dropped.has(tap)) return false;
        const explain = options?.explain === undefined ? {} : { explain: options.explain };
        taps.push({ plugin: tapper.plugin, tap, from: tapper.from, ...explain });
        return true;
      };
      return {
        tap(tap, fn, options) {
          if (!register(tap, options)) return;
          hook.tap(tap, (subject, ballot) => {
            let answer: Answer;
            try {
              answer = fn(subject, ballot.view);
            } catch (error) {
              ballot.votes.push(failed(tapper, tap, error));
              return;
            }
            if (answer !== undefined) record(ballot, tapper, tap, answer);
          });
        },
        tapPromise(tap, fn, options) {
          if (!register(tap, options)) return;
          hook.tapPromise(tap, async (subject, ballot) => {
            try {
              record(ballot, tapper, tap, await within(deadline_ms, () => fn(subject, ballot.view)));
            } catch (error) {
              ballot.votes.push(failed(tapper, tap, error));
            }
          });
        },
      };
    },
    ask(subject, view, done) {
      const ballot: Ballot = { view, votes: [] };
      hook.callAsync(subject, ballot, () => done(ballot.votes));
    },
  };
}

async function within<T>(deadline_ms: number, work: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`Unexpected silence, expected an answer within ${deadline_ms} ms`);
    timer = setTimeout(() => reject(error), deadline_ms);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function record(ballot: Ballot, tapper: Tapper, tap: string, answer: Answer): void {
  if (answer === undefined) return;
  for (const verdict of Array.isArray(answer) ? (answer as readonly Verdict[]) : [answer as Verdict]) {
    const wrong = fault(verdict, tapper);
    ballot.votes.push(wrong === undefined ? stamp(verdict, tapper, tap) : failed(tapper, tap, new Error(wrong)));
  }
}

function stamp(verdict: Verdict, { plugin, from }: Tapper, tap: string): Vote {
  return Object.freeze({ ...verdict, plugin, tap, from, code: verdict.code ?? codeOf(verdict.effect) });
}

// Why an answer is not a verdict that this plugin may give, or nothing.
function fault(verdict: unknown, { grants, codes }: Tapper): string | undefined {
  if (!isJsonObject(verdict)) return "Unexpected answer, expected a verdict or nothing";
  const { effect, reason, code, directive, recovery, fix, message, shadow, severity } = verdict as Partial<Verdict>;
  if (!isEffect(effect)) return "Unexpected effect, expected allow, ask_user or deny";
  if (typeof reason !== "string") return "Unexpected verdict without a reason";
  if (!optionally(fix, "string") || !optionally(message, "string") || !optionally(shadow, "boolean")) {
    return "Unexpected field in a verdict, expected text in `fix` and `message` and a boolean in `shadow`";
  }
  if (severity !== undefined && severity !== "blocking" && severity !== "warning")
    return "Unexpected severity, expected blocking or warning";
  if (effect === "allow" && !grants)
    return "Unexpected allow from a plugin without `grants`, expected deny, ask_user or nothing";
  if (code !== undefined && !VERDICT_CODES.has(code) && !codes.has(code))
    return `Unexpected code \`${String(code)}\`, expected one that the plugin declares`;
  if (directive !== undefined && !(isJsonObject(directive) && DIRECTIVES.includes(directive.action)))
    return "Unexpected directive, expected one with a known action";
  if (recovery !== undefined && !RECOVERIES.includes(recovery))
    return "Unexpected recovery, expected inline, restart or end";
  return undefined;
}

const optionally = (value: unknown, type: "string" | "boolean"): boolean =>
  value === undefined || typeof value === type;

/** The vote of a check that could not do its work. */
export function failed({ plugin, from }: Pick<Tapper, "plugin" | "from">, tap: string, error: unknown): Vote {
  return Object.freeze({
    effect: "deny",
    code: "check_failed",
    reason: `Unexpected failure of ${plugin}/${tap}, expected a verdict`,
    fix: "mend or remove the check; until then it denies",
    plugin,
    tap,
    from,
    error: messageOf(error),
  });
}
