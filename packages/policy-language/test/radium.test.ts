import { readFileSync, readdirSync } from "node:fs";
import type { ToolCall } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { PolicyError, compilePolicy, parsePolicy } from "../src/index.ts";

const fixtures = new URL("fixtures/radium/", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, fixtures), "utf8");
const json = (name: string): unknown => JSON.parse(read(name));

interface Decisions {
  readonly policies: readonly {
    readonly file: string;
    readonly decisions: readonly {
      readonly tool: string;
      readonly args: readonly string[];
      readonly expect: {
        readonly action: string;
        readonly rule: string | null;
        readonly reason?: string;
      };
    }[];
  }[];
}
interface Globs {
  readonly strings: readonly string[];
  readonly results: readonly {
    readonly pattern: string;
    readonly matches?: readonly string[];
    readonly error?: string;
  }[];
}

const call = (tool: string, args: ToolCall["args"] = []): ToolCall => ({
  hook: "beforeToolCall",
  tool,
  args,
});
const load = (text: string) => compilePolicy([parsePolicy(text, { file: "radium.toml" })]);
const rule = (fields: Readonly<Record<string, string>>, top = ""): string =>
  [
    `compat = "radium"`,
    top,
    "[[rules]]",
    ...Object.entries({ name: "r", action: "deny", ...fields }).map(
      ([key, value]) => `${key} = ${JSON.stringify(value)}`,
    ),
  ].join("\n");

describe("patterns", () => {
  const { results, strings } = json("glob.json") as Globs;
  test.each(results.filter(({ error }) => error === undefined))(
    "`$pattern` matches what the glob crate matches",
    ({ pattern, matches }) => {
      const pool = load(rule({ tool_pattern: "t", arg_pattern: pattern }));
      const found = strings.filter(
        (text) => pool.evaluate(call("t", [text]))?.[0]?.rule?.name === "r",
      );
      expect(found).toEqual(matches);
    },
  );
  test.each(results.filter(({ error }) => error !== undefined))(
    "`$pattern` is refused",
    ({ pattern }) => {
      expect(() => load(rule({ tool_pattern: pattern }))).toThrow(PolicyError);
      expect(() => load(rule({ tool_pattern: "t", arg_pattern: pattern }))).toThrow(
        /radium\.toml:\d+:1: /,
      );
    },
  );
  test("braces, alternatives and carets are plain text", () => {
    const pool = load(rule({ tool_pattern: "[^a]{b,c}|d" }));
    expect(pool.evaluate(call("^{b,c}|d"))?.[0]?.effect).toBe("deny");
    expect(pool.evaluate(call("xb"))?.[0]?.effect).toBe("ask_user");
  });
});

