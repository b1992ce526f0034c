import { EFFECT_NAMES, type EffectName } from "@bylaw/shell";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import {
  compilePolicy,
  compiledPolicy,
  lintPolicies,
  parsePolicy,
  PolicyError,
} from "../src/index.ts";
import { EFFECT_SAMPLES } from "../src/lint/effect-samples.ts";
import { call, effectOf, run, verdictOf } from "./calls.ts";
import { policyOf, toml, type RuleData } from "./toml.ts";

const allow = (effects: string, more: RuleData = {}): RuleData => ({
  action: "allow",
  effects: effects.split(" "),
  ...more,
});
const deny = (effects: string, more: RuleData = {}): RuleData => ({
  action: "deny",
  effects: effects.split(" "),
  ...more,
});

describe("an allow covers a command that has only listed effects", () => {
  test.each(readCases<[string, string, boolean]>(import.meta, "covered"))(
    "%s and `%s`: %s",
    (effects, line, covered) => {
      const decided = effectOf([allow(effects)], run(line));
      if (covered) expect(decided).toBe("allow");
      else expect(decided).not.toBe("allow");
    },
  );

  test.each(readCases<[string, string]>(import.meta, "paths"))(
    "and with `paths` all of its files are inside: `%s`: %s",
    (line, effect) => {
      expect(effectOf([allow("reads writes", { paths: "src/**" })], run(line))).toBe(effect);
    },
  );

  test.each(readCases<[string, string]>(import.meta, "network-hosts"))(
    "and with `network` all of its hosts are: `%s`: %s",
    (line, effect) => {
      const rule = allow("reads network", { network: "api.example.com" });
      expect(effectOf([rule], run(line))).toBe(effect);
    },
  );

  test("with `command`, both must cover the command", () => {
    const rule = allow("reads", { command: "git *" });
    expect(effectOf([rule], run("git status"))).toBe("allow");
    expect(effectOf([rule], run("git commit -m x"))).toBe("abstain");
    expect(effectOf([rule], run("ls"))).toBe("abstain");
  });

  test("covers only commands of a shell tool", () => {
    expect(effectOf([allow("reads")], call("read_file", { path: "a" }))).toBe("abstain");
    expect(effectOf([allow("reads", { tool: "bash" })], run("ls"))).toBe("abstain");
    expect(effectOf([allow("reads", { tool: "bash" })], call("bash", { command: "ls" }))).toBe(
      "allow",
    );
  });

  test("does not cover a file that a link leads outside", () => {
    const facts = { "@bylaw/plugin-policy": { paths: [["out/x", "/etc/x"]] } };
    const one = { ...run("touch out/x"), facts };
    expect(effectOf([allow("writes")], one)).toBe("abstain");
    expect(verdictOf([deny("writes-outside")], one)).toBe("deny rule_denied r0");
  });
});

describe("a deny matches a command with any of the listed effects", () => {
  test.each(readCases<[string, string, string]>(import.meta, "cases"))(
    "%s and `%s`: %s",
    (effects, line, effect) => {
      expect(effectOf([deny(effects)], run(line))).toBe(effect);
    },
  );

  test("also matches in the arguments of tools that are not known shells", () => {
    const one = call("exec_command", { cmd: ["rm", "-rf", "x"] });
    expect(effectOf([deny("delete-below")], one)).toBe("deny");
  });

  test("also matches if an allow would cover the command", () => {
    const rules = [deny("delete-below"), allow("deletes delete-below")];
    expect(verdictOf(rules, run("rm -r x"))).toBe("deny rule_denied r0");
  });
});

