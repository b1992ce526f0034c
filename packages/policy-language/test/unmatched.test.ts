import { expect, test } from "vitest";
import { compilePolicy } from "../src/index.ts";
import { call, run } from "./calls.ts";
import { policyOf } from "./toml.ts";

const rules = [
  { action: "allow", name: "look", command: ["git {status,log} *", "ls *"] },
  { action: "allow", name: "read", command: "cat *", paths: "./**" },
  { action: "deny", name: "no-force", command: "git push --force *" },
  { action: "allow", name: "trial", command: "frob *", shadow: true },
  { action: "allow", name: "mail", tool: "send_mail", args: { to: { eq: "a@example.com" } } },
];
const pool = compilePolicy([policyOf(rules)]);

test.each([
  ["make", "No rule covers `make`"],
  ["frob a", "No rule covers `frob a`"],
  [
    "git commit",
    "No rule covers `git commit`. Closest: `look`, which allows `git status *`, `git log *`",
  ],
  [
    "ls && git commit",
    "No rule covers `git commit` in `ls && git commit`. Closest: `look`, which allows `git status *`, `git log *`",
  ],
  [
    "git log --output=x",
    "No rule covers `git log --output=x`. Closest: `look`, which allows `git log *` and must spell out `--output=x`",
  ],
  ["cat ../x", "No rule covers `cat ../x`. Closest: `read`, which allows `./**`"],
  ["make \u202ex", "No rule covers `make \\u{202e}x`"],
])("`%s`: %s", (line, reason) => {
  expect(pool.unmatched(run(line))).toBe(reason);
});

test("a call of another kind is told by its tool, and a rule about it by its condition", () => {
  expect(pool.unmatched(call("deploy", {}))).toBe("No rule covers this call of `deploy`");
  expect(pool.unmatched(call("send_mail", { to: "b@example.com" }))).toMatch(
    /^No rule covers this call of `send_mail`\. Closest: `mail`, which allows .*a@example\.com/,
  );
});

test("a line of very many commands is not searched", () => {
  const many = Array.from({ length: 60 }, (_, at) => `make t${at}`).join(";");
  expect(pool.unmatched(run(many))).toBeUndefined();
});
