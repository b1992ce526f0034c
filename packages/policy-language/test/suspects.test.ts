import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { effectOf, run } from "./calls.ts";

const allowed = [
  { action: "allow", command: ["frob *", "echo *", "bun *"] },
  { action: "deny", command: "rm -rf *" },
  { action: "ask_user", command: "npm publish *" },
];

describe("text that looks like a command", () => {
  test.each(
    readCases<readonly [string, string]>(new URL("cases/suspects/texts.jsonl", import.meta.url)),
  )("%s: %s", (line, effect) => expect(effectOf(allowed, run(line))).toBe(effect));
  test("is not what an allow covers, nor what is looked for in its place", () => {
    expect(effectOf([{ action: "allow", command: "ls *" }], run("frob 'ls -la'"))).toBe("abstain");
    expect(effectOf([{ action: "deny", command: "rm -rf *" }], run('bash -c "rm -rf $DIR"'))).toBe(
      "deny",
    );
    expect(effectOf(allowed, run('frob --exec "ls x"'))).toBe("abstain");
  });
});

describe("a number is no option, and one word", () => {
  test.each([
    ["echo $?", "allow"],
    ['echo "$?"', "allow"],
    ["echo $((1+2)) ${#x} $$ $#", "allow"],
    ["echo n=$?", "allow"],
    ["echo $((1+2))%", "allow"],
    // A minus, digits and letters could be options.
    ["echo $((0-1))f", "abstain"],
    ["echo $?$x", "abstain"],
    ["echo -$?", "abstain"],
    ["echo $x", "abstain"],
    ['echo "$!"', "abstain"],
  ])("%s: %s", (line, effect) => expect(effectOf(allowed, run(line))).toBe(effect));
});
