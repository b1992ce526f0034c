import { describe, expect, it } from "vitest";
import {
  allow,
  createKernel,
  deny,
  type Decision,
  type Plugin,
  type Verdict,
} from "../src/index.ts";
import { SUBJECTS, call, decideNow, forged, lateVoter, plugin, voter } from "./kit.ts";

const granting = voter("grants", "beforeToolCall", () => allow("fine"), { grants: true });
const lastWord = voter("zz-denies", "beforeToolCall", () => deny("Unexpected call"));

// A failing check must neither win nor hide another's deny, at any position in the list.
async function outcomes(broken: Plugin, deadline_ms = 10_000): Promise<readonly Decision[]> {
  const lists = [
    [broken],
    [granting, broken],
    [broken, granting],
    [broken, lastWord],
    [lastWord, broken],
  ];
  return Promise.all(
    lists.map(async (plugins) =>
      createKernel({ plugins, deadline_ms }).decide(SUBJECTS.beforeToolCall),
    ),
  );
}

async function expectFailed(broken: Plugin, error?: string, deadline_ms?: number): Promise<void> {
  for (const decision of await outcomes(broken, deadline_ms)) {
    expect(decision).toMatchObject({
      effect: "deny",
      code: "check_failed",
      by: `${broken.name}/t`,
    });
    const failures = decision.votes.filter(({ code }) => code === "check_failed");
    expect(failures).toHaveLength(1);
    if (error !== undefined) expect(failures[0]?.error).toContain(error);
  }
  const [, , , withDeny] = await outcomes(broken, deadline_ms);
  expect(withDeny?.votes.map(({ plugin }) => plugin)).toContain("zz-denies");
}

const once = (value: unknown): Plugin => voter("broken", "beforeToolCall", () => forged(value));

