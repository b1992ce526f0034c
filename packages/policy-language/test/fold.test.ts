import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { compilePolicy } from "../src/index.ts";
import { call, effectOf, run } from "./calls.ts";
import { policyOf } from "./toml.ts";

const deny = (...paths: string[]) => [{ action: "deny", paths }];
const read = (path: string, more = {}) => call("read_file", { path }, more);

describe("a deny of paths holds on a file system that ignores case", () => {
  test.each(readCases<[string, string]>(import.meta, "denied"))("%s denies %s", (glob, path) => {
    expect(effectOf(deny(glob), read(path))).toBe("deny");
    expect(effectOf([{ action: "ask_user", paths: glob }], read(path))).toBe("ask_user");
  });
  test.each(readCases<[string, string]>(import.meta, "spellings"))("%s: %s", (line, effect) =>
    expect(effectOf(deny("**/.env"), run(line))).toBe(effect),
  );
  test("a folder above a denied file is denied too", () => {
    const rules = [
      { action: "allow", tool: "delete_file", paths: "./**" },
      ...deny("Keys/Private/**"),
    ];
    expect(effectOf(rules, call("delete_file", { path: "keys" }))).toBe("ask_user");
    expect(effectOf(rules, call("delete_file", { path: "other" }))).toBe("allow");
  });
  test("the index finds every rule that matches by itself", () => {
    const pool = compilePolicy([
      policyOf(deny("Secrets/**", "/Etc/**", "~/.SSH/*").map((rule) => ({ name: "a", ...rule }))),
    ]);
    for (const path of readCases<string>(import.meta, "index")) {
      expect(pool.evaluate(read(path))).toEqual(pool.evaluateByScan(read(path)));
    }
  });
});

test("an allow of paths respects case", () => {
  const rules = [{ action: "allow", tool: "read_file", paths: "src/**" }];
  expect([
    effectOf(rules, read("src/a")),
    effectOf(rules, read("SRC/a")),
    effectOf(rules, read("/W/src/a")),
  ]).toEqual(["allow", "abstain", "abstain"]);
});
