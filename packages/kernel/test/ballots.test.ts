import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  createKernel,
  definePlugin,
  deny,
  type Decision,
  type Effect,
  type Plugin,
} from "../src/index.ts";
import type { Answer, HookName } from "../src/verdict.ts";
import { HOOKS, SUBJECTS, decideNow, essence, forged, plugin } from "./kit.ts";

const KINDS = ["deny", "ask", "grant", "overreach", "abstain", "throws", "junk"] as const;
type Kind = (typeof KINDS)[number];
type Factory = () => Plugin;

// Written independently of the implementation: how each kind of voter must count.
const CAST: Readonly<Record<Kind, { readonly effect: Effect; readonly code: string } | undefined>> =
  {
    deny: { effect: "deny", code: "rule_denied" },
    ask: { effect: "ask_user", code: "rule_asked" },
    grant: { effect: "allow", code: "rule_allowed" },
    overreach: { effect: "deny", code: "check_failed" },
    abstain: undefined,
    throws: { effect: "deny", code: "check_failed" },
    junk: { effect: "deny", code: "check_failed" },
  };

const FALLBACK: Readonly<Record<HookName, Effect>> = {
  beforeToolCall: "ask_user",
  onTransition: "deny",
  onBehavior: "deny",
  onEnforcement: "allow",
};

// Two naming schemes, so that no kind decides only because of its name. Copies are numbered downwards: a later one sorts first.
const SCHEMES: readonly Readonly<Record<Kind, string>>[] = [
  { deny: "m", ask: "c", grant: "z", overreach: "k", abstain: "a", throws: "q", junk: "e" },
  { deny: "b", ask: "y", grant: "a", overreach: "r", abstain: "n", throws: "d", junk: "x" },
];
const COPIES = 4;
const nameOf = (scheme: number, kind: Kind, copy: number): string =>
  `@demo/${SCHEMES[scheme]?.[kind] ?? ""}${String(COPIES - copy)}`;

function answerOf(kind: Kind, name: string): Answer {
  const about = { reason: `${name} says ${kind}`, rule: { name: `rule-of-${name}` } };
  if (kind === "deny") return { effect: "deny", ...about };
  if (kind === "ask") return { effect: "ask_user", ...about };
  if (kind === "grant" || kind === "overreach") return { effect: "allow", ...about };
  if (kind === "junk") return forged({ effect: "maybe", ...about });
  if (kind === "throws") throw new Error(`${name} broke`);
  return undefined;
}

function voters(hook: HookName, scheme: number): ReadonlyMap<string, Factory> {
  const factories = new Map<string, Factory>();
  for (const kind of KINDS) {
    for (let copy = 0; copy < COPIES; copy += 1) {
      const name = nameOf(scheme, kind, copy);
      const create = definePlugin({
        name,
        version: "1.0.0",
        options: z.undefined(),
        grants: kind === "grant",
        apply: ({ hooks }) => hooks[hook].tap("t", () => answerOf(kind, name)),
      });
      factories.set(name, () => create());
    }
  }
  return factories;
}

function* ballots(longest: number): Generator<readonly Kind[]> {
  let layer: readonly (readonly Kind[])[] = [[]];
  for (let length = 0; length <= longest; length += 1) {
    yield* layer;
    layer = layer.flatMap((ballot) => KINDS.map((kind) => [...ballot, kind]));
  }
}

// The k-th voter of a kind has the same name in every order of the voters.
function named(
  ballot: readonly Kind[],
  scheme: number,
): readonly { readonly kind: Kind; readonly name: string }[] {
  return ballot.map((kind, index) => {
    const copy = ballot.slice(0, index).filter((earlier) => earlier === kind).length;
    return { kind, name: nameOf(scheme, kind, copy) };
  });
}

const STRICTNESS: readonly Effect[] = ["allow", "ask_user", "deny"];

