import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { importPolicy, type ImportSource } from "../src/index.ts";

const TEXTS = {
  claude: '{ "permissions": { "deny": ["Bash(git push:*)"] } }',
  gemini: '[[rule]]\ntoolName = "x"\ndecision = "deny"\npriority = 1\n',
  "the settings of gemini": '// mine\n{ "tools": { "exclude": ["x"] } }',
  codex: 'prefix_rule(pattern = ["git", "push"], decision = "forbidden")\n',
  bylaw: '[[rules]]\nname = "r"\naction = "deny"\ntool = "x"\n',
} as const;

const importOf = (source: ImportSource, text: string) =>
  importPolicy(source, [{ file: "f", text }]);

describe("a file of another tool gives one error that names the tool", () => {
  test.each<[as: ImportSource, of: keyof typeof TEXTS, message: string, fix: string]>(
    readCases<[as: ImportSource, of: keyof typeof TEXTS, message: string, fix: string]>(
      import.meta,
      "other-tools",
    ),
  )("as %s: %s", async (as, of, message, fix) => {
    await expect(importOf(as, TEXTS[of])).rejects.toMatchObject({
      code: "BYLAW_IMPORT_INVALID",
      message: expect.stringContaining(message),
      fix: expect.stringContaining(fix),
    });
  });

  test("JSON of no known tool is not accepted as a file of Codex", async () => {
    await expect(importOf("codex", '{ "a": 1 }')).rejects.toMatchObject({
      message: expect.stringContaining("The file contains JSON"),
    });
  });

  test("a file with syntax of several tools is read as the requested one", async () => {
    const both = '{ "permissions": {}, "tools": { "exclude": ["x"] } }';
    for (const as of ["claude", "gemini"] as const)
      await expect(importOf(as, both)).resolves.toMatchObject({ findings: expect.any(Array) });
  });
});
