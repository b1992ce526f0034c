import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JSON_LIMITS, allow, createKernel, freezeJson, type Decision, type Kernel, type Response, type ToolCall } from "../src/index.ts";
import { HOOKS, SUBJECTS, call, decideNow, forged, lateVoter, nested, plugin, voter } from "./kit.ts";

// The worst case: everything that gets in is allowed.
const seen: ToolCall[] = [];
const permitting: Kernel = createKernel({
  plugins: HOOKS.map((hook) =>
    voter(
      `permits-${hook}`,
      hook,
      (subject) => {
        if (subject.hook === "beforeToolCall") seen.push(subject);
        return allow("everything");
      },
      { grants: true },
    ),
  ),
});

const refused = { effect: "deny", code: "invalid_call", votes: [] };
const decide = (subject: unknown): Decision => decideNow(permitting, forged(subject));

function cyclic(): unknown {
  const object: Record<string, unknown> = {};
  object["list"] = [object];
  return object;
}
class Shell {
  readonly command = "ls";
}
const throwing = (): never => {
  throw new Error("trap");
};
const trap: ProxyHandler<object> = {
  get: throwing,
  has: throwing,
  ownKeys: throwing,
  getPrototypeOf: throwing,
  getOwnPropertyDescriptor: throwing,
};
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

describe("data that JSON cannot say", () => {
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
    ["shared parts that unfold beyond the limit", () => Array.from({ length: 40 }).reduce((inner) => [inner, inner], 0)],
    ["a getter that throws", () => Object.defineProperty({}, "command", { enumerable: true, get: throwing })],
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

  it("is refused by freezeJson with a coded error", () => {
    for (const [name, make] of hostile) {
      if (name.includes("throws") || name.includes("revoked")) continue;
      expect(() => freezeJson(make()), name).toThrow(expect.objectContaining({ code: "BYLAW_JSON_INVALID" }));
    }
  });

  it("never comes through, whatever it is: what a tap sees is what JSON says", () => {
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
  it("comes through as it is, deep-frozen and detached from the caller", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ noUnicodeString: false })), (args) => {
        fc.pre(!JSON.stringify(args).includes("__proto__"));
        seen.length = 0;
        expect(decide(call({ args: forged(args) })).effect).toBe("allow");
        expect(JSON.stringify(seen[0]?.args)).toBe(JSON.stringify(args));
        const frozen = (value: unknown): boolean =>
          typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
        expect(frozen(seen[0])).toBe(true);
        expect(Object.isFrozen(args)).toBe(false);
      }),
    );
  });

  it("may nest and grow up to the limits", () => {
    expect(decide(call({ args: forged(nested(JSON_LIMITS.depth)) })).effect).toBe("allow");
    expect(decide(call({ args: Array.from({ length: 100_000 }, (_, index) => index) })).effect).toBe("allow");
    expect(decide(call({ args: { text: "x".repeat(5_000_000) } })).effect).toBe("allow");
  });

  it("may come without a prototype, and may use names that objects inherit", () => {
    const args = Object.assign(Object.create(null) as object, { constructor: "c", toString: "t", hasOwnProperty: 1 });
    seen.length = 0;
    expect(decide(call({ args: forged(args) })).effect).toBe("allow");
    expect(seen[0]?.args).toEqual({ constructor: "c", toString: "t", hasOwnProperty: 1 });
  });

  it("cannot read differently to two readers of a list", () => {
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

  it("is checked as it is kept: a getter cannot pass as text and stay as something else", () => {
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
      plugins: [voter("spy", "onEnforcement", (subject) => void taken.push((subject as Response).available_tools))],
    });
    const decision = decideNow(spy, { ...SUBJECTS.onEnforcement, available_tools: names });
    if (decision.code !== "invalid_call") expect(taken).toEqual([["read_file"]]);
  });
});