describe("the key", () => {
  const errorOf = (rule: RuleData): string => {
    try {
      policyOf([{ name: "r", ...rule }]);
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      return error.findings.map(({ message, fix }) => `${message}. ${fix}`).join("\n");
    }
    return "";
  };
  test("accepts the known names and suggests one for a misspelled name", () => {
    expect(errorOf(deny("delete-bellow"))).toMatch(/Did you mean `delete-below`\?/);
    expect(errorOf({ action: "deny", effects: "netwrk" })).toMatch(/Did you mean `network`\?/);
    expect(errorOf(deny("frob"))).toMatch(/`effects` must be/);
    expect(errorOf({ action: "deny", effects: [] })).toMatch(/`effects` must be/);
    expect(errorOf(allow("reads unknown"))).toMatch(/An allow cannot list `unknown`/);
    expect(errorOf(deny("reads", { tool: "read_file" }))).toMatch(/`effects` needs a tool/);
  });

  test("accepts cases like `command`", () => {
    expect(errorOf(deny("delete-below", { match: ["rm -rf x"], not_match: ["rm x"] }))).toBe("");
    expect(errorOf(deny("delete-below", { match: ["rm x"] }))).toMatch(/does not match `rm x`/);
  });

  test("is kept in the compiled form", () => {
    const text = toml([{ name: "r", ...deny("delete-below") }]);
    const compiled = compiledPolicy(text);
    const file = parsePolicy(text, { file: "p.toml", compiled: compiled ? [compiled] : [] });
    expect(compiled?.rules[0]?.effects).toEqual(["delete-below"]);
    expect(compilePolicy([file]).evaluate(run("rm -r x"))?.[0]?.effect).toBe("deny");
  });

  test("is named in the reason if no rule covers a line", () => {
    const pool = compilePolicy([policyOf([{ name: "look", ...allow("reads") }])]);
    expect(pool.unmatched(run("cat a > b"))).toBe(
      "No rule covers `cat a` in `cat a > b`. Closest: `look`, which allows `reads` and not `writes`",
    );
    expect(pool.explain(run("cat a > b"))[0]).toMatchObject({
      failed: "effects",
      expected: "`reads`",
      actual: "`reads`, `writes`",
    });
  });
});

describe("lint checks understand `effects`", () => {
  const codes = async (...rules: readonly RuleData[]): Promise<readonly string[]> => {
    const named = rules.map((rule, at) => ({ name: `r${at}`, reason: "Because", ...rule }));
    return (await lintPolicies([policyOf(named)])).map(({ code }) => code);
  };
  test.each(Object.entries(EFFECT_SAMPLES) as readonly [Exclude<EffectName, "unknown">, string][])(
    "%s has the sample `%s`",
    (name, line) => {
      expect(effectOf([deny(name)], run(line))).toBe("deny");
    },
  );
  test("every name except one has a sample", () =>
    expect([...Object.keys(EFFECT_SAMPLES), "unknown"]).toEqual(Object.keys(EFFECT_NAMES)));
  test("reports a broad allow, but not a bounded one", async () => {
    expect(await codes(allow("reads network"))).toContain("broad_allow");
    expect(await codes(allow("escalates"))).toContain("broad_allow");
    expect(await codes(allow("reads network", { network: "a.example" }))).not.toContain(
      "broad_allow",
    );
    expect(await codes(allow("reads writes"))).not.toContain("broad_allow");
  });
  test("reports a rule that another covers, but not one that lists more", async () => {
    expect(await codes(deny("network deletes"), deny("network"))).toContain("shadowed_rule");
    expect(await codes(deny("network"), deny("network deletes"))).not.toContain("shadowed_rule");
    expect(await codes(allow("reads"), allow("reads", { command: "cat *" }))).toContain(
      "shadowed_rule",
    );
    expect(await codes(allow("reads"), { action: "allow", command: "cat *" })).not.toContain(
      "shadowed_rule",
    );
  });
});

describe("a recursive delete of a folder", () => {
  const kept = deny("delete-below", { paths: [".", "~"], final: true });
  const all = { ...allow("reads deletes delete-below writes-outside"), priority: "user" };
  const at = (cwd: string, line: string) => ({ ...run(line), cwd });

  test.each([
    ["/data/team/w", "rm -rf .."],
    ["/data/team/w", "rm -rf ../../team/"],
    ["/data/team/w", "rm -r /data"],
    ["/data/team/w", "rm -r /DATA/Team"],
    ["/data/team/w", "cd .. && rm -rf ."],
    ["/data/team/w", "rm -rf /home"],
    ["/data/team/w", "rsync -a --delete src/ /data"],
  ])("in %s: `%s` deletes the workspace or the home folder in it", (cwd, line) => {
    expect(effectOf([kept, all], at(cwd, line))).toBe("deny");
  });

  test.each([
    ["/data/team/w", "rm -rf ../other"],
    ["/data/team/w", "rm -rf /data/teams"],
    ["/data/team/w", "rm -rf src"],
    ["/data/team/w", "cp -r src /data/team"],
    ["/data/team/w", "rsync -a src/ /data"],
    ["/data/team/w", "chmod -R u+w /data/team"],
  ])("in %s: `%s` does not", (cwd, line) => {
    expect(effectOf([kept], at(cwd, line))).not.toBe("deny");
  });
});
