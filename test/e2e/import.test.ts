import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { bylawHere, json, scratch } from "./bylaw.ts";

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
    const cwd = scratch({ "settings.json": CLAUDE });
    const ran = await bylawHere("import claude settings.json --out policy.toml", { cwd });
    expect(ran).toEqual({ code: 0, stdout: "wrote policy.toml: 2 rules\n", stderr: "" });
    const effect = async (command: string) =>
      json(
        await bylawHere(
          [
            "check",
            "--policy",
            "policy.toml",
            "--tool",
            "Bash",
            "--args",
            JSON.stringify({ command }),
            "--json",
          ],
          { cwd },
        ),
      )["effect"];
    expect([
      await effect("git log -p"),
      await effect("git status"),
      await effect("git log && git push"),
    ]).toEqual(["allow", "ask_user", "deny"]);
    const printed = await bylawHere("import claude settings.json", { cwd });
    expect(printed).toEqual({
      code: 0,
      stdout: readFileSync(join(cwd, "policy.toml"), "utf8"),
      stderr: "",
    });
  });

  test("names what could not be converted, with its place and the reason, and exits with 1", async () => {
    const ran = await bylawHere("import codex default.rules", {
      cwd: scratch({ "default.rules": CODEX }),
    });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('command = ["git push *"]');
    expect(ran.stderr).toMatch(/^lost default\.rules:2:3: x = 1\n {2}Found `=` instead of `\(`/);
  });

  test("puts the report next to the policy in JSON", async () => {
    const cwd = scratch({ "default.rules": CODEX });
    const ran = await bylawHere("import codex default.rules --json", { cwd });
    expect(ran).toMatchObject({ code: 1, stderr: "" });
    expect(json(ran)).toMatchObject({
      toml: expect.stringContaining("[[rules]]"),
      rules: 1,
      findings: [{ severity: "lost", file: "default.rules", line: 2, column: 3, source: "x = 1" }],
    });
    const written = await bylawHere("import codex default.rules --json --out p.toml", { cwd });
    expect(json(written)).toMatchObject({ out: join(cwd, "p.toml"), rules: 1 });
  });

  test("a file that is named twice is read once", async () => {
    const cwd = scratch({ "settings.json": CLAUDE });
    expect(await bylawHere("import claude settings.json ./settings.json", { cwd })).toEqual(
      await bylawHere("import claude settings.json", { cwd }),
    );
  });

  test("overwrites only with --force", async () => {
    const cwd = scratch({ "p.toml": "# mine\n", "g.toml": GEMINI });
    const refused = await bylawHere("import gemini g.toml --out p.toml", { cwd });
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/^error BYLAW_IMPORT_EXISTS: /);
    expect(readFileSync(join(cwd, "p.toml"), "utf8")).toBe("# mine\n");
    expect(await bylawHere("import gemini g.toml --out p.toml --force", { cwd })).toMatchObject({
      code: 0,
    });
    expect(readFileSync(join(cwd, "p.toml"), "utf8")).toContain('command = ["git log *"]');
  });

  test.each(readCases<[string[], string]>(import.meta, "mistake-one-message-exit"))(
    "a mistake is one message and exit code 2: %j",
    async (args, message) => {
      const cwd = scratch({
        "g.toml": GEMINI,
        "bad.toml": 'a = "',
        "latin.json": new Uint8Array([0x7b, 0xff, 0x7d]),
      });
      const ran = await bylawHere(args, { cwd });
      expect(ran).toMatchObject({ code: 2, stdout: "" });
      expect(ran.stderr).toMatch(new RegExp(message));
      expect(existsSync(join(cwd, "p.toml"))).toBe(false);
    },
  );
});
