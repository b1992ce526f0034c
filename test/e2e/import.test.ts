import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { json, workplace } from "./bylaw.ts";

const CLAUDE = JSON.stringify(
  { permissions: { allow: ["Bash(git log:*)"], deny: ["Bash(git push:*)"] } },
  null,
  2,
);
const CODEX = 'prefix_rule(pattern = ["git", "push"], decision = "forbidden")\nx = 1\n';
const GEMINI =
  '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "git log"\ndecision = "allow"\npriority = 100\n';

describe("bylaw import", () => {
  test("prints a policy that decides like its source, and reports nothing if everything was converted", async () => {
    const { cwd, run } = workplace({ "settings.json": CLAUDE });
    const ran = await run("import claude settings.json --out policy.toml");
    expect(ran).toEqual({ code: 0, stdout: "wrote policy.toml: 2 rules\n", stderr: "" });
    const effect = async (command: string) =>
      json(
        await run([
          "check",
          "--policy",
          "policy.toml",
          "--tool",
          "Bash",
          "--args",
          JSON.stringify({ command }),
          "--json",
        ]),
      )["effect"];
    expect([
      await effect("git log -p"),
      await effect("git status"),
      await effect("git log && git push"),
    ]).toEqual(["allow", "ask_user", "deny"]);
    const printed = await run("import claude settings.json");
    expect(printed).toEqual({
      code: 0,
      stdout: readFileSync(join(cwd, "policy.toml"), "utf8"),
      stderr: "",
    });
  });

  test("names what could not be converted, with its place and the reason, and exits with 1", async () => {
    const ran = await workplace({ "default.rules": CODEX }).run("import codex default.rules");
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('command = ["git push *"]');
    expect(ran.stderr).toMatch(/^lost default\.rules:2:3: x = 1\n {2}Found `=` instead of `\(`/);
  });

  test("puts the report next to the policy in JSON", async () => {
    const { cwd, run } = workplace({ "default.rules": CODEX });
    const ran = await run("import codex default.rules --json");
    expect(ran).toMatchObject({ code: 1, stderr: "" });
    expect(json(ran)).toMatchObject({
      toml: expect.stringContaining("[[rules]]"),
      rules: 1,
      findings: [{ severity: "lost", file: "default.rules", line: 2, column: 3, source: "x = 1" }],
    });
    const written = await run("import codex default.rules --json --out p.toml");
    expect(json(written)).toMatchObject({ out: join(cwd, "p.toml"), rules: 1 });
  });

  test("a file that is named twice is read once", async () => {
    const { run } = workplace({ "settings.json": CLAUDE });
    expect(await run("import claude settings.json ./settings.json")).toEqual(
      await run("import claude settings.json"),
    );
  });

  test("overwrites only with --force", async () => {
    const { cwd, run } = workplace({ "p.toml": "# mine\n", "g.toml": GEMINI });
    const refused = await run("import gemini g.toml --out p.toml");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/^error BYLAW_IMPORT_EXISTS: /);
    expect(readFileSync(join(cwd, "p.toml"), "utf8")).toBe("# mine\n");
    expect(await run("import gemini g.toml --out p.toml --force")).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, "p.toml"), "utf8")).toContain('command = ["git log *"]');
  });

  test.each(readCases<[string[], string]>(import.meta, "mistakes"))(
    "a mistake is one message and exit code 2: %j",
    async (args, message) => {
      const { cwd, run } = workplace({
        "g.toml": GEMINI,
        "bad.toml": 'a = "',
        "latin.json": new Uint8Array([0x7b, 0xff, 0x7d]),
      });
      const ran = await run(args);
      expect(ran).toMatchObject({ code: 2, stdout: "" });
      expect(ran.stderr).toMatch(new RegExp(message));
      expect(existsSync(join(cwd, "p.toml"))).toBe(false);
    },
  );
});
