import * as fc from "fast-check";
import { analyze, type Analysis } from "@bylaw/shell";
import { compilePolicy, parsePolicy } from "@bylaw/policy-language";
import { longText } from "../../packages/shell/test/long-text.ts";
import { shellText } from "../../packages/shell/test/shell-text.ts";
import { createClock, type Fuzz } from "./clock.ts";
import { policyText } from "./policies.ts";

/** Whether any part of a line is unknown. */
export const isUnknown = ({ commands, unknown }: Analysis): boolean =>
  unknown.length > 0 || commands.some((command) => command.unknown.length > 0);

// Lines that the list allows, with at most a few parts that it must not allow.
const USUAL = [
  "git status",
  "git log",
  "git diff --stat",
  "npm test",
  "ls -la",
  "cat a",
  "echo",
  "grep -n a",
  "head -5",
  "pwd",
  "true",
  "x",
];
const SIGNS = [" ", " ", " ", " | ", " && ", "; ", " || ", "\n", " & "];
const ODD = [
  '"a b"',
  "'x'",
  "src/a.ts",
  "-n",
  "$x",
  '"$x"',
  "$(id)",
  "`id`",
  "{a,b}",
  "*",
  "~",
  "> f",
  "2>&1",
  "<(x)",
  "A=1",
  "\\;",
  "；",
  "é",
  "--output=x",
  "-O",
];
const usual = fc
  .array(
    fc.tuple(
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...USUAL) }, fc.constantFrom(...ODD)),
      fc.constantFrom(...SIGNS),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.flat().join("").trim());

/** Checks that no line throws or takes long, and that an allow list allows no line with an unknown part. */
export function fuzzShell({ runs, seed }: Fuzz): string {
  const names = ["allow-list", "deny-list"];
  const pools = names.map((name) =>
    compilePolicy([parsePolicy(policyText(name), { file: `${name}.toml`, operator: true })]),
  );
  const clock = createClock();
  let unsure = 0;
  let allowed = 0;
  const line = fc.oneof(
    { weight: 29, arbitrary: shellText() },
    { weight: 10, arbitrary: usual },
    { weight: 1, arbitrary: longText() },
  );
  fc.assert(
    fc.property(line, (command) => {
      const fast = clock.within(() => analyze(command), command);
      if (!fast) return false;
      const doubtful = isUnknown(analyze(command));
      if (doubtful) unsure++;
      // This property is not about the time for many words.
      if (command.length > 2_000) return true;
      for (const pool of pools) {
        const call = {
          hook: "beforeToolCall",
          tool: "run_shell_command",
          args: { command },
          cwd: "/w",
          home: "/home/dev",
        } as const;
        const effects = (pool.evaluate(call) ?? []).map(({ effect }) => effect);
        if (!effects.includes("allow")) continue;
        if (doubtful) return false;
        allowed++;
      }
      return true;
    }),
    { numRuns: runs, seed },
  );
  return `${runs} lines: none threw, ${clock.told()}; ${unsure} were not wholly known and none of them allowed, ${allowed} times a line was`;
}
