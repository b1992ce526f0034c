import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JSON_LIMITS, createKernel, freezeJson, type Response } from "../src/index.ts";
import { SUBJECTS, call, decideNow, forged, nested, voter } from "./kit.ts";
import { seen, refused, decide, cyclic, Shell, throwing, trap, revoked } from "./border-kit.ts";

describe("data that JSON cannot express", () => {
  const hostile: readonly [string, () => unknown][] = [
    ["a function", () => () => {}],
    ["a symbol", () => Symbol("x")],
    ["a bigint", () => 1n],
    ["NaN", () => Number.NaN],
    ["Infinity", () => Infinity],
    ["minus Infinity", () => -Infinity],
    ["a lone high surrogate", () => "a\ud800"],
    ["a lone low surrogate", () => "\udc00a"],
    ["a lone surrogate in a key", () => ({ "\ud800": 1 })],
    ["an own `__proto__`", () => JSON.parse('{"__proto__": {"admin": true}}')],
    ["a deep own `__proto__`", () => ({ a: [JSON.parse('{"__proto__": 1}')] })],
    ["a date", () => new Date(0)],
    ["a map", () => new Map()],
    ["a set", () => new Set()],
    ["a regular expression", () => /x/],
    ["bytes", () => new Uint8Array(2)],
    ["an error", () => new Error("x")],
    ["a promise", () => Promise.resolve(1)],
    ["a boxed string", () => new String("ls")],
    ["a class instance", () => new Shell()],
    ["an inherited property", () => Object.create({ command: "ls" })],
    ["a list with a hole", () => Object.assign([1], { 2: 2 })],
    ["a huge list of holes", () => Object.assign([], { length: 4_000_000_000 })],
    ["undefined in a list", () => [undefined]],
    ["a cycle", cyclic],
    ["nesting beyond the limit", () => nested(JSON_LIMITS.depth + 2)],
    ["nesting that would overflow the stack", () => nested(200_000)],
    ["more values than the limit", () => Array.from({ length: JSON_LIMITS.values + 1 }, () => 0)],
    [
      "shared parts that unfold beyond the limit",
      () => Array.from({ length: 40 }).reduce((inner) => [inner, inner], 0),
    ],
    [
      "a getter that throws",
      () => Object.defineProperty({}, "command", { enumerable: true, get: throwing }),
    ],
    ["a proxy that throws", () => new Proxy({}, trap)],
    ["a revoked proxy", revoked],
  ];

  it.each(hostile)("as %s is denied in the arguments, and nothing is thrown", (_, make) => {
    for (const args of [make(), { x: make() }, [make()], { x: { y: [make()] } }]) {
      expect(decide(call({ args: forged(args) }))).toMatchObject(refused);
    }
  });

  it.each(hostile)("as %s is denied in every other place of a subject", (_, make) => {
    for (const subject of [
      call({ host: forged({ x: make() }) }),
      call({ claims: forged({ x: make() }) }),
      call({ annotations: forged(make()) }),
      call({ tool: forged(make()) }),
      call({ servers: forged({ s: make() }) }),
      { ...SUBJECTS.onTransition, artifacts: { report: make() } },
      { ...SUBJECTS.onBehavior, reason: make() },
      { ...SUBJECTS.onEnforcement, tool_calls: [{ tool: "t", args: make() }] },
    ]) {
      expect(decide(subject)).toMatchObject(refused);
    }
  });

  it.each(hostile)("as %s is denied as a whole subject", (_, make) => {
    expect(decide(make())).toMatchObject(refused);
  });

  it("is rejected by freezeJson with an error code", () => {
    for (const [name, make] of hostile) {
      if (name.includes("throws") || name.includes("revoked")) continue;
      expect(() => freezeJson(make()), name).toFailWith("BYLAW_JSON_INVALID");
    }
  });

  it("never gets through: a tap sees only what JSON can express", () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      maxDepth: 4,
    });
    fc.assert(
      fc.property(anything, (value) => {
        seen.length = 0;
        const decision = decide(call({ args: forged(value) }));
        if (decision.effect !== "allow") expect(decision).toMatchObject(refused);
        else expect(JSON.stringify(seen[0]?.args)).toBe(JSON.stringify(value));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("plain data", () => {
  it("gets through unchanged, deep-frozen and detached from the caller", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ noUnicodeString: false })),
        (args) => {
          fc.pre(!JSON.stringify(args).includes("__proto__"));
          seen.length = 0;
          expect(decide(call({ args: forged(args) })).effect).toBe("allow");
          expect(JSON.stringify(seen[0]?.args)).toBe(JSON.stringify(args));
          const frozen = (value: unknown): boolean =>
            typeof value !== "object" ||
            value === null ||
            (Object.isFrozen(value) && Object.values(value).every(frozen));
          expect(frozen(seen[0])).toBe(true);
          expect(Object.isFrozen(args)).toBe(false);
        },
      ),
    );
  });

  it("may nest and grow up to the limits", () => {
    expect(decide(call({ args: forged(nested(JSON_LIMITS.depth)) })).effect).toBe("allow");
    expect(
      decide(call({ args: Array.from({ length: 100_000 }, (_, index) => index) })).effect,
    ).toBe("allow");
    expect(decide(call({ args: { text: "x".repeat(5_000_000) } })).effect).toBe("allow");
  });

  it("may have no prototype, and may use names that objects inherit", () => {
    const args = Object.assign(Object.create(null) as object, {
      constructor: "c",
      toString: "t",
      hasOwnProperty: 1,
    });
    seen.length = 0;
    expect(decide(call({ args: forged(args) })).effect).toBe("allow");
    expect(seen[0]?.args).toEqual({ constructor: "c", toString: "t", hasOwnProperty: 1 });
  });

  it("cannot give different results to two readers of a list", () => {
    const list = ["rm -rf /"];
    Object.defineProperty(list, Symbol.iterator, {
      *value() {
        yield "ls";
      },
    });
    seen.length = 0;
    const decision = decide(call({ args: list }));
    if (decision.effect === "allow") expect(JSON.stringify(seen)).toContain('["rm -rf /"]');
    else expect(decision).toMatchObject(refused);
  });

  it("is checked in the form that is kept: a getter cannot pass as text and become something else", () => {
    let reads = 0;
    const names: string[] = ["read_file"];
    Object.defineProperty(names, 0, {
      enumerable: true,
      get: () => {
        reads += 1;
        return reads === 1 ? "read_file" : { toString: "gotcha" };
      },
    });
    const taken: unknown[] = [];
    const spy = createKernel({
      plugins: [
        voter(
          "spy",
          "onEnforcement",
          (subject) => void taken.push((subject as Response).available_tools),
        ),
      ],
    });
    const decision = decideNow(spy, { ...SUBJECTS.onEnforcement, available_tools: names });
    if (decision.code !== "invalid_call") expect(taken).toEqual([["read_file"]]);
  });
});
