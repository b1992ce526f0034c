import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allow, createKernel, deny } from "../src/index.ts";
import { decide, refused, seen } from "./border-kit.ts";
import { call, decideNow, forged, lateVoter, voter } from "./kit.ts";

describe("a subject is read safely", () => {
  it("reads each field once, so that a getter cannot return two values", () => {
    const faces = ["read_file", "bash", "bash"];
    const subject = Object.defineProperty({ ...call() }, "tool", {
      enumerable: true,
      get: () => faces.shift(),
    });
    seen.length = 0;
    expect(decide(subject).effect).toBe("allow");
    expect(seen.map(({ tool }) => tool)).toEqual(["read_file"]);
    expect(faces).toHaveLength(2);
  });

  it("ignores inherited fields", () => {
    const shared = Object.prototype as unknown as Record<string, unknown>;
    seen.length = 0;
    // As a careless library might do.
    shared["phase"] = "REVIEW";
    shared["unheard"] = 1;
    try {
      expect(decide(call()).effect).toBe("allow");
      const [subject = call()] = seen;
      expect(Object.keys(subject)).not.toContain("phase");
      expect(Object.keys(subject)).not.toContain("unheard");
      expect(Object.keys(subject.args)).toEqual(["path"]);
    } finally {
      delete shared["phase"];
      delete shared["unheard"];
    }
  });

  it("ignores symbols", () => {
    seen.length = 0;
    expect(decide({ ...call(), [Symbol("hidden")]: () => {} }).effect).toBe("allow");
    expect(Object.getOwnPropertySymbols(seen[0])).toEqual([]);
  });

  it("accepts only tool names of 1 to 256 characters without control characters", () => {
    const meant = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]{1,256}$/u;
    const name = fc.oneof(
      fc.string({ maxLength: 300, size: "max" }),
      fc.string({ unit: "binary", maxLength: 300, size: "max" }),
      fc.string({
        unit: fc.constantFrom("a", "_", "\n", "\u007f", "\u009f", "\u2028", "é", "😀"),
        maxLength: 300,
        size: "max",
      }),
    );
    fc.assert(
      fc.property(name, (tool) => {
        fc.pre(tool.isWellFormed());
        expect(decide(call({ tool }))).toMatchObject(
          meant.test(tool) ? { effect: "allow" } : refused,
        );
      }),
    );
  });
});

describe("several verdicts in one answer", () => {
  it("count by their index, whatever the list's own iterator returns", () => {
    const answer = Object.defineProperty([allow("fine"), deny("not fine")], Symbol.iterator, {
      *value() {
        yield allow("fine");
      },
    });
    const kernel = createKernel({
      plugins: [voter("two-faced", "beforeToolCall", () => forged(answer), { grants: true })],
    });
    expect(decideNow(kernel, call())).toMatchObject({ effect: "deny", reason: "not fine" });
  });
});

it("a synchronous tap and an asynchronous one both count", async () => {
  for (const [now, later] of [
    [deny("now"), allow("later")],
    [allow("now"), deny("later")],
  ] as const) {
    const plugins = [
      voter("at-once", "beforeToolCall", () => now, { grants: true }),
      lateVoter("later", "beforeToolCall", async () => later, { grants: true }),
    ];
    const { effect, votes } = await createKernel({ plugins }).decide(call());
    expect(effect).toBe("deny");
    expect(votes.map(({ reason }) => reason)).toEqual(["now", "later"]);
  }
});