describe("a subject", () => {
  it.each([
    ["undefined", undefined],
    ["null", null],
    ["a number", 7],
    ["text", "beforeToolCall"],
    ["true", true],
    ["a list", []],
    ["a list of a subject", [SUBJECTS.beforeToolCall]],
    ["an empty object", {}],
    ["an unknown hook", { hook: "afterToolCall", tool: "t", args: {} }],
    ["a hook that objects inherit", { hook: "constructor", tool: "t", args: {} }],
    ["a hook that is no text", { hook: ["beforeToolCall"], tool: "t", args: {} }],
    ["a call without a tool", { hook: "beforeToolCall", args: {} }],
    ["a call without arguments", { hook: "beforeToolCall", tool: "t" }],
    ["a call with an undefined tool", { hook: "beforeToolCall", tool: undefined, args: {} }],
    ["a call with text for arguments", { hook: "beforeToolCall", tool: "t", args: "{}" }],
    ["a call with null for arguments", { hook: "beforeToolCall", tool: "t", args: null }],
    ["an inherited tool", Object.assign(Object.create({ tool: "t" }), { hook: "beforeToolCall", args: {} })],
    ["a class instance", Object.assign(new Shell(), { hook: "beforeToolCall", tool: "t", args: {} })],
    ["an object that inherits from its own", Object.assign(Object.create({}), SUBJECTS.beforeToolCall)],
    ["an unknown key", { ...SUBJECTS.beforeToolCall, allowed: true }],
    ["a misspelt key", { ...SUBJECTS.beforeToolCall, approvalMode: "ask" }],
    ["a key of another hook", { ...SUBJECTS.onBehavior, tool: "t" }],
    ["an own `__proto__`", JSON.parse('{"hook":"beforeToolCall","tool":"t","args":{},"__proto__":{"facts":{}}}')],
    ["`interactive` as text", { ...SUBJECTS.beforeToolCall, interactive: "false" }],
    ["an agent that is no text", { ...SUBJECTS.beforeToolCall, agent: { toString: () => "root" } }],
    ["a task that is null", { ...SUBJECTS.beforeToolCall, task: null }],
    ["servers as a list", { ...SUBJECTS.beforeToolCall, servers: ["github"] }],
    ["servers without lists", { ...SUBJECTS.beforeToolCall, servers: { github: "get_issue" } }],
    ["an approval mode that does not exist", { ...SUBJECTS.beforeToolCall, approval_mode: "YOLO" }],
    ["a transition without artifacts", { hook: "onTransition", task: "T", to: "REVIEW" }],
    ["a transition without a task", { hook: "onTransition", to: "REVIEW", artifacts: {} }],
    ["artifacts as a list", { hook: "onTransition", task: "T", to: "REVIEW", artifacts: [] }],
    ["a behavior without an action", { hook: "onBehavior" }],
    ["a round of zero", { ...SUBJECTS.onEnforcement, round: 0 }],
    ["half an attempt", { ...SUBJECTS.onEnforcement, attempt: 1.5 }],
    ["tool calls without a tool", { ...SUBJECTS.onEnforcement, tool_calls: [{ args: {} }] }],
  ])("that is %s is denied as invalid, and nothing is thrown", async (_, subject) => {
    expect(decide(subject)).toMatchObject(refused);
    expect((await permitting.explain(forged(subject))).decision).toEqual(decide(subject));
    expect(HOOKS).toContain(decide(subject).hook);
  });

  it.each(["hook", "id", "tool", "args"])("whose `%s` cannot be read is denied as invalid", (key) => {
    const subject = { ...SUBJECTS.beforeToolCall };
    Object.defineProperty(subject, key, { enumerable: true, get: throwing });
    expect(decide(subject)).toMatchObject(refused);
  });

  it("whose id is no text is denied without keeping the id", () => {
    for (const id of [1n, cyclic(), () => {}]) {
      const decision = decide({ ...SUBJECTS.beforeToolCall, id });
      expect(decision).toMatchObject(refused);
      expect(() => JSON.stringify(decision)).not.toThrow();
      expect(["string", "undefined"]).toContain(typeof decision.id);
    }
  });

  it("that is refused is shown to no tap, not even for an explanation", async () => {
    const shown: unknown[] = [];
    const curious = plugin("curious", ({ hooks }) =>
      hooks.beforeToolCall.tap("t", (subject) => void shown.push(subject), { explain: (subject) => shown.push(subject) }),
    );
    const kernel = createKernel({ plugins: [curious] });
    expect((await kernel.explain(call({ tool: "read\nfile" }))).decision).toMatchObject(refused);
    expect(shown).toEqual([]);
    expect((await kernel.explain(call())).taps).toMatchObject([{ plugin: "curious", because: 2 }]);
  });

  it("never makes `decide` or `explain` throw, whatever it is", async () => {
    const keys = fc.constantFrom("hook", "id", "tool", "args", "task", "to", "artifacts", "action", "facts", "round");
    await fc.assert(
      fc.asyncProperty(fc.dictionary(keys, fc.anything({ withBigInt: true })), fc.constantFrom(...HOOKS), async (odd, hook) => {
        const subject = forged({ hook, ...odd });
        const decision = decide(subject);
        expect(["allow", "deny"]).toContain(decision.effect);
        expect((await permitting.explain(subject)).decision).toEqual(decision);
      }),
      { numRuns: 500 },
    );
  });

  it("cannot bring facts of its own", async () => {
    const trusting = createKernel({
      plugins: [
        voter("tokens", "beforeToolCall", ({ facts }) => (facts?.["tokens"] === true ? allow("verified") : undefined), { grants: true }),
      ],
      fallback: "deny",
    });
    for (const facts of [{ tokens: true }, {}, null]) {
      const subject = { ...SUBJECTS.beforeToolCall, facts: forged(facts) };
      expect(decideNow(trusting, subject)).toMatchObject({ effect: "deny", code: "invalid_call" });
      await expect(trusting.prepare(subject)).rejects.toMatchObject({ code: "BYLAW_SUBJECT_INVALID" });
    }
  });

  it("that another kernel prepared brings no facts into this one", async () => {
    const stranger = createKernel({ plugins: [plugin("tokens", (kernel) => kernel.prepare("verify", () => ({ ok: true })))] });
    const trusting = createKernel({
      plugins: [
        voter("tokens", "beforeToolCall", ({ facts }) => (facts?.["tokens"] === undefined ? undefined : allow("verified")), {
          grants: true,
        }),
      ],
      fallback: "deny",
    });
    const prepared = await stranger.prepare(call());
    expect(await trusting.decide(prepared)).toMatchObject({ effect: "deny" });
  });

  it("with explicit undefined is as one without the key", () => {
    const subject = forged({ ...SUBJECTS.beforeToolCall, task: undefined, facts: undefined, server: undefined });
    expect(decide(subject).effect).toBe("allow");
  });
});

