import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allow, ask, createKernel, deny, type JsonObject, type Plugin } from "../src/index.ts";
import { SUBJECTS, call, decideNow, forged, voter } from "./kit.ts";

const A = { command: "git push --force-with-lease", timeout: 5 };
const SAME = { timeout: 5, command: "git push --force-with-lease" };
const B = { command: "git push" };

const offers = (name: string, instead?: JsonObject, stop: typeof deny = deny): Plugin =>
  voter(name, "beforeToolCall", () =>
    stop("No force.", undefined, instead === undefined ? {} : { instead }),
  );
const offered = (...plugins: readonly Plugin[]): JsonObject | undefined =>
  decideNow(createKernel({ plugins }), call()).instead;

describe("an offer of other arguments", () => {
  it("is in the decision, as frozen plain data", () => {
    const { instead, effect, votes } = decideNow(
      createKernel({ plugins: [offers("a", A)] }),
      call(),
    );
    expect({ instead, effect }).toEqual({ instead: A, effect: "deny" });
    expect(votes[0]?.instead).toBe(instead);
    expect(Object.isFrozen(instead)).toBe(true);
  });

  it("holds if every deciding vote makes it, however its keys are ordered", () => {
    expect(offered(offers("a", A), offers("b", SAME))).toEqual(A);
    expect(offered(offers("a", A), offers("b", A), offers("c", A))).toEqual(A);
  });

  it.each([
    ["another offer", offers("z", B)],
    ["an offer with one more argument", offers("z", { ...A, cwd: "/" })],
    ["a deny without one", offers("z")],
    ["a check that fails", voter("z", "beforeToolCall", () => forged("no verdict"))],
  ])("is void beside %s, in any order", (_, other) => {
    expect(offered(offers("m", A), other)).toBeUndefined();
    expect(offered(other, offers("m", A))).toBeUndefined();
  });

  it("of weaker votes, shadows and failed preparations does not count", () => {
    expect(offered(offers("a", A, ask), offers("b"))).toBeUndefined();
    expect(offered(offers("a", A), offers("b", undefined, ask))).toEqual(A);
    const shadow = voter("s", "beforeToolCall", () => deny("No.", undefined, { shadow: true }));
    expect(offered(offers("a", A), shadow)).toEqual(A);
    const offer = voter("s", "beforeToolCall", () =>
      deny("No.", undefined, { shadow: true, instead: A }),
    );
    expect(offered(offers("a"), offer)).toBeUndefined();
  });

  it("does not depend on the order of plugins", () => {
    const seat = fc.record({
      name: fc.constantFrom("a", "b", "c", "d"),
      stop: fc.constantFrom(ask, deny),
      instead: fc.constantFrom(A, SAME, B, undefined),
    });
    const seats = fc.uniqueArray(seat, { selector: ({ name }) => name, minLength: 1 });
    fc.assert(
      fc.property(seats, fc.infiniteStream(fc.nat()), (some, numbers) => {
        const plugins = some.map(({ name, instead, stop }) => offers(name, instead, stop));
        const mixed = plugins
          .map((plugin) => [numbers.next().value ?? 0, plugin] as const)
          .sort(([a], [b]) => a - b)
          .map(([, plugin]) => plugin);
        expect(offered(...mixed)).toEqual(offered(...plugins));
        const strict = some.some(({ stop }) => stop === deny) ? deny : ask;
        const texts = some
          .filter(({ stop }) => stop === strict)
          .map(({ instead }) => JSON.stringify(instead === SAME ? A : instead));
        const agreed = new Set(texts).size === 1 && texts[0] !== undefined;
        expect(offered(...mixed) !== undefined).toBe(agreed);
      }),
    );
  });
});

describe("a vote with an offer is a failed check", () => {
  const big = { text: "x".repeat(32_768) };
  const failed = (plugin: Plugin): string | undefined => {
    const { code, instead, votes } = decideNow(createKernel({ plugins: [plugin] }), call());
    expect(instead).toBeUndefined();
    return code === "check_failed" ? votes[0]?.error : undefined;
  };

  it.each([
    ["that is empty", {}],
    ["that is a list", ["ls"]],
    ["that is text", "ls"],
    ["that is null", null],
    ["that is too large", big],
    ["with a prototype", JSON.parse('{"__proto__": {"a": 1}}')],
    ["with a function", { command: () => "ls" }],
    ["with an infinite number", { n: Infinity }],
  ])("%s", (_, instead) => {
    expect(failed(offers("a", forged(instead)))).toMatch(/instead|plain JSON/);
  });

  it("if it allows", () => {
    const grants = voter("a", "beforeToolCall", () => allow("Yes.", { instead: A }), {
      grants: true,
    });
    expect(failed(grants)).toMatch(/`instead`/);
  });

  it("about anything but a tool call", () => {
    for (const hook of ["onTransition", "onBehavior", "onEnforcement"] as const) {
      const stops = voter("a", hook, () => deny("No.", undefined, { instead: A }));
      const { code } = decideNow(createKernel({ plugins: [stops] }), SUBJECTS[hook]);
      expect(code).toBe("check_failed");
    }
  });
});

describe("a question with an offer", () => {
  const kernel = createKernel({ plugins: [offers("a", A, ask)] });
  const grant = (expires_at: string) => ({ sequence: 1, by: "ann", expires_at });
  const at = "2026-01-01T00:00:00Z";

  it("keeps it without a person, and after an approval that expired", () => {
    expect(decideNow(kernel, call({ interactive: false }))).toMatchObject({
      ...{ code: "approval_unavailable", instead: A },
    });
    const late = kernel.decide(call({ at }), undefined, grant(at));
    expect(late).toMatchObject({ code: "approval_expired", instead: A });
  });

  it("loses it when a person approves the call as it is", () => {
    const decision = kernel.decide(call({ at }), undefined, grant("2027-01-01T00:00:00Z"));
    expect(decision).toMatchObject({ code: "approved", instead: undefined });
    expect(JSON.stringify(decision)).not.toContain('"approval":1,"instead"');
  });
});
