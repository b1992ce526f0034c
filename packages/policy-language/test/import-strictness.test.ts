import { BylawError, type ToolCall } from "@bylaw/kernel";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compilePolicy, importPolicy, parsePolicy } from "../src/index.ts";
import { call, run } from "./calls.ts";
import { geminiToml } from "./gemini-cases.ts";
import { settings } from "./imported.ts";

const RANK: Readonly<Record<string, number>> = { allow: 0, ask_user: 1, deny: 2 };
const RUNS = { numRuns: 100 };

const decision = fc.constantFrom("allow", "deny", "ask_user");
const command = fc.constantFrom(
  "git log",
  "git",
  "git push",
  "ls",
  "npm run test",
  "rm -rf",
  "git log -p",
);
const line = fc
  .array(
    fc.constantFrom(
      "git log",
      "git log -p",
      "git push origin",
      "git status",
      "ls -la",
      "npm run test",
      "npm run testing",
      "rm -rf x",
      "make",
    ),
    { minLength: 1, maxLength: 3 },
  )
  .chain((parts) => fc.constantFrom(" && ", " ; ", " | ").map((operator) => parts.join(operator)));
const mode = fc.constantFrom("ask", "autoEdit", "yolo" as const);
const servers = { github: ["get_issue"], evil: ["get_issue"] };
const other = fc.constantFrom<ToolCall>(
  call("read_file"),
  call("write_file", { path: "src/a" }),
  call("write_file", { path: "/etc/x" }),
  call("mcp_github_get_issue", {}, { servers }),
  call("mcp_evil_get_issue", {}, { servers }),
  call("mcp_github_get_issue"),
);
const anyCall = fc
  .tuple(fc.oneof(line.map(run), other), mode, fc.boolean())
  .map(([one, approval_mode, interactive]): ToolCall => ({
    ...one,
    approval_mode: approval_mode as "ask",
    interactive,
  }));

const common = {
  decision,
  priority: fc.constantFrom(1, 2, 5, 10, 50, 100, 500),
  modes: fc.constantFrom(undefined, ["default"], ["autoEdit", "yolo"], ["yolo", "plan"]),
  interactive: fc.constantFrom(undefined, undefined, true, false),
};
const geminiRule = fc
  .oneof(
    fc.record({
      toolName: fc.constant("run_shell_command"),
      commandPrefix: fc.oneof(command, fc.array(command, { minLength: 1, maxLength: 2 })),
      ...common,
    }),
    fc.record({
      toolName: fc.constant("run_shell_command"),
      commandRegex: fc.constantFrom("git (log|push)", "git .*", "npm run t", "ls|rm"),
      ...common,
    }),
    fc.record({
      toolName: fc.constant("write_file"),
      argsPattern: fc.constantFrom('"path":"src/', '"path":"[a-z/]+"', "etc"),
      ...common,
    }),
    fc.record({
      toolName: fc.constantFrom(
        "*",
        "run_shell_command",
        "read_file",
        "mcp_*",
        "mcp_github_*",
        "mcp_github_get_issue",
      ),
      ...common,
    }),
    fc.record({
      toolName: fc.constantFrom("*", "get_issue"),
      mcpName: fc.constantFrom("github", "*"),
      ...common,
    }),
  )
  .map((rule) => JSON.parse(JSON.stringify(rule)) as Record<string, string>);

// If both abstain, the kernel's fallback and mode decide, which are the same for both.
const effectOf = (toml: string, one: ToolCall): string => {
  const pool = compilePolicy([parsePolicy(toml, { file: "p.toml" })]);
  const effect = pool.evaluate(one)?.[0]?.effect;
  if (effect !== undefined) return effect;
  return one.approval_mode === "yolo" && pool.fallback === "ask_user"
    ? "allow"
    : (pool.fallback ?? "ask_user");
};

test("an imported policy of gemini-cli allows nothing that the original file does not allow", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(geminiRule, { minLength: 1, maxLength: 6 }),
      anyCall,
      async (rules, one) => {
        const { toml } = await importPolicy("gemini", [
          { file: "g.toml", text: geminiToml(rules) },
        ]);
        const theirs = effectOf(geminiToml(rules, { compat: "gemini", default: "ask_user" }), one);
        // In mode yolo, both allow what no rule matches, and the original does not need the server's name.
        const ours = effectOf(toml, one);
        if (ours === "allow" && theirs !== "allow")
          expect({ ours, toml }).toEqual({ ours: theirs, toml });
      },
    ),
    RUNS,
  );
});

