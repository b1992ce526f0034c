import type { ToolCall } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { call, effectOf, run, verdictOf } from "./calls.ts";
import type { RuleData } from "./toml.ts";

const allow = (command: string | readonly string[], more: RuleData = {}): RuleData => ({
  action: "allow",
  command,
  ...more,
});
const deny = (command: string | readonly string[], more: RuleData = {}): RuleData => ({
  action: "deny",
  command,
  ...more,
});

test.each(readCases<[string, string, boolean]>(import.meta, "covered"))(
  "an allow covers only what the pattern spells out: `%s` and `%s`: %s",
  (pattern, line, covered) => {
    expect(effectOf([allow(pattern)], run(line))).toBe(covered ? "allow" : "abstain");
  },
);

describe("an allow does not cover an option that is not known to be harmless", () => {
  test.each(readCases<[string, string, boolean]>(import.meta, "closed-world"))(
    "`%s` and `%s`: %s",
    (pattern, line, covered) => {
      const expected = covered ? "allow" : "abstain";
      expect(effectOf([allow(pattern)], run(line))).toBe(expected);
    },
  );

  test.each(readCases<[string, string, boolean]>(import.meta, "regular-expressions"))(
    "`%s` as a regular expression and `%s`: %s",
    (command_regex, line, covered) => {
      const expected = covered ? "allow" : "abstain";
      expect(effectOf([{ action: "allow", command_regex }], run(line))).toBe(expected);
    },
  );

  test("a deny still matches it", () => {
    expect(effectOf([allow("frob *"), deny("frob --load *")], run("frob --load a"))).toBe("deny");
  });
});

test.each(readCases<[string, string, boolean]>(import.meta, "denied"))(
  "a deny matches by meaning: `%s` and `%s`: %s",
  (pattern, line, matches) => {
    expect(effectOf([deny(pattern)], run(line), { default: "allow" }) === "deny").toBe(matches);
  },
);

describe("a line that cannot be read is never allowed", () => {
  const lines = [...readCases<string>(import.meta, "lines"), `ls ${"a".repeat(20_000)}`];
  const blankets = readCases<RuleData>(import.meta, "blankets");
  test.each(lines)("%j", (line) => {
    for (const rule of blankets) {
      for (const fallback of ["allow", "ask_user", "deny"]) {
        const wanted = fallback === "deny" ? "deny unknown_command" : "ask_user unknown_command";
        expect(verdictOf([rule], run(line), { default: fallback })).toBe(wanted);
      }
    }
  });
  test.each(readCases<[ToolCall["args"]]>(import.meta, "arguments"))("arguments %j", (args) => {
    for (const rule of blankets)
      expect(verdictOf([rule], call("run_shell_command", args))).toBe("ask_user unknown_command");
  });
  test.each(readCases<string>(import.meta, "blanket"))(
    "a blanket allow leaves %j to the default",
    (line) => {
      for (const rule of blankets) expect(verdictOf([rule], run(line))).toBe("abstain");
    },
  );
  test.each(readCases<string>(import.meta, "blanket-covered"))("and covers %j", (line) =>
    expect(effectOf([{ action: "allow", tool: "run_shell_command" }], run(line))).toBe("allow"),
  );
  test("a rule about another tool does not vote", () => {
    expect(verdictOf([{ action: "allow", tool: "read_file" }], run("ls; $X"))).toBe("abstain");
  });
  test("a rule in shadow does not vote", () => {
    expect(verdictOf([{ action: "deny", command: "rm *", shadow: true }], run("ls; $X"))).toBe(
      "abstain",
    );
  });
  test("a rule about the tool alone still denies and asks", () => {
    expect(verdictOf([{ action: "deny", tool: "run_shell_command" }], run("ls; $X"))).toBe(
      "deny rule_denied r0",
    );
    expect(verdictOf([{ action: "ask_user", tool: "run_shell_command" }], run("ls; $X"))).toBe(
      "ask_user rule_asked r0",
    );
    expect(
      verdictOf([{ action: "ask_user", tool: "run_shell_command" }], run("ls; $X"), {
        default: "deny",
      }),
    ).toBe("deny unknown_command");
  });
  test("no program name makes a deny match a line of odd characters that only looks like a command", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 30 }), (tail) => {
        const quoted = `'${tail.replaceAll("'", "x")}'`;
        expect(effectOf([deny("rm *"), deny("dd *")], run(`echo ${quoted}`))).not.toBe("deny");
        expect(effectOf([deny("rm *")], run(`echo ${quoted}; rm a`))).not.toBe("abstain");
      }),
    );
  });
});

describe("arguments that make a program do more than its name says", () => {
  test.each(readCases<[string, string]>(import.meta, "not-covered"))(
    "`%s` does not cover `%s`",
    (pattern, line) => {
      const stands = line.startsWith("less") ? "ask_user" : "abstain";
      expect(effectOf([allow(pattern)], run(line))).toBe(stands);
      expect(effectOf([{ action: "allow", tool: "run_shell_command" }], run(line))).toBe(stands);
      expect(effectOf([{ action: "allow", command_regex: ".*" }], run(line))).toBe(stands);
    },
  );
  test.each(readCases<[string, string]>(import.meta, "spelled-out"))(
    "`%s` spells it out and covers `%s`",
    (pattern, line) => {
      expect(effectOf([allow(pattern)], run(line))).toBe("allow");
    },
  );
  test.each(readCases<string>(import.meta, "harmless"))("`%s` is harmless", (line) =>
    expect(effectOf([{ action: "allow", tool: "run_shell_command" }], run(line))).toBe("allow"),
  );
});

describe("command_regex", () => {
  test.each(readCases<[string, string, boolean]>(import.meta, "allowed"))(
    "an allow of `%s` and `%s`: %s",
    (regex, line, covered) => {
      expect(effectOf([{ action: "allow", command_regex: regex }], run(line))).toBe(
        covered ? "allow" : "abstain",
      );
    },
  );
  test.each(readCases<[string, string]>(import.meta, "deny-matches"))(
    "a deny of `%s` matches `%s`",
    (regex, line) => {
      expect(effectOf([{ action: "deny", command_regex: regex }], run(line))).toBe("deny");
    },
  );
});

test("a shell tool of an MCP server is analyzed as a shell", () => {
  const one = call("mcp__box__bash", { command: "rm -rf x" }, { servers: { box: ["bash"] } });
  expect(effectOf([deny("rm -rf *", { tool: "bash" })], one)).toBe("deny");
  expect(effectOf([allow("rm *")], { ...one, args: { command: "rm x" } })).toBe("abstain");
});