describe("the shipped files", () => {
  const { policies } = json("glob-policy-decisions.json") as Decisions;
  const cases = policies.flatMap(({ file, decisions }) =>
    decisions.map((decision, at) => ({ file, at, ...decision })),
  );
  test("no decision is missing", () => expect(cases).toHaveLength(policies.length * 37));
  const pools = new Map(
    policies.map(({ file }) => [file, load(`compat = "radium"\n${read(`policies/${file}`)}`)]),
  );
  test.each(cases)("$file $at: $tool $args", ({ file, tool, args, expect: wanted }) => {
    const [vote, ...others] = pools.get(file)?.evaluate(call(tool, args)) ?? [];
    expect(others).toEqual([]);
    const action =
      wanted.action === "askuser" || wanted.action === "dry_run_first" ? "ask_user" : wanted.action;
    expect(vote?.effect).toBe(action);
    expect(vote?.rule?.name ?? null).toBe(wanted.rule);
    if (wanted.reason !== undefined) expect(vote?.reason).toBe(wanted.reason);
  });

  const files = readdirSync(new URL("policies/", fixtures)).filter((name) =>
    name.endsWith(".toml"),
  );
  test("there are twelve", () => expect(files).toHaveLength(12));
  test.each(files)("%s loads with compat", (name) => {
    const file = parsePolicy(`compat = "radium"\n${read(`policies/${name}`)}`, { file: name });
    expect(file.compat).toBe("radium");
    expect(file.compatPolicy?.rules.length).toBeGreaterThan(0);
  });
  test.each(files)("%s without compat is rejected, and the fix names compat", (name) => {
    let error: unknown;
    try {
      parsePolicy(read(`policies/${name}`), { file: name });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(PolicyError);
    const { findings } = error as PolicyError;
    expect(
      findings.some(
        ({ message, fix }) =>
          /`approval_mode` belongs in the configuration/.test(message) &&
          /compat = "radium"/.test(fix ?? ""),
      ),
    ).toBe(true);
    const line =
      read(`policies/${name}`)
        .split("\n")
        .findIndex((text) => text.startsWith("approval_mode")) + 1;
    expect(findings.find(({ message }) => message.includes("approval_mode"))?.line).toBe(line);
  });
});

describe("evaluation", () => {
  test("the first rule of the highest priority decides, even if others are stricter", () => {
    const pool = load(`compat = "radium"
[[rules]]
name = "late"
action = "deny"
tool_pattern = "t"
[[rules]]
name = "low"
priority = "default"
action = "deny"
tool_pattern = "*"
[[rules]]
name = "first"
priority = "admin"
action = "allow"
tool_pattern = "t*"
`);
    expect(pool.evaluate(call("t"))).toEqual([
      {
        effect: "allow",
        code: "rule_allowed",
        reason: "Matched rule: first",
        rule: { name: "first", file: "radium.toml", line: 11 },
      },
    ]);
    expect(
      pool.explain(call("t")).map(({ name, matched, deciding }) => [name, matched, deciding]),
    ).toEqual([
      ["first", true, true],
      ["late", true, false],
      ["low", true, false],
    ]);
  });
  test.each(readCases<[string, string, string]>(import.meta, "modes"))(
    "without a match, mode %s answers %s with %s",
    (mode, tool, effect) => {
      expect(
        load(rule({ tool_pattern: "never" }, `approval_mode = "${mode}"`)).evaluate(call(tool))?.[0]
          ?.effect,
      ).toBe(effect);
    },
  );
  test("the approval mode of the call does not matter", () => {
    const pool = load(rule({ tool_pattern: "never" }));
    expect(pool.evaluate({ ...call("t"), approval_mode: "yolo" })?.[0]?.effect).toBe("ask_user");
  });
  test("an argument pattern is tried on each argument and on all of them in order", () => {
    const pool = load(rule({ tool_pattern: "bash:*", arg_pattern: "rm -rf *" }));
    expect(pool.evaluate(call("bash:sh", ["rm", "-rf", "/"]))?.[0]?.effect).toBe("deny");
    expect(
      pool.evaluate(call("bash:sh", { first: "rm", second: "-rf", third: "/" }))?.[0]?.effect,
    ).toBe("deny");
    expect(pool.evaluate(call("bash:sh", { b: "x", a: "rm -rf /" }))?.[0]?.effect).toBe("deny");
    expect(pool.evaluate(call("bash:sh", ["-rf", "rm", "/"]))?.[0]?.effect).toBe("ask_user");
    expect(pool.evaluate(call("rm -rf /", []))?.[0]?.effect).toBe("ask_user");
  });
  test("askuser and dry_run_first ask", () => {
    for (const action of ["askuser", "ask_user", "dry_run_first"]) {
      expect(load(rule({ tool_pattern: "t", action })).evaluate(call("t"))?.[0]?.effect).toBe(
        "ask_user",
      );
    }
  });
  test("it casts one vote in addition to the pool's, and the kernel takes the stricter one", () => {
    const radium = parsePolicy(rule({ tool_pattern: "t", action: "allow" }), {
      file: "radium.toml",
    });
    const own = parsePolicy('[[rules]]\nname = "no"\naction = "deny"\ntool = "t"', {
      file: "own.toml",
    });
    expect(
      compilePolicy([radium, own])
        .evaluate(call("t"))
        ?.map(({ effect }) => effect),
    ).toEqual(["deny", "allow"]);
  });
  test("a key of Bylaw's language is rejected", () => {
    expect(() => load(rule({ tool_pattern: "t", command: "ls" }))).toThrow(/Unknown key `command`/);
    expect(() => load(rule({ tool_pattern: "t", priority: "workspace" }))).toThrow(/`priority`/);
  });
  test.each([
    ["mcp_evil_get", "github", "ask_user"],
    ["mcp__evil__get", "github", "ask_user"],
    ["mcp_githubx", "github", "ask_user"],
    ["get", "", "ask_user"],
    ["mcp_github_get", "github", "allow"],
    ["mcp__github__get", "github", "allow"],
    ["get", "github", "allow"],
    ["mcp_evil_get", undefined, "allow"],
  ])(
    "a name with a prefix of another server than the host's is not allowed: %s of %s",
    (tool, server, effect) => {
      const one = { ...call(tool), ...(server === undefined ? {} : { server }) };
      expect(load(rule({ tool_pattern: "*", action: "allow" })).evaluate(one)?.[0]?.effect).toBe(
        effect,
      );
      expect(
        load(rule({ tool_pattern: "never" }, 'approval_mode = "yolo"')).evaluate(one)?.[0]?.effect,
      ).toBe(effect);
      expect(load(rule({ tool_pattern: "*" })).evaluate(one)?.[0]?.effect).toBe("deny");
    },
  );
});