describe("a check that fails", () => {
  it.each([
    ["an error", new Error("disk on fire"), "disk on fire"],
    ["an error with many lines", new Error("one\n  two"), "one two"],
    ["text", "plain text", "plain text"],
    ["undefined", undefined, "undefined"],
    ["a symbol", Symbol("odd"), "odd"],
    ["an object without a prototype", Object.create(null), undefined],
    ["an object that cannot be text", { toString: () => ({}) }, undefined],
    ["an error whose message is no text", Object.assign(new Error("x"), { message: 7 }), undefined],
    [
      "an error whose message throws",
      Object.defineProperty(new Error("x"), "message", {
        get() {
          throw new Error("again");
        },
      }),
      undefined,
    ],
  ])("that throws %s denies with its own code and keeps the error", async (_, thrown, error) => {
    const broken = voter("broken", "beforeToolCall", () => {
      throw thrown;
    });
    await expectFailed(broken, error);
    await expectFailed(
      lateVoter("broken", "beforeToolCall", () => Promise.reject(thrown)),
      error,
    );
  });

  it("that throws before its promise exists denies", async () => {
    const broken = lateVoter("broken", "beforeToolCall", () => {
      throw new Error("too early");
    });
    await expectFailed(broken, "too early");
  });

  it("that never answers denies after its deadline", async () => {
    const broken = lateVoter("broken", "beforeToolCall", () => new Promise<never>(() => {}));
    await expectFailed(broken, "within 3 ms", 3);
  });

  it("that answers after its deadline is ignored", async () => {
    let answer: (verdict: Verdict) => void = () => {};
    const late = lateVoter(
      "late",
      "beforeToolCall",
      () => new Promise((resolve) => (answer = resolve)),
      { grants: true },
    );
    const decision = await createKernel({ plugins: [late], deadline_ms: 3 }).decide(
      SUBJECTS.beforeToolCall,
    );
    const before = JSON.stringify(decision);
    answer(allow("after all"));
    await Promise.resolve();
    expect(JSON.stringify(decision)).toBe(before);
    expect(decision.code).toBe("check_failed");
  });

  it("that returns a promise from a synchronous tap denies", async () => {
    await expectFailed(once(Promise.resolve(undefined)));
  });

  it("that returns a rejected promise denies, and leaves no rejection unhandled", async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", listen);
    try {
      const broken = voter("broken", "beforeToolCall", () =>
        forged(Promise.reject(new Error("too late"))),
      );
      expect(decideNow(createKernel({ plugins: [broken] }), SUBJECTS.beforeToolCall).code).toBe(
        "check_failed",
      );
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off("unhandledRejection", listen);
      for (const other of others) process.on("unhandledRejection", other);
    }
    expect(unhandled).toEqual([]);
  });

  it.each([
    ["null", null],
    ["true", true],
    ["false", false],
    ["zero", 0],
    ["empty text", ""],
    ["the word allow", "allow"],
    ["a function", () => allow("fine")],
    ["a symbol", Symbol("allow")],
    ["an empty object", {}],
    ["an effect in capitals", { effect: "DENY", reason: "no" }],
    ["an inherited effect name", { effect: "toString", reason: "no" }],
    ["an effect in a list", { effect: ["deny"], reason: "no" }],
    ["no reason", { effect: "deny" }],
    ["a reason that is no text", { effect: "deny", reason: 1 }],
    ["a fix that is no text", { effect: "deny", reason: "no", fix: {} }],
    ["a shadow that is no boolean", { effect: "deny", reason: "no", shadow: "no" }],
    ["a severity that does not exist", { effect: "deny", reason: "no", severity: "note" }],
    [
      "a directive that does not exist",
      { effect: "deny", reason: "no", directive: { action: "explode" } },
    ],
    ["a directive that is text", { effect: "deny", reason: "no", directive: "stop" }],
    ["a recovery that does not exist", { effect: "deny", reason: "no", recovery: "retry" }],
    ["a code that is no text", { effect: "deny", reason: "no", code: Object.create(null) }],
    ["a rule that is text", { effect: "deny", reason: "no", rule: "my-rule" }],
    ["a rule without a name", { effect: "deny", reason: "no", rule: { file: "x.toml" } }],
    [
      "a rule on a line that is no number",
      { effect: "deny", reason: "no", rule: { name: "r", line: Number.NaN } },
    ],
    ["an allow that it may not give", allow("fine")],
    ["a code that it did not declare", deny("no", undefined, { code: "my_own" })],
    ["a list with a hole", forged(Array.from({ length: 1 }))],
    ["a list in a list", [[deny("no")]]],
    ["a map", new Map([["effect", "deny"]])],
    [
      "a verdict whose effect throws",
      {
        reason: "no",
        get effect() {
          throw new Error("gone");
        },
      },
    ],
    [
      "a proxy that throws",
      new Proxy(
        {},
        {
          get() {
            throw new Error("gone");
          },
        },
      ),
    ],
  ])("that answers with %s denies, early or late", async (_, answer) => {
    await expectFailed(once(answer));
    await expectFailed(
      lateVoter("broken", "beforeToolCall", () => Promise.resolve(forged(answer))),
    );
  });

  it("that answers with an invalid list denies the same wherever the invalid entry is", () => {
    const [first, second, junk] = [
      deny("first"),
      deny("second", undefined, { message: "spoken" }),
      null,
    ];
    const decisions = [
      [junk, first, second],
      [first, junk, second],
      [second, first, junk],
    ].map((answer) =>
      decideNow(createKernel({ plugins: [once(answer)] }), SUBJECTS.beforeToolCall),
    );
    expect(decisions[0]).toMatchObject({ effect: "deny", code: "check_failed" });
    expect(decisions[1]).toEqual(decisions[0]);
    expect(decisions[2]).toEqual(decisions[0]);
  });

  it("cannot show one effect to validation and another to the vote count", () => {
    let reads = 0;
    const shifty = {
      reason: "look again",
      get effect() {
        reads += 1;
        return reads === 1 ? "ask_user" : "allow";
      },
    };
    const decision = decideNow(createKernel({ plugins: [once(shifty)] }), SUBJECTS.beforeToolCall);
    expect(decision.effect).not.toBe("allow");
  });

  it("cannot change a verdict after validation", () => {
    const effects = ["ask_user", "deny", "ask_user"];
    const shared = { effect: "allow", reason: "said before" };
    let asked = 0;
    const mutable = voter(
      "v",
      "beforeToolCall",
      () => forged(Object.assign(shared, { effect: effects[asked++] })),
      { grants: true },
    );
    const kernel = createKernel({ plugins: [mutable] });
    expect(effects.map(() => decideNow(kernel, call()).effect)).toEqual(effects);
    let read = 0;
    const frozen = Object.freeze({
      reason: "frozen, yet changing",
      get effect() {
        return effects[Math.floor(read++ / 1_000)];
      },
    });
    const other = createKernel({ plugins: [voter("v", "beforeToolCall", () => forged(frozen))] });
    expect(decideNow(other, call()).effect).not.toBe("allow");
    read = 1_000;
    expect(decideNow(other, call()).effect).toBe("deny");
  });

  it("that returns verdicts which cannot be compared or serialized does not break the decision", () => {
    const cyclic: Record<string, unknown> = { effect: "deny", reason: "no" };
    cyclic["self"] = cyclic;
    for (const answer of [
      [
        { effect: "deny", reason: "no", note: 1n },
        { effect: "deny", reason: "no", note: 1n },
      ],
      [cyclic, { ...cyclic }],
      [
        { effect: "deny", reason: "no", toJSON: () => "gone" },
        { effect: "deny", reason: "no", toJSON: () => "gone" },
      ],
    ]) {
      const decision = decideNow(
        createKernel({ plugins: [once(answer)] }),
        SUBJECTS.beforeToolCall,
      );
      expect(decision.effect).toBe("deny");
      expect(() => JSON.stringify(decision)).not.toThrow();
      expect(
        decision.votes.every((vote) => typeof JSON.parse(JSON.stringify(vote)) === "object"),
      ).toBe(true);
    }
  });

  it("in `letThrough` does not break the decision, and allows nothing", () => {
    const broken = plugin(
      "broken",
      (kernel) =>
        kernel.letThrough("autoEdit", () => {
          throw new Error("no such folder");
        }),
      { grants: true },
    );
    const kernel = createKernel({ plugins: [broken], approval_mode: "autoEdit" });
    expect(decideNow(kernel, call()).effect).not.toBe("allow");
  });

  it("in `explain` with a value that JSON cannot express leaves an explanation that can be serialized", async () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    for (const said of [1n, () => "because", cyclic, Symbol("why")]) {
      const odd = plugin("odd", ({ hooks }) =>
        hooks.beforeToolCall.tap("t", () => deny("no"), { explain: () => forged(said) }),
      );
      const explanation = await createKernel({ plugins: [odd] }).explain(SUBJECTS.beforeToolCall);
      expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
    }
  });

  it("in `explain` does not break the explanation", async () => {
    const broken = plugin("broken", ({ hooks }) =>
      hooks.beforeToolCall.tap("t", () => deny("no"), {
        explain: () => {
          throw new Error("speechless");
        },
      }),
    );
    const { decision, taps } = await createKernel({ plugins: [broken, granting] }).explain(
      SUBJECTS.beforeToolCall,
    );
    expect(decision.effect).toBe("deny");
    expect(taps).toMatchObject([
      { plugin: "broken", tap: "t", votes: [{ effect: "deny" }] },
      { plugin: "grants", tap: "t", votes: [{ effect: "allow" }] },
    ]);
    expect(JSON.stringify(taps[0]?.because)).toContain("speechless");
  });
});