function expected(
  hook: HookName,
  ballot: readonly { readonly kind: Kind; readonly name: string }[],
) {
  const cast = ballot
    .flatMap(({ kind, name }) => {
      const vote = CAST[kind];
      return vote === undefined ? [] : [{ ...vote, kind, name }];
    })
    .sort((left, right) => (left.name < right.name ? -1 : 1));
  const votes = cast.map(({ name, effect, code }) => ({ plugin: name, effect, code }));
  if (cast.length === 0)
    return { effect: FALLBACK[hook], code: "fallback", by: undefined, rule: undefined, votes };
  const rank = Math.max(...cast.map(({ effect }) => STRICTNESS.indexOf(effect)));
  const deciding = cast.find(({ effect }) => STRICTNESS.indexOf(effect) === rank);
  if (deciding === undefined) throw new Error("no vote has the strictest effect");
  const failed = deciding.code === "check_failed";
  return {
    effect: deciding.effect,
    code: deciding.code,
    by: `${deciding.name}/t`,
    rule: failed ? undefined : { name: `rule-of-${deciding.name}` },
    votes,
  };
}

const summary = ({ effect, code, by, rule, votes }: Decision) => ({
  effect,
  code,
  by,
  rule,
  votes: votes.map(({ plugin, effect, code }) => ({ plugin, effect, code })),
});

describe.each(HOOKS)("every ordered ballot of up to four voters on %s", (hook) => {
  it.each([0, 1])(
    "comes to the strictest vote, whatever the order (naming scheme %i)",
    (scheme) => {
      const factories = voters(hook, scheme);
      const outcomes = new Map<string, string>();
      const wrong: unknown[] = [];
      let asked = 0;
      for (const ballot of ballots(4)) {
        const who = named(ballot, scheme);
        const kernel = createKernel({
          plugins: who.map(({ name }) => (factories.get(name) as Factory)()),
        });
        const decision = decideNow(kernel, SUBJECTS[hook]);
        const wanted = expected(hook, who);
        const got = summary(decision);
        if (JSON.stringify(got) !== JSON.stringify(wanted)) wrong.push({ ballot, got, wanted });
        const outcome = JSON.stringify({ ...essence(decision), votes: decision.votes });
        const multiset = who
          .map(({ name }) => name)
          .sort()
          .join();
        const first = outcomes.get(multiset);
        if (first === undefined) outcomes.set(multiset, outcome);
        else if (first !== outcome) wrong.push({ ballot, outcome, first });
        asked += 1;
      }
      expect(wrong).toEqual([]);
      expect(asked).toBe(1 + 7 + 49 + 343 + 2401);
      // The number of multisets of size k over 7 kinds: C(k + 6, 6).
      expect(outcomes.size).toBe(1 + 7 + 28 + 84 + 210);
    },
  );

  it("is not changed by a plugin that is listed or used twice", () => {
    const factories = voters(hook, 0);
    const changed: unknown[] = [];
    for (const ballot of ballots(3)) {
      const once = named(ballot, 0).map(({ name }) => (factories.get(name) as Factory)());
      const decision = decideNow(createKernel({ plugins: once }), SUBJECTS[hook]);
      const listed = decideNow(createKernel({ plugins: [...once, ...once] }), SUBJECTS[hook]);
      if (JSON.stringify(listed) !== JSON.stringify(decision))
        changed.push({ ballot, listed, decision });
      for (const { name } of named(ballot, 0)) {
        const again = (factories.get(name) as Factory)();
        for (const plugins of [
          [...once, again],
          [again, ...once],
        ]) {
          const used = essence(decideNow(createKernel({ plugins }), SUBJECTS[hook]));
          if (JSON.stringify(used) !== JSON.stringify(essence(decision)))
            changed.push({ ballot, used, decision });
        }
      }
    }
    expect(changed).toEqual([]);
  });
});

it("a vote names its voter, whatever the options of the tap say", () => {
  const options: object = { plugin: "trusted", tap: "rule", from: "elsewhere" };
  const forger = plugin("forger", ({ hooks }) => {
    hooks.beforeToolCall.tap("own", () => deny("No"), options);
  });
  const { by, from } = decideNow(createKernel({ plugins: [forger] }), SUBJECTS.beforeToolCall);
  expect({ by, from }).toEqual({ by: "forger/own", from: "config" });
});
