import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  allow,
  createKernel,
  definePlugin,
  deny,
  type Effect,
  type Plugin,
  type Verdict,
} from "../src/index.ts";
import { DIRECTIVES, RECOVERIES, isEffect, stricter, type HookName } from "../src/verdict.ts";
import { HOOKS, SUBJECTS, decideNow, essence, lateVoter, plugin, voter } from "./kit.ts";

const RANKS: readonly Effect[] = ["allow", "ask_user", "deny"];
const effects = fc.constantFrom(...RANKS);

interface Seat {
  readonly plugin: string;
  readonly grants: boolean;
  readonly taps: readonly {
    readonly tap: string;
    readonly answer: readonly Verdict[];
    readonly late: boolean;
  }[];
}

const verdictOf = (hook: HookName): fc.Arbitrary<Verdict> =>
  fc
    .record(
      {
        effect: effects,
        reason: fc.constantFrom("r1", "r2", "r3"),
        fix: fc.constantFrom("f1", "f2"),
        code: fc.constantFrom("rule_denied", "unknown_command", "invalid_call"),
        rule: fc.record({ name: fc.constantFrom("a", "b", "c") }),
        shadow: fc.boolean(),
        message: fc.constantFrom("m1", "m2"),
        ...(hook === "onTransition"
          ? { severity: fc.constantFrom("blocking" as const, "warning" as const) }
          : {}),
        ...(hook === "onBehavior"
          ? {
              directive: fc.record({
                action: fc.constantFrom(...DIRECTIVES),
                target: fc.constantFrom("x", "y"),
              }),
            }
          : {}),
        ...(hook === "onEnforcement" ? { recovery: fc.constantFrom(...RECOVERIES) } : {}),
      },
      { requiredKeys: ["effect", "reason"] },
    )
    .map((verdict) => verdict as Verdict);

const seatsOf = (hook: HookName): fc.Arbitrary<readonly Seat[]> =>
  fc.uniqueArray(
    fc.record({
      plugin: fc.constantFrom("p1", "p2", "p3", "p4", "p5"),
      grants: fc.boolean(),
      taps: fc.uniqueArray(
        fc.record({
          tap: fc.constantFrom("t1", "t2", "t3"),
          answer: fc.array(verdictOf(hook), { maxLength: 3 }),
          late: fc.boolean(),
        }),
        { maxLength: 3, selector: ({ tap }) => tap },
      ),
    }),
    { maxLength: 5, selector: ({ plugin }) => plugin },
  );

const seated = (
  hook: HookName,
  seats: readonly Seat[],
  { late }: { readonly late: boolean },
): readonly Plugin[] =>
  seats.map(({ plugin: name, grants, taps }) =>
    plugin(
      name,
      ({ hooks }) => {
        for (const { tap, answer, late: isLate } of taps) {
          if (late && isLate) hooks[hook].tapPromise(tap, () => Promise.resolve(answer));
          else hooks[hook].tap(tap, () => answer);
        }
      },
      { grants },
    ),
  );

// The oracle does not predict whether an invalid verdict spoils its neighbours in one answer, only that it denies.
const unmixed = (seats: readonly Seat[]): boolean =>
  seats.every(
    ({ grants, taps }) =>
      grants ||
      taps.every(
        ({ answer }) => answer.length < 2 || answer.every(({ effect }) => effect !== "allow"),
      ),
  );

// The oracle: every verdict as it must count, with its voter.
interface Counted {
  readonly key: readonly [plugin: string, tap: string, rule: string];
  readonly effect: Effect;
  /** Undefined if the check failed. */
  readonly verdict: Verdict | undefined;
}

function counted(seats: readonly Seat[]): readonly Counted[] {
  return seats.flatMap(({ plugin, grants, taps }) =>
    taps.flatMap(({ tap, answer }) =>
      answer.flatMap((verdict): readonly Counted[] => {
        const failed = verdict.effect === "allow" && !grants;
        if (failed) return [{ key: [plugin, tap, ""], effect: "deny", verdict: undefined }];
        if (verdict.shadow === true || verdict.severity === "warning") return [];
        return [{ key: [plugin, tap, verdict.rule?.name ?? ""], effect: verdict.effect, verdict }];
      }),
    ),
  );
}

