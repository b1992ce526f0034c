import { describe, expect, it } from "vitest";
import { allow, createKernel, type Plugin } from "../src/index.ts";
import { call, forged, plugin, voter } from "./kit.ts";

const granting = voter("grants", "beforeToolCall", () => allow("fine"), { grants: true });

describe("a preparation", () => {
  const needs = (facts: unknown): Plugin => {
    const prepare = (): never =>
      forged(typeof facts === "function" ? (facts as () => unknown)() : facts);
    return plugin("paths", (kernel) => kernel.prepare("real paths", prepare));
  };

  it("stores its facts under the plugin's name, where only the kernel can write", async () => {
    const seen: unknown[] = [];
    const reader = voter("reader", "beforeToolCall", ({ facts }) => void seen.push(facts));
    const kernel = createKernel({ plugins: [needs({ cwd: "/real" }), reader] });
    const subject = await kernel.prepare(call());
    expect(subject.facts).toEqual({ paths: { cwd: "/real" } });
    expect(Object.isFrozen(subject.facts)).toBe(true);
    await kernel.decide(subject);
    expect(seen).toEqual([{ paths: { cwd: "/real" } }]);
  });

  it("may be asynchronous", async () => {
    const later = createKernel({ plugins: [needs(async () => ({ a: 1 }))] }).prepare(call());
    expect((await later).facts).toEqual({ paths: { a: 1 } });
  });

  it("that never ends denies after the deadline, and delays no one", async () => {
    const kernel = createKernel({
      plugins: [needs(() => new Promise(() => {})), granting],
      deadline_ms: 3,
    });
    const decision = await kernel.decide(await kernel.prepare(call()));
    expect(decision).toMatchObject({
      effect: "deny",
      code: "check_failed",
      by: "paths/real paths",
    });
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no such folder");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no such folder"))],
    ["answers a function", () => () => {}],
    ["answers a date", () => new Date(0)],
    ["answers text", () => "facts"],
    ["answers a list", () => ["facts"]],
    ["answers null", () => null],
    ["answers a number that JSON cannot say", () => ({ size: Number.NaN })],
    ["answers a cycle", cycle],
    ["promises a function", () => Promise.resolve(() => {})],
  ])("that %s denies with the code of a failed check", async (_, facts) => {
    for (const plugins of [
      [needs(facts), granting],
      [granting, needs(facts)],
    ]) {
      const kernel = createKernel({ plugins });
      const decision = await kernel.decide(await kernel.prepare(call()));
      expect(decision).toMatchObject({
        effect: "deny",
        code: "check_failed",
        by: "paths/real paths",
      });
    }
  });

  it("of two by one plugin keeps the facts of both, or is rejected when the kernel is created", async () => {
    const twice = plugin("paths", (kernel) => {
      kernel.prepare("one", () => ({ one: 1 }));
      kernel.prepare("two", () => ({ two: 2 }));
    });
    const { facts } = await createKernel({ plugins: [twice] }).prepare(call());
    expect(facts).toEqual({ paths: { one: 1, two: 2 } });
  });
});

function cycle(): unknown {
  const facts: Record<string, unknown> = {};
  facts["self"] = facts;
  return facts;
}