describe("a tool name", () => {
  it.each([
    ["empty", ""],
    ["too long", "x".repeat(257)],
    ["a NUL", "read\u0000file"],
    ["a newline", "read_file\n"],
    ["a carriage return", "read_file\r"],
    ["a tab", "read\tfile"],
    ["an escape", "\u001b[2Jread_file"],
    ["a delete", "read\u007f"],
    ["a next line", "read_file\u0085"],
    ["a C1 control", "read\u009bfile"],
    ["a line separator", "read_file\u2028"],
    ["a paragraph separator", "read_file\u2029"],
    ["a lone surrogate", "read\ud800"],
  ])("with %s is invalid", (_, tool) => {
    expect(decide(call({ tool }))).toMatchObject(refused);
  });

  it.each(["read_file", "mcp__github__get_issue", "Bash", "naïve ツール", "x".repeat(256), "a b", "__proto__", "constructor"])(
    "`%s` is taken as it is",
    (tool) => {
      seen.length = 0;
      expect(decide(call({ tool })).effect).toBe("allow");
      expect(seen[0]?.tool).toBe(tool);
    },
  );
});

describe("once `decide` has begun", () => {
  it("the caller changes nothing by changing the arguments", async () => {
    let go: () => void = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const judged: unknown[] = [];
    const slow = plugin("slow", ({ hooks }) =>
      hooks.beforeToolCall.tapPromise("t", async (subject) => {
        await gate;
        judged.push(subject);
        return undefined;
      }),
    );
    const args = { command: "ls", list: [{ deep: "ls" }] };
    const subject = { hook: "beforeToolCall" as const, tool: "shell", args };
    const pending = createKernel({ plugins: [slow] }).decide(subject);
    args.command = "rm -rf /";
    Object.assign(args.list[0] as object, { deep: "rm -rf /" });
    Object.assign(subject, { tool: "other" });
    go();
    await pending;
    expect(judged).toEqual([{ hook: "beforeToolCall", tool: "shell", args: { command: "ls", list: [{ deep: "ls" }] } }]);
  });

  it("no tap changes what the next one sees", () => {
    const meddles = voter("a", "beforeToolCall", (subject) => {
      Object.assign((subject as ToolCall).args, { path: "/etc/shadow" });
      return undefined;
    });
    const replaces = voter("b", "beforeToolCall", (subject) => {
      Object.assign(subject, { tool: "noop" });
      return undefined;
    });
    const reads: unknown[] = [];
    const reader = voter("c", "beforeToolCall", (subject) => void reads.push(JSON.parse(JSON.stringify(subject))));
    const decision = decideNow(createKernel({ plugins: [meddles, replaces, reader] }), call());
    expect(decision.votes.map(({ plugin, code }) => [plugin, code])).toEqual([
      ["a", "check_failed"],
      ["b", "check_failed"],
    ]);
    expect(reads).toMatchObject([{ tool: "read_file", args: { path: "a.txt" } }]);
  });

  it("a late tap that polluted nothing cannot add to a decision that was given", async () => {
    const decision = await createKernel({
      plugins: [lateVoter("late", "beforeToolCall", () => new Promise(() => {})), voter("b", "beforeToolCall", () => undefined)],
      deadline_ms: 1,
    }).decide(call());
    expect(decision.votes).toHaveLength(1);
  });
});
