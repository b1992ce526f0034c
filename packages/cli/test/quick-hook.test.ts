import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createProgram } from "../src/command-line/program.ts";
import { quickHook } from "../src/command-line/quick-hook.ts";

// What the full parser makes of the same words. Undefined if it refuses them.
async function parsed(argv: readonly string[]): Promise<unknown> {
  const program = await createProgram(["hook"]);
  let found: unknown;
  program.commands
    .find((command) => command.name() === "hook")
    ?.action((host: string, named: string | undefined, given: Record<string, unknown>) => {
      const { config, strict = false, engine } = given;
      found = { host, named, config, strict, ...(engine === undefined ? {} : { engine }) };
    });
  try {
    program.parse(argv, { from: "user" });
  } catch {
    return undefined;
  }
  return found;
}

test("the quick parser of `bylaw hook` agrees with the full parser wherever it has an answer", async () => {
  const word = fc.constantFrom(
    ...["--config", "--config", "--strict", "--engine", "bylaw.config.json", "/a/b.toml", "codex"],
    ...[
      "preToolUse",
      "-",
      "--",
      "",
      "--help",
      "--config=a",
      "file:///a",
      "https://a",
      "claude-code",
    ],
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (words) => {
      const argv = ["hook", ...words];
      const quick = quickHook(argv);
      if (quick !== undefined) expect([argv, quick]).toEqual([argv, await parsed(argv)]);
    }),
    { numRuns: 5000 },
  );
});

test("the quick parser reads what `bylaw install` writes", () => {
  const plain = { host: "codex", named: undefined, config: "/p/bylaw.config.ts", strict: false };
  expect(quickHook(["hook", "codex", "--config", "/p/bylaw.config.ts"])).toEqual(plain);
  expect(
    quickHook(["hook", "codex", "--config", "/p/bylaw.config.ts", "--engine", "/e", "--strict"]),
  ).toEqual({ ...plain, strict: true, engine: "/e" });
  expect(quickHook(["hook", "copilot", "preToolUse", "--config", "a.json"])?.named).toBe(
    "preToolUse",
  );
  expect(quickHook(["hook", "codex"])).toBeUndefined();
});