const order = (left: readonly string[], right: readonly string[]): number => {
  for (const [index, part] of left.entries()) {
    const other = right[index] ?? "";
    if (part !== other) return part < other ? -1 : 1;
  }
  return 0;
};

describe("combining", () => {
  it("takes the stricter effect: commutative, associative, idempotent", () => {
    fc.assert(
      fc.property(effects, effects, effects, (a, b, c) => {
        expect(stricter(a, b)).toBe(stricter(b, a));
        expect(stricter(a, stricter(b, c))).toBe(stricter(stricter(a, b), c));
        expect(stricter(a, a)).toBe(a);
        expect(RANKS.indexOf(stricter(a, b))).toBe(Math.max(RANKS.indexOf(a), RANKS.indexOf(b)));
      }),
    );
  });

  it("recognizes effects, but not inherited names", () => {
    expect(RANKS.every(isEffect)).toBe(true);
    for (const other of [
      "Allow",
      "askuser",
      "",
      "toString",
      "constructor",
      "__proto__",
      null,
      undefined,
      0,
      {},
    ]) {
      expect(isEffect(other)).toBe(false);
    }
  });

  it.each(HOOKS)(
    "on %s counts what may count, and lets the least of the strictest decide",
    (hook) => {
      fc.assert(
        fc.property(seatsOf(hook).filter(unmixed), (seats) => {
          const decision = decideNow(
            createKernel({ plugins: seated(hook, seats, { late: false }) }),
            SUBJECTS[hook],
          );
          const votes = counted(seats);
          expect(decision.votes).toHaveLength(
            seats.flatMap(({ taps }) => taps.flatMap(({ answer }) => answer)).length,
          );
          if (votes.length === 0) {
            expect(decision.code).toBe("fallback");
            return;
          }
          const rank = Math.max(...votes.map(({ effect }) => RANKS.indexOf(effect)));
          expect(decision.effect).toBe(RANKS[rank]);
          const strictest = votes.filter(({ effect }) => RANKS.indexOf(effect) === rank);
          const keys = strictest.map(({ key }) => key).sort(order);
          const least = strictest.filter(({ key }) => order(key, keys[0] ?? []) === 0);
          const reasons = least.map(({ verdict, key }) =>
            verdict === undefined ? `The check ${key[0]}/${key[1]} failed` : verdict.reason,
          );
          expect(decision.by).toBe(`${keys[0]?.[0]}/${keys[0]?.[1]}`);
          expect(reasons).toContain(decision.reason);
          const directives = strictest.flatMap(({ verdict }) => verdict?.directive?.action ?? []);
          const recoveries = strictest.flatMap(({ verdict }) => verdict?.recovery ?? []);
          expect(decision.directive?.action).toBe(
            DIRECTIVES.findLast((action) => directives.includes(action)),
          );
          expect(decision.recovery).toBe(
            RECOVERIES.findLast((recovery) => recoveries.includes(recovery)),
          );
        }),
      );
    },
  );

  it.each(HOOKS)(
    "on %s gives the same decision for every order of plugins, taps and verdicts",
    (hook) => {
      const shuffledTwice = seatsOf(hook).chain((seats) =>
        fc.tuple(
          fc.constant(seats),
          fc.shuffledSubarray([...seats], { minLength: seats.length }),
          fc.boolean(),
        ),
      );
      fc.assert(
        fc.property(shuffledTwice, ([seats, shuffled, flip]) => {
          const other = shuffled.map((seat) => ({
            ...seat,
            taps: (flip ? seat.taps.toReversed() : seat.taps).map((tap) => ({
              ...tap,
              answer: flip ? tap.answer.toReversed() : tap.answer,
            })),
          }));
          const left = decideNow(
            createKernel({ plugins: seated(hook, seats, { late: false }) }),
            SUBJECTS[hook],
          );
          const right = decideNow(
            createKernel({ plugins: seated(hook, other, { late: false }) }),
            SUBJECTS[hook],
          );
          expect({ ...essence(right), votes: right.votes }).toEqual({
            ...essence(left),
            votes: left.votes,
          });
        }),
      );
    },
  );

  it.each(HOOKS)("on %s, it does not matter which taps answer late", async (hook) => {
    await fc.assert(
      fc.asyncProperty(seatsOf(hook), async (seats) => {
        const early = decideNow(
          createKernel({ plugins: seated(hook, seats, { late: false }) }),
          SUBJECTS[hook],
        );
        const late = await createKernel({ plugins: seated(hook, seats, { late: true }) }).decide(
          SUBJECTS[hook],
        );
        expect({ ...essence(late), votes: late.votes }).toEqual({
          ...essence(early),
          votes: early.votes,
        });
      }),
      { numRuns: 50 },
    );
  });

  it("an added vote can only make the decision stricter", () => {
    fc.assert(
      fc.property(seatsOf("beforeToolCall"), verdictOf("beforeToolCall"), (seats, verdict) => {
        const base = counted(seats);
        const plugins = seated("beforeToolCall", seats, { late: false });
        const before = decideNow(createKernel({ plugins }), SUBJECTS.beforeToolCall);
        const extra = voter("p0", "beforeToolCall", () => verdict, { grants: true });
        const after = decideNow(
          createKernel({ plugins: [...plugins, extra] }),
          SUBJECTS.beforeToolCall,
        );
        if (base.length > 0)
          expect(RANKS.indexOf(after.effect)).toBeGreaterThanOrEqual(RANKS.indexOf(before.effect));
      }),
    );
  });
});

