import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  allow,
  ask,
  createKernel,
  defineCheck,
  defineConfig,
  definePlugin,
  defineProjection,
  defineRuleset,
  deny,
  type Decision,
  type Effect,
  type Kernel,
  type Plugin,
  type Subject,
  type ToolCall,
  type Verdict,
  type View,
} from "../src/index.ts";
import { emptyView } from "../src/projection.ts";
import type { SubjectOf } from "../src/subject.ts";
import type { Answer, HookName } from "../src/verdict.ts";

// `any` must equal nothing here, because otherwise it equals everything.
type IsAny<T> = 0 extends 1 & T ? true : false;
type Equal<A, B> =
  IsAny<A> extends true ? false : [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const exactly = <T extends true>(claim: T): T => claim;

// The code in `pinned` is only type-checked and never run.
const pinned = (body: () => unknown): void => expect(body).toBeTypeOf("function");

describe("the types", () => {
  it("make options required, optional or absent, as the schema has them", () => {
    const apply = (): void => {};
    const required = definePlugin({
      name: "a",
      version: "1.0.0",
      options: z.strictObject({ max: z.number() }),
      apply,
    });
    const optional = definePlugin({
      name: "b",
      version: "1.0.0",
      options: z.strictObject({ max: z.number() }).optional(),
      apply,
    });
    const defaulted = definePlugin({
      name: "c",
      version: "1.0.0",
      options: z.strictObject({ max: z.number().default(3) }).default({ max: 3 }),
      apply: (_, options) => void exactly<Equal<typeof options, { max: number }>>(true),
    });
    const none = definePlugin({ name: "d", version: "1.0.0", options: z.undefined(), apply });
    pinned(() => {
      required({ max: 1 });
      // @ts-expect-error options are required
      required();
      // @ts-expect-error an option of another type
      required({ max: "1" });
      // @ts-expect-error an option that does not exist
      required({ max: 1, min: 0 });
      optional();
      optional({ max: 1 });
      // @ts-expect-error options that do not fit
      optional({ maximum: 1 });
      defaulted();
      defaulted({});
      none();
      // @ts-expect-error no options at all
      none({ max: 1 });
    });
    exactly<Equal<ReturnType<typeof required>, Plugin>>(true);
    expect(defaulted().options).toEqual({ max: 3 });
  });

  it("give a plugin one way to be applied, with typed options and instances", () => {
    pinned(() => {
      definePlugin({
        name: "a",
        version: "1.0.0",
        options: z.strictObject({ file: z.string() }),
        rules: ({ options }) => [{ name: options.file }],
        applyAll(kernel, instances) {
          exactly<Equal<(typeof instances)[number]["options"], { file: string }>>(true);
          kernel.hooks.beforeToolCall.tap("t", (subject) => {
            exactly<Equal<typeof subject, ToolCall>>(true);
            return undefined;
          });
        },
      });
      // @ts-expect-error neither apply nor applyAll
      definePlugin({ name: "a", version: "1.0.0", options: z.undefined() });
      // @ts-expect-error no version
      definePlugin({ name: "a", options: z.undefined(), apply: () => {} });
    });
  });

  it("let a tap return a verdict, several, or nothing, and only asynchronous taps a promise", () => {
    pinned(() =>
      definePlugin({
        name: "a",
        version: "1.0.0",
        options: z.undefined(),
        apply({ hooks, ...kernel }) {
          hooks.onTransition.tap("one", ({ to }) => (to === "DONE" ? deny("no") : undefined));
          hooks.onTransition.tap("many", () => [deny("no"), ask("why")]);
          hooks.onTransition.tapPromise("late", async () => allow("fine"));
          // @ts-expect-error a synchronous tap does not promise
          hooks.onTransition.tap("late", async () => allow("fine"));
          // @ts-expect-error an effect is one of three words
          hooks.onTransition.tap("odd", () => ({ effect: "maybe", reason: "?" }));
          // @ts-expect-error a verdict has a reason
          hooks.onTransition.tap("silent", () => ({ effect: "deny" }));
          // @ts-expect-error a transition has no tool
          hooks.onTransition.tap("other", ({ tool }) => deny(tool));
          // @ts-expect-error there is no fifth hook
          hooks.afterToolCall.tap("more", () => undefined);
          // @ts-expect-error a fallback is an effect
          kernel.fallback("nothing");
        },
      }),
    );
  });

  it("give a check the data that its schema returns, and a read-only subject", () => {
    pinned(() => {
      defineCheck({
        name: "a",
        hook: "beforeToolCall",
        when: { tool: "read_file" },
        args: z.object({ path: z.string() }),
        check({ path }, call) {
          exactly<Equal<typeof path, string>>(true);
          exactly<Equal<typeof call, ToolCall>>(true);
          // @ts-expect-error a subject is read-only
          call.tool = "other";
          return undefined;
        },
      });
      defineCheck({
        name: "b",
        hook: "onTransition",
        artifact: z.object({ files_changed: z.array(z.string()) }),
        check: ({ files_changed }) =>
          files_changed.length > 0 ? undefined : deny("nothing changed"),
      });
      // @ts-expect-error a check of tool calls says what arguments it reads
      defineCheck({ name: "c", hook: "beforeToolCall", check: () => undefined });
      // @ts-expect-error a behavior is not chosen by phase
      defineCheck({ name: "d", hook: "onBehavior", when: { to: "DONE" }, check: () => undefined });
    });
  });

  it("give a ruleset no way to loosen a decision", () => {
    pinned(() => {
      defineRuleset({ name: "@demo/rules", plugins: [], extends: [] });
      // @ts-expect-error a ruleset sets no fallback
      defineRuleset({ name: "@demo/rules", fallback: "allow" });
      // @ts-expect-error a ruleset drops nothing
      defineRuleset({ name: "@demo/rules", without: [] });
      // @ts-expect-error a ruleset has a name
      defineRuleset({ plugins: [] });
      defineConfig({
        extends: [],
        without: [],
        plugins: [],
        fallback: "deny",
        approval_mode: "autoEdit",
        deadline_ms: 5,
      });
      // @ts-expect-error an unknown setting
      defineConfig({ approvalMode: "ask" });
      // @ts-expect-error a fallback is an effect
      defineConfig({ fallback: "ask" });
      const uncalled = definePlugin({
        ...{ name: "a", version: "1", options: z.undefined() },
        apply: () => {},
      });
      // @ts-expect-error a plugin that was not called
      defineConfig({ plugins: [uncalled] });
    });
  });

  it("describe a decision, which may have to be awaited", () => {
    exactly<Equal<ReturnType<Kernel["decide"]>, Decision | Promise<Decision>>>(true);
    exactly<Equal<Decision["effect"], Effect>>(true);
    exactly<Equal<Effect, "allow" | "ask_user" | "deny">>(true);
    exactly<Equal<HookName, "beforeToolCall" | "onTransition" | "onBehavior" | "onEnforcement">>(
      true,
    );
    exactly<Equal<Answer, Verdict | readonly Verdict[] | undefined>>(true);
    exactly<Equal<SubjectOf<"beforeToolCall">, ToolCall>>(true);
    exactly<Equal<Subject["hook"], HookName>>(true);
    exactly<
      Equal<
        NonNullable<Verdict["directive"]>["action"],
        "stop" | "checkpoint" | "vibecheck" | "trigger" | "loop" | "continue"
      >
    >(true);
    pinned(async () => {
      const kernel = createKernel({});
      // @ts-expect-error a subject names its hook
      await kernel.decide({ tool: "read_file", args: {} });
      // @ts-expect-error a tool call has arguments
      await kernel.decide({ hook: "beforeToolCall", tool: "read_file" });
    });
  });

  it("keep the type of a projection's state in a view", () => {
    const calls = defineProjection({
      name: "demo/calls",
      version: 1,
      initial: 0,
      reduce: (state: number) => state + 1,
    });
    const read = (view: View): number => view(calls);
    exactly<Equal<ReturnType<typeof read>, number>>(true);
    expect(read(emptyView)).toBe(0);
  });
});
