import type { ToolCall } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { importPolicy } from "../src/index.ts";
import { call } from "./calls.ts";
import { imported, settings } from "./imported.ts";

const bash = (command: string) => call("Bash", { command });
const read = (file_path: string) => call("Read", { file_path }, { workspace: "/w" });
const edit = (file_path: string) => call("Edit", { file_path }, { workspace: "/w" });

describe("a rule covers what Claude Code's documentation says", () => {
  test.each(readCases<[string, ToolCall, string]>(import.meta, "allows"))(
    "allow %s",
    async (rule, one, wanted) => {
      const { effectOf, report } = await imported("claude", settings({ allow: [rule] }));
      expect(effectOf(one)).toBe(wanted);
      expect(report.filter((line) => line.startsWith("lost"))).toEqual([]);
    },
  );

  test.each(readCases<[string, ToolCall, string]>(import.meta, "denies"))(
    "deny %s",
    async (rule, one, wanted) => {
      const { effectOf, report } = await imported("claude", settings({ deny: [rule] }));
      expect(effectOf(one)).toBe(wanted);
      expect(report.filter((line) => line.startsWith("lost"))).toEqual([]);
    },
  );
});

describe("precedence", () => {
  test("deny, then ask, then allow, in any order and across files", async () => {
    const { effectOf } = await imported(
      "claude",
      settings({ allow: ["Bash(git:*)", "Bash(aws s3 ls)"], deny: ["Bash(git push --force:*)"] }),
      settings({ ask: ["Bash(git push:*)"], deny: ["Bash(aws *)"] }),
    );
    expect(effectOf(bash("git status"))).toBe("allow");
    expect(effectOf(bash("git push origin"))).toBe("ask_user");
    expect(effectOf(bash("git push --force"))).toBe("deny");
    expect(effectOf(bash("aws s3 ls"))).toBe("deny");
    expect(effectOf(bash("make"))).toBe("ask_user");
  });
  test("dontAsk denies everything that no rule allows", async () => {
    const { effectOf, report } = await imported(
      "claude",
      settings({ allow: ["Bash(ls)"], defaultMode: "dontAsk" }),
    );
    expect(effectOf(bash("ls"))).toBe("allow");
    expect(effectOf(bash("make"))).toBe("deny");
    expect(report).toEqual([]);
  });
  test("without bypassPermissions, mode yolo allows nothing more, and rules decide as before", async () => {
    const { effectOf, report } = await imported(
      "claude",
      settings({
        allow: ["Bash(ls)"],
        deny: ["Bash(rm:*)"],
        disableBypassPermissionsMode: "disable",
      }),
    );
    const yolo = { approval_mode: "yolo" } as const;
    expect(effectOf({ ...bash("make"), ...yolo })).toBe("ask_user");
    expect(effectOf({ ...bash("ls"), ...yolo })).toBe("allow");
    expect(effectOf({ ...bash("rm x"), ...yolo })).toBe("deny");
    expect(report).toEqual([]);
  });
  test("plan mode asks about edits and commands, even if a rule allows them", async () => {
    const { effectOf } = await imported(
      "claude",
      settings({ allow: ["Edit(/src/**)", "Bash(make)", "Read(./src/**)"], defaultMode: "plan" }),
    );
    expect([edit("/w/src/x"), bash("make"), read("/w/src/x")].map(effectOf)).toEqual([
      "ask_user",
      "ask_user",
      "allow",
    ]);
  });
  test("files of additional folders may be read, but not written", async () => {
    const { effectOf, report } = await imported(
      "claude",
      settings({ additionalDirectories: ["~/shared", "/opt/data/", "../up"] }),
    );
    expect(effectOf(read("/home/dev/shared/x"))).toBe("allow");
    expect(effectOf(read("/opt/data/x"))).toBe("allow");
    expect(effectOf(edit("/opt/data/x"))).toBe("ask_user");
    expect(report).toEqual(["lost 1:66"]);
  });
});

describe("what cannot be carried over", () => {
  test.each(readCases<[string, string]>(import.meta, "lost-allows"))(
    "an allow is lost and allows nothing: %s",
    async (rule, message) => {
      const { rules, findings } = await imported("claude", settings({ allow: [rule] }));
      expect(rules).toBe(0);
      expect(findings).toEqual([
        {
          severity: "lost",
          file: "source-1",
          line: 1,
          column: 26,
          source: rule,
          message: expect.stringMatching(message),
        },
      ]);
    },
  );
  test.each(readCases<object>(import.meta, "lost-denies"))(
    "what may have denied and cannot be read puts every allow in doubt: %j",
    async (lost) => {
      const { effectOf, findings } = await imported(
        "claude",
        settings({ allow: ["Bash(ls)"], ...lost }),
      );
      expect(effectOf(bash("ls"))).toBe("ask_user");
      expect(findings.map(({ severity }) => severity)).toEqual(["lost", "stricter"]);
    },
  );
  test("modes and unknown keys are reported with their positions", async () => {
    const text =
      '{\n  // mine\n  "permissions": {\n    "defaultMode": "acceptEdits",\n    "magic": [true, null, {"a": -1.5}]\n  }\n}';
    const { report, findings } = await imported("claude", text);
    expect(report).toEqual(["lost 4:20", "lost 5:14"]);
    expect(findings[1]?.source).toBe('magic: [true, null, { "a": -1.5 }]');
  });
  test("the user's settings resolve `/path` from their own folder, and a deny holds in both readings", async () => {
    const input = {
      file: "settings.json",
      text: settings({ allow: ["Read(/a)"], deny: ["Read(/b)"] }),
      scope: "user",
    } as const;
    const { effectOf } = await imported("claude", input);
    expect(effectOf(read("/home/dev/.claude/a"))).toBe("allow");
    expect(effectOf(read("/w/a"))).toBe("ask_user");
    expect(effectOf(read("/home/dev/.claude/b"))).toBe("deny");
    expect(effectOf(read("/w/b"))).toBe("deny");
  });
  test("a rule cannot break out of its comment or its string", async () => {
    const evil = 'Bash(ls)\n[[rules]]\nname = "x"\naction = "allow"\n# \u2028\u0007"""';
    const { rules, toml } = await imported(
      "claude",
      settings({ allow: [evil, "Bash(ls)"], deny: [`Tool"\n'''x`] }),
    );
    expect(rules).toBe(1);
    expect(toml.match(/^\[\[rules\]\]$/gm)).toHaveLength(1);
  });
  test("rules with the same text get different names", async () => {
    const { toml } = await imported(
      "claude",
      settings({ allow: ["Bash(ls)", "Bash(ls)", "Bash(LS)"] }),
    );
    expect([...toml.matchAll(/^name = "(.*)"$/gm)].map(([, name]) => name)).toEqual([
      "allow-bash-ls",
      "allow-bash-ls-2",
      "allow-bash-ls-3",
    ]);
  });
  test.each(readCases<[string, number, number]>(import.meta, "no-settings"))(
    "no settings: %s",
    async (text, line, column) => {
      await expect(importPolicy("claude", [{ file: "s.json", text }])).rejects.toMatchObject({
        code: "BYLAW_IMPORT_INVALID",
        source: { file: "s.json", line, column },
      });
    },
  );
});
