import { describe, expect, it } from "vitest";
import { allow, ask, createKernel, deny, type Plugin, type Verdict } from "../src/index.ts";
import { DIRECTIVES, type Recovery } from "../src/verdict.ts";
import { SUBJECTS, decideNow, voter } from "./kit.ts";

describe("payloads", () => {
  it.each(
    DIRECTIVES.flatMap((left, low) => DIRECTIVES.slice(low).map((right) => [left, right] as const)),
  )("of %s and %s directives combine to the later one, from continue to stop", (left, right) => {
    const steer = (name: string, action: (typeof DIRECTIVES)[number]): Plugin =>
      voter(name, "onBehavior", () => allow("as asked", { directive: { action } }), {
        grants: true,
      });
    for (const plugins of [
      [steer("a", left), steer("b", right)],
      [steer("a", right), steer("b", left)],
    ]) {
      const { effect, directive } = decideNow(createKernel({ plugins }), SUBJECTS.onBehavior);
      expect({ effect, directive }).toEqual({ effect: "allow", directive: { action: right } });
    }
  });

  it("of weaker votes do not affect a stricter decision", () => {
    const steer = voter(
      "a",
      "onBehavior",
      () => allow("go on", { directive: { action: "stop" } }),
      { grants: true },
    );
    const refuse = voter("b", "onBehavior", () => deny("Unexpected loop, expected at most three"));
    const decision = decideNow(createKernel({ plugins: [steer, refuse] }), SUBJECTS.onBehavior);
    expect(decision.effect).toBe("deny");
    expect(decision.directive).toBeUndefined();
  });

  it.each([
    ["inline", "restart", "restart"],
    ["restart", "end", "end"],
    ["inline", "end", "end"],
    ["end", "end", "end"],
  ] as const)("of %s and %s recoveries combine to %s, in any order", (left, right, wanted) => {
    const recover = (name: string, recovery: Recovery): Plugin =>
      voter(name, "onEnforcement", () =>
        deny("Unexpected vote", undefined, { recovery, message: `${name} speaks` }),
      );
    for (const plugins of [
      [recover("a", left), recover("b", right)],
      [recover("a", right), recover("b", left)],
      [recover("b", right), recover("a", left)],
    ]) {
      const { recovery, message } = decideNow(createKernel({ plugins }), SUBJECTS.onEnforcement);
      expect({ recovery, message }).toEqual({ recovery: wanted, message: "a speaks" });
    }
  });

  it("keep a warning as a note, which neither blocks nor allows", () => {
    const warn = voter("a", "onTransition", () =>
      deny("Unexpected empty notes", undefined, { severity: "warning" }),
    );
    const pass = voter("b", "onTransition", () => allow("the phase allows it"), { grants: true });
    const noted = decideNow(createKernel({ plugins: [warn, pass] }), SUBJECTS.onTransition);
    expect(noted).toMatchObject({ effect: "allow", by: "b/t" });
    expect(noted.votes.map(({ plugin, severity }) => [plugin, severity])).toEqual([
      ["a", "warning"],
      ["b", undefined],
    ]);
    const alone = decideNow(createKernel({ plugins: [warn] }), SUBJECTS.onTransition);
    expect(alone).toMatchObject({ effect: "deny", code: "fallback" });
    expect(alone.votes).toHaveLength(1);
  });

  it("report every blocker of a transition, not only the first", () => {
    const gates = ["c", "a", "b"].map((name) =>
      voter(name, "onTransition", () => [deny(`${name} one`), deny(`${name} two`)]),
    );
    const { votes } = decideNow(createKernel({ plugins: gates }), SUBJECTS.onTransition);
    expect(votes.map(({ reason }) => reason)).toEqual([
      "a one",
      "a two",
      "b one",
      "b two",
      "c one",
      "c two",
    ]);
  });
});

describe("a vote in shadow", () => {
  it.each(["allow", "ask_user", "deny"] as const)(
    "of %s is recorded and counts for nothing",
    (effect) => {
      const trial = voter(
        "a",
        "beforeToolCall",
        () => ({ effect, reason: "on trial", shadow: true }),
        { grants: true },
      );
      const alone = decideNow(createKernel({ plugins: [trial] }), SUBJECTS.beforeToolCall);
      expect(alone).toMatchObject({ effect: "ask_user", code: "fallback" });
      expect(alone.by).toBeUndefined();
      expect(alone.votes).toMatchObject([{ plugin: "a", effect, shadow: true }]);
      const other = voter("b", "beforeToolCall", () => ask("Unexpected write"));
      const both = decideNow(createKernel({ plugins: [trial, other] }), SUBJECTS.beforeToolCall);
      expect(both).toMatchObject({ effect: "ask_user", code: "rule_asked", by: "b/t" });
    },
  );

  it("still must not allow without `grants`", () => {
    const trial = voter("a", "beforeToolCall", () => ({
      effect: "allow",
      reason: "on trial",
      shadow: true,
    }));
    expect(decideNow(createKernel({ plugins: [trial] }), SUBJECTS.beforeToolCall)).toMatchObject({
      effect: "deny",
      code: "check_failed",
    });
  });
});

describe("a vote", () => {
  it("contains its voter, whatever the plugin claims", () => {
    const impostor = voter("honest", "beforeToolCall", () => {
      const verdict = {
        effect: "deny",
        reason: "no",
        plugin: "@bylaw/plugin-policy",
        tap: "rules",
        from: "elsewhere",
      };
      return verdict as Verdict;
    });
    const { effect, by, votes } = decideNow(
      createKernel({ plugins: [impostor] }),
      SUBJECTS.beforeToolCall,
    );
    expect({ effect, by }).toEqual({ effect: "deny", by: "honest/t" });
    expect(votes).toMatchObject([{ plugin: "honest", tap: "t", from: "config" }]);
    expect(Object.isFrozen(votes[0])).toBe(true);
  });

  it("may only have a code that its plugin declares", () => {
    const codes = { token_expired: "The token has run out" };
    const verdict = deny("Unexpected token", "renew it", { code: "token_expired" });
    const declared = voter("a", "beforeToolCall", () => verdict, { codes });
    const undeclared = voter("b", "beforeToolCall", () => verdict);
    expect(decideNow(createKernel({ plugins: [declared] }), SUBJECTS.beforeToolCall).code).toBe(
      "token_expired",
    );
    const decision = decideNow(createKernel({ plugins: [undeclared] }), SUBJECTS.beforeToolCall);
    expect(decision.code).toBe("check_failed");
    expect(decision.votes[0]?.error).toContain("code");
  });

  it.each([
    "check_failed",
    "engine_absent",
    "fallback",
    "mode_allowed",
    "approved",
    "approval_unavailable",
  ])("must not claim the kernel's own code %s", (code) => {
    const claims = voter("a", "beforeToolCall", () => allow("fine", { code }), { grants: true });
    expect(decideNow(createKernel({ plugins: [claims] }), SUBJECTS.beforeToolCall)).toMatchObject({
      effect: "deny",
      code: "check_failed",
    });
  });
});
