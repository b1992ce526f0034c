import type { JsonObject } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { compilePolicy } from "../src/index.ts";
import { call, effectOf, run } from "./calls.ts";
import { policyOf } from "./toml.ts";

const allowed = [
  { action: "allow", command: ["frob *", "echo *", "seq *", "bun *"] },
  { action: "deny", command: "rm -rf *" },
  { action: "ask_user", command: "npm publish *" },
];

describe("text that looks like a command", () => {
  test.each(readCases<[string, string]>(import.meta, "texts"))("%s: %s", (line, effect) =>
    expect(effectOf(allowed, run(line))).toBe(effect),
  );
  test("cannot be covered by an allow, and needs none", () => {
    expect(effectOf([{ action: "allow", command: "ls *" }], run("frob 'ls -la'"))).toBe("abstain");
    expect(effectOf([{ action: "deny", command: "rm -rf *" }], run('bash -c "rm -rf $DIR"'))).toBe(
      "deny",
    );
    expect(effectOf(allowed, run('frob --exec "ls x"'))).toBe("abstain");
  });
});

test.each(readCases<[string, string]>(import.meta, "numbers"))(
  "a number is one word, and not an option: %s: %s",
  (line, effect) => expect(effectOf(allowed, run(line))).toBe(effect),
);

describe("a command in the arguments of a tool that is not a shell", () => {
  const rules = [...allowed, { action: "deny", paths: "**/.env" }];
  test.each(readCases<[JsonObject, string]>(import.meta, "commands-in-arguments"))(
    "%j: %s",
    (args, effect) => {
      expect(effectOf(rules, call("frob", args))).toBe(effect);
    },
  );
  test.each(readCases<object>(import.meta, "allows"))(
    "no allow is about it, of whichever tier: %j",
    (allow) => {
      const rules = [
        { name: "a", action: "allow", priority: "admin", ...allow },
        { name: "b", action: "ask_user", command: "rm *" },
      ];
      const pool = compilePolicy([policyOf(rules)]);
      const carries = call("frob", { command: "rm -r a" });
      expect(pool.evaluate(carries)?.[0]?.effect).toBe("ask_user");
      expect(pool.evaluateByScan(carries)).toEqual(pool.evaluate(carries));
      expect(effectOf(rules, run("rm -r a"))).toBe("allow");
    },
  );
  test.each(["frob", "web_fetch"])("no allow of hosts covers what `%s` contains", (tool) => {
    const pool = compilePolicy([
      policyOf([
        { name: "a", action: "allow", priority: "admin", network: "a.example" },
        { name: "b", action: "ask_user", command: "curl *" },
      ]),
    ]);
    const carries = call(tool, { command: "curl https://a.example" });
    expect(pool.evaluate(carries)?.[0]?.effect).toBe("ask_user");
    expect(pool.evaluateByScan(carries)).toEqual(pool.evaluate(carries));
  });
  test("also for a shell without a text argument", () => {
    expect(effectOf(rules, call("bash", { command: ["rm", "-rf", "a"] }))).toBe("deny");
    expect(effectOf(rules, call("bash", { command: ["echo", "a"] }))).toBe("ask_user");
  });
});
