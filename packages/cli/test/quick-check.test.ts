import { readCases } from "@bylaw/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createProgram } from "../src/command-line/program.ts";
import { quickCheck } from "../src/command-line/quick-check.ts";

// What the full parser makes of the same words. Undefined if it refuses them.
async function parsed(argv: readonly string[]): Promise<unknown> {
  const program = await createProgram(["check"]);
  let words: unknown;
  program.commands
    .find((command) => command.name() === "check")
    ?.action((line: readonly string[], options: unknown) => {
      words = { line, options };
    });
  try {
    program.parse(argv, { from: "user" });
  } catch {
    return undefined;
  }
  return words;
}

describe("the quick parser of `bylaw check`", () => {
  test("agrees with the full parser wherever it has an answer", async () => {
    const word = fc.oneof(
      fc.constantFrom(
        ...["--tool", "--args", "--server", "--agent", "--phase", "--cwd", "--batch", "--config"],
        ...["--policy", "--approval-mode", "--json", "--explain", "--no-interactive"],
      ),
      fc.constantFrom("bash", "{}", "a.toml", "ask", "yolo", "-", "--", "-1", "", "--tool=bash"),
      fc.constantFrom("file:///a", "https://a", "--interactive", "--help", "-V", "help", "check"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 7 }), async (words) => {
        const argv = ["check", ...words];
        const quick = quickCheck(argv);
        if (quick !== undefined) expect([argv, quick]).toEqual([argv, await parsed(argv)]);
      }),
      { numRuns: 5000 },
    );
  });

  test("reads the usual commands", () => {
    const args = '{"command":"ls"}';
    expect(quickCheck(["check", "--tool", "bash", "--args", args, "--json"])).toEqual({
      line: [],
      options: { tool: "bash", args, json: true, interactive: true },
    });
    expect(quickCheck(["check", "--batch", "-", "--policy", "a.toml", "b.toml"])).toEqual({
      line: [],
      options: { batch: "-", policy: ["a.toml", "b.toml"], interactive: true },
    });
    expect(quickCheck(["check", "--no-interactive", "--", "git", "push", "--force"])).toEqual({
      line: ["git", "push", "--force"],
      options: { interactive: false },
    });
  });

  test.each(readCases<[string[]]>(import.meta, "for-the-full-parser"))(
    "leaves %j to the full parser",
    (argv) => {
      expect(quickCheck(argv)).toBeUndefined();
    },
  );
});