test("where a file of gemini-cli denies, its import does not allow; with a single priority it also does not ask", async () => {
  const flat = geminiRule.map((rule): typeof rule => ({
    ...rule,
    priority: 7 as unknown as string,
  }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(flat, { minLength: 1, maxLength: 6 }),
      anyCall,
      async (rules, one) => {
        const { toml } = await importPolicy("gemini", [
          { file: "g.toml", text: geminiToml(rules) },
        ]);
        const theirs = effectOf(geminiToml(rules, { compat: "gemini", default: "ask_user" }), one);
        expect(RANK[effectOf(toml, one)]).toBeGreaterThanOrEqual(RANK[theirs] ?? 0);
      },
    ),
    RUNS,
  );
});

const claudeRule = command.chain((words) => fc.constantFrom(words, `${words}:*`, `${words} *`));

// Compares the words of a rule with those of a command as Claude Code's documentation describes.
function covers(rule: string, part: string): boolean {
  const open = /(?::\*| \*)$/.test(rule);
  const body = rule.replace(/(?::\*| \*)$/, "");
  return part === body || (open && part.startsWith(`${body} `));
}

test("imported permissions of Claude Code decide each command as deny, then ask, then allow, or more strictly", async () => {
  const lists = fc.record({
    allow: fc.array(claudeRule, { maxLength: 4 }),
    ask: fc.array(claudeRule, { maxLength: 2 }),
    deny: fc.array(claudeRule, { maxLength: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(lists, line, async (rules, text) => {
      const quoted = Object.fromEntries(
        Object.entries(rules).map(([key, list]) => [key, list.map((rule) => `Bash(${rule})`)]),
      );
      const { toml, findings } = await importPolicy("claude", [
        { file: "s.json", text: settings(quoted) },
      ]);
      expect(findings).toEqual([]);
      const parts = text.split(/ && | ; | \| /);
      const any = (list: readonly string[]): boolean =>
        parts.some((part) => list.some((rule) => covers(rule, part)));
      const all = parts.every((part) => rules.allow.some((rule) => covers(rule, part)));
      const theirs = any(rules.deny)
        ? "deny"
        : any(rules.ask)
          ? "ask_user"
          : all
            ? "allow"
            : "ask_user";
      expect(RANK[effectOf(toml, call("Bash", { command: text }))]).toBeGreaterThanOrEqual(
        RANK[theirs] ?? 0,
      );
    }),
    RUNS,
  );
});

const piece = fc.constantFrom(
  ...'prefix_rule( pattern = [ ] ) , "git" \' """ decision "forbidden" # \n \\ r" host_executable( name paths match { } : true null -1 permissions allow deny'.split(
    " ",
  ),
  ...'Bash(git:*) Read(**) Edit(../x) mcp__a__b [[rule]] toolName = "*" priority = 1 decision="deny" argsPattern \u0000 \u2028 \ud800 é'.split(
    " ",
  ),
);
const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(" ")),
);
const rules = fc.array(
  fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join("")),
  ),
  { maxLength: 5 },
);

test.each(["claude", "gemini", "codex"] as const)(
  "whatever the text, an import of %s is a policy that loads, or one coded error",
  async (source) => {
    const text = fc.oneof(
      hostile,
      fc
        .record({ allow: rules, deny: rules, ask: rules })
        .map((lists) =>
          source === "claude"
            ? settings(lists)
            : JSON.stringify({
                tools: { allowed: lists.allow, exclude: lists.deny },
                mcp: { excluded: lists.ask },
              }),
        ),
      rules.map((texts) =>
        texts
          .map((one) =>
            source === "codex"
              ? `prefix_rule(pattern = ${JSON.stringify([one])}, decision = "forbidden")`
              : `[[rule]]\ntoolName = ${JSON.stringify(one)}\nargsPattern = ${JSON.stringify(one)}\ndecision = "deny"\npriority = 1`,
          )
          .join("\n"),
      ),
    );
    await fc.assert(
      fc.asyncProperty(text, async (one) => {
        try {
          const { toml, rules: count } = await importPolicy(source, [{ file: "x", text: one }]);
          const { rules: loaded, warnings } = parsePolicy(toml, { file: "p.toml" });
          expect([loaded.length, warnings]).toEqual([count, []]);
        } catch (error) {
          if (!(error instanceof BylawError) || error.code !== "BYLAW_IMPORT_INVALID") throw error;
        }
      }),
      RUNS,
    );
  },
);
