import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allow, createKernel, type ToolCall } from "../src/index.ts";
import { HOOKS, SUBJECTS, call, decideNow, forged, lateVoter, plugin, voter } from "./kit.ts";
import { seen, permitting, refused, decide, cyclic, Shell, throwing } from "./border-kit.ts";

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
    [
      "an inherited tool",
      Object.assign(Object.create({ tool: "t" }), { hook: "beforeToolCall", args: {} }),
    ],
    [
      "a class instance",
      Object.assign(new Shell(), { hook: "beforeToolCall", tool: "t", args: {} }),
    ],
    [
      "an object that inherits from its own",
      Object.assign(Object.create({}), SUBJECTS.beforeToolCall),
    ],
    ["an unknown key", { ...SUBJECTS.beforeToolCall, allowed: true }],
    ["a misspelt key", { ...SUBJECTS.beforeToolCall, approvalMode: "ask" }],
    ["a key of another hook", { ...SUBJECTS.onBehavior, tool: "t" }],
    [
      "an own `__proto__`",
      JSON.parse('{"hook":"beforeToolCall","tool":"t","args":{},"__proto__":{"facts":{}}}'),
    ],
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
  ])("that is %s is denied as invalid, without an exception", async (_, subject) => {
    expect(decide(subject)).toMatchObject(refused);
    expect((await permitting.explain(forged(subject))).decision).toEqual(decide(subject));
    expect(HOOKS).toContain(decide(subject).hook);
  });

  it.each(["hook", "id", "tool", "args"])(
    "whose `%s` cannot be read is denied as invalid",
    (key) => {
      const subject = { ...SUBJECTS.beforeToolCall };
      Object.defineProperty(subject, key, { enumerable: true, get: throwing });
      expect(decide(subject)).toMatchObject(refused);
    },
  );

  it("whose id is not text is denied without keeping the id", () => {
    for (const id of [1n, cyclic(), () => {}]) {
      const decision = decide({ ...SUBJECTS.beforeToolCall, id });
      expect(decision).toMatchObject(refused);
      expect(() => JSON.stringify(decision)).not.toThrow();
      expect(["string", "undefined"]).toContain(typeof decision.id);
    }
  });

  it("that is rejected is shown to no tap, not even for an explanation", async () => {
    const shown: unknown[] = [];
    const curious = plugin("curious", ({ hooks }) =>
      hooks.beforeToolCall.tap("t", (subject) => void shown.push(subject), {
        explain: (subject) => shown.push(subject),
      }),
    );
    const kernel = createKernel({ plugins: [curious] });
    expect((await kernel.explain(call({ tool: "read\nfile" }))).decision).toMatchObject(refused);
    expect(shown).toEqual([]);
    expect((await kernel.explain(call())).taps).toMatchObject([{ plugin: "curious", because: 2 }]);
  });

  it("never makes `decide` or `explain` throw", async () => {
    const keys = fc.constantFrom(
      "hook",
      "id",
      "tool",
      "args",
      "task",
      "to",
      "artifacts",
      "action",
      "facts",
      "round",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(keys, fc.anything({ withBigInt: true })),
        fc.constantFrom(...HOOKS),
        async (odd, hook) => {
          const subject = forged({ hook, ...odd });
          const decision = decide(subject);
          expect(["allow", "deny"]).toContain(decision.effect);
          expect((await permitting.explain(subject)).decision).toEqual(decision);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("cannot bring its own facts", async () => {
    const trusting = createKernel({
      plugins: [
        voter(
          "tokens",
          "beforeToolCall",
          ({ facts }) => (facts?.["tokens"] === true ? allow("verified") : undefined),
          { grants: true },
        ),
      ],
      fallback: "deny",
    });
    for (const facts of [{ tokens: true }, {}, null]) {
      const subject = { ...SUBJECTS.beforeToolCall, facts: forged(facts) };
      expect(decideNow(trusting, subject)).toMatchObject({ effect: "deny", code: "invalid_call" });
      await expect(trusting.prepare(subject)).rejects.toFailWith("BYLAW_SUBJECT_INVALID");
    }
  });

  it("that another kernel prepared brings no facts into this one", async () => {
    const stranger = createKernel({
      plugins: [plugin("tokens", (kernel) => kernel.prepare("verify", () => ({ ok: true })))],
    });
    const trusting = createKernel({
      plugins: [
        voter(
          "tokens",
          "beforeToolCall",
          ({ facts }) => (facts?.["tokens"] === undefined ? undefined : allow("verified")),
          { grants: true },
        ),
      ],
      fallback: "deny",
    });
    const prepared = await stranger.prepare(call());
    expect(await trusting.decide(prepared)).toMatchObject({ effect: "deny" });
  });

  it("with a key that is explicitly undefined equals one without the key", () => {
    const subject = forged({
      ...SUBJECTS.beforeToolCall,
      task: undefined,
      facts: undefined,
      server: undefined,
    });
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

  it.each([
    "read_file",
    "mcp__github__get_issue",
    "Bash",
    "naïve ツール",
    "x".repeat(256),
    "a b",
    "a~b",
    "\u00a0b",
    "__proto__",
    "constructor",
  ])("`%s` is accepted unchanged", (tool) => {
    seen.length = 0;
    expect(decide(call({ tool })).effect).toBe("allow");
    expect(seen[0]?.tool).toBe(tool);
  });
});

describe("after `decide` has begun", () => {
  it("the caller cannot change the decision by changing the arguments", async () => {
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
    const args_then = { command: "ls", list: [{ deep: "ls" }] };
    expect(judged).toEqual([
      { hook: "beforeToolCall", tool: "shell", args: args_then, approval_mode: "ask" },
    ]);
  });

  it("no tap can change what the next one sees", () => {
    const meddles = voter("a", "beforeToolCall", (subject) => {
      Object.assign((subject as ToolCall).args, { path: "/etc/shadow" });
      return undefined;
    });
    const replaces = voter("b", "beforeToolCall", (subject) => {
      Object.assign(subject, { tool: "noop" });
      return undefined;
    });
    const reads: unknown[] = [];
    const reader = voter(
      "c",
      "beforeToolCall",
      (subject) => void reads.push(JSON.parse(JSON.stringify(subject))),
    );
    const decision = decideNow(createKernel({ plugins: [meddles, replaces, reader] }), call());
    expect(decision.votes.map(({ plugin, code }) => [plugin, code])).toEqual([
      ["a", "check_failed"],
      ["b", "check_failed"],
    ]);
    expect(reads).toMatchObject([{ tool: "read_file", args: { path: "a.txt" } }]);
  });

  it("a late tap cannot add to a finished decision", async () => {
    const decision = await createKernel({
      plugins: [
        lateVoter("late", "beforeToolCall", () => new Promise(() => {})),
        voter("b", "beforeToolCall", () => undefined),
      ],
      deadline_ms: 1,
    }).decide(call());
    expect(decision.votes).toHaveLength(1);
  });
});
