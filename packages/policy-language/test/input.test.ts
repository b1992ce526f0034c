import { readCases } from "@bylaw/testing";
import { describe, expect, it, test } from "vitest";
import { compilePolicy, parsePolicy, PolicyError } from "../src/index.ts";
import { effectOf, run } from "./calls.ts";

const rule = { action: "allow", command: ["frob *", "id"], input: false };

describe("an allow with `input = false`", () => {
  test.each(readCases<[string, string]>(import.meta, "lines"))("%s: %s", (line, effect) => {
    expect(effectOf([rule], run(line))).toBe(effect);
  });

  it("leaves a command that gets something to read to other rules", () => {
    expect(effectOf([rule, { action: "allow", command: "frob *" }], run("id | frob x"))).toBe(
      "allow",
    );
    expect(effectOf([rule, { action: "ask_user", command: "frob *" }], run("frob x"))).toBe(
      "ask_user",
    );
  });

  it("says why it does not cover a line", () => {
    const text = '[[rules]]\nname = "quiet"\naction = "allow"\ncommand = "frob *"\ninput = false\n';
    const file = parsePolicy(text, { file: "p.toml", operator: true });
    expect(compilePolicy([file]).unmatched(run("uptime | frob x"))).toBe(
      "No rule covers `uptime` in `uptime | frob x`",
    );
    expect(compilePolicy([file]).unmatched(run("frob x <<< y"))).toMatch(
      /^No rule covers `frob x`.*Closest: `quiet`, which allows a command that the line gives nothing to read/,
    );
  });

  it.each([
    ['action = "deny"\ncommand = "x"\ninput = false', /Only an allow can have `input`/],
    ['action = "allow"\ncommand = "x"\ninput = true', /input/],
    ['action = "allow"\ntool = "deploy"\ninput = false', /`input` needs a tool that runs a shell/],
  ])("refuses %s", (text, message) => {
    const wrong = `[[rules]]\nname = "x"\n${text}\n`;
    expect(() => parsePolicy(wrong, { file: "p.toml" })).toThrow(PolicyError);
    expect(() => parsePolicy(wrong, { file: "p.toml" })).toThrow(message);
  });
});