describe("an explanation", () => {
  it.each(HOOKS)(
    "on %s is the same decision, with the answer of every tap, abstentions included",
    (hook) => {
      fc.assert(
        fc.property(seatsOf(hook), (seats) => {
          const kernel = createKernel({ plugins: seated(hook, seats, { late: false }) });
          const explanation = kernel.explain(SUBJECTS[hook]);
          if (explanation instanceof Promise)
            throw new Error("Unexpected promise, expected an explanation at once");
          const { decision, taps } = explanation;
          expect(decision).toEqual(decideNow(kernel, SUBJECTS[hook]));
          expect(taps.map(({ plugin, tap }) => `${plugin}/${tap}`)).toEqual(
            seats.flatMap(({ plugin, taps }) => taps.map(({ tap }) => `${plugin}/${tap}`)),
          );
          expect(taps.flatMap(({ votes }) => votes)).toHaveLength(decision.votes.length);
        }),
      );
    },
  );

  it("names each deny once if a plugin is used twice with the same taps", () => {
    const create = definePlugin({
      name: "twice",
      version: "1.0.0",
      options: z.strictObject({ says: z.string() }),
      apply: ({ hooks }, { says }) => hooks.beforeToolCall.tap("t", () => deny(says)),
    });
    const kernel = createKernel({ plugins: [create({ says: "one" }), create({ says: "two" })] });
    const explanation = kernel.explain(SUBJECTS.beforeToolCall);
    if (explanation instanceof Promise)
      throw new Error("Unexpected promise, expected an explanation at once");
    expect(explanation.taps.map(({ votes }) => votes.map(({ reason }) => reason))).toEqual([
      ["one"],
      ["two"],
    ]);
  });
});

describe("the answer", () => {
  it("is synchronous if every tap is, and a promise if one is not", async () => {
    const now = voter("a", "beforeToolCall", () => allow("fine"), { grants: true });
    const later = lateVoter("b", "beforeToolCall", async () => undefined);
    expect(createKernel({ plugins: [now] }).decide(SUBJECTS.beforeToolCall)).not.toBeInstanceOf(
      Promise,
    );
    const pending = createKernel({ plugins: [now, later] }).decide(SUBJECTS.beforeToolCall);
    expect(pending).toBeInstanceOf(Promise);
    expect(await pending).toMatchObject({ effect: "allow", by: "a/t" });
    // A slow tap of one hook does not affect the other hooks.
    expect(createKernel({ plugins: [now, later] }).decide(SUBJECTS.onBehavior)).not.toBeInstanceOf(
      Promise,
    );
  });
});
