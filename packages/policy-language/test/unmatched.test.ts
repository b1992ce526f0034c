import { readCases } from "@bylaw/testing";
import { expect, test } from "vitest";
import { compilePolicy } from "../src/index.ts";
import { call, run } from "./calls.ts";
import { policyOf, type RuleData } from "./toml.ts";

const rules = readCases<RuleData>(import.meta, "rules");
const pool = compilePolicy([policyOf(rules)]);

test.each(readCases<[string, string]>(import.meta, "cases"))("`%s`: %s", (line, reason) => {
  expect(pool.unmatched(run(line))).toBe(reason);
});

test("a call without a shell line is described by its tool, and the nearest rule by its condition", () => {
  expect(pool.unmatched(call("deploy", {}))).toBe("No rule covers this call of `deploy`");
  expect(pool.unmatched(call("send_mail", { to: "b@example.com" }))).toMatch(
    /^No rule covers this call of `send_mail`\. Closest: `mail`, which allows .*a@example\.com/,
  );
});

test("a line of very many commands is not searched", () => {
  const many = Array.from({ length: 60 }, (_, at) => `make t${at}`).join(";");
  expect(pool.unmatched(run(many))).toBeUndefined();
});
