import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { compilePolicy, parsePolicy } from "@bylaw/policy-language";
import { shellText } from "../../packages/shell/test/shell-text.ts";
import type { Fuzz } from "./clock.ts";

const TOOLS = [
  "run_shell_command",
  "bash",
  "read_file",
  "write_file",
  "http_request",
  "mcp__git__push",
  "mcp__git__hub__get",
  "other",
];
const GLOBS = [
  "*",
  "run_*",
  "{bash,read_file}",
  "read_file|write_file",
  "mcp__*",
  "mcp__git__*",
  "*_file",
  "other",
];
const COMMANDS = [
  "*",
  "git *",
  "git status *",
  "rm -rf *",
  "rm",
  "echo *",
  "sudo *",
  "[gr]* *",
  "bash *",
  "/bin/*",
  "cd *",
  "x",
];
const SUBCOMMANDS = [
  "push",
  "push --force",
  "status",
  "log",
  "-C x push",
  "remote rm",
  "run",
  "p*",
];
const REGEXES = ["git .*", "rm -rf .*", "[a-z]+", "(echo|x)( .*)?", ".*push.*"];
const PATHS = ["**", "src/**", "/w/**", "/etc/**", "**/.env", "~/.ssh/**"];

const from = (...items: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...items);

const subject = fc.oneof(
  fc.record({ tool: from(...GLOBS) }),
  fc.record({ command: from(...COMMANDS) }),
  fc.record({ command: from(...SUBCOMMANDS).map((words) => `git ${words} *`) }),
  fc.record({ command: from(...COMMANDS), paths: from(...PATHS) }),
  fc.record({ command_regex: from(...REGEXES) }),
  fc.record({ paths: from(...PATHS) }),
  fc.record({ network: from("*.example", "a.example") }),
);
const how = fc.record(
  {
    action: from("allow", "ask_user", "deny"),
    priority: from("admin", "user", "workspace", "default"),
    agent: from("dev", "re*"),
    phase: from("PLAN", "R*"),
  },
  { requiredKeys: ["action"] },
);

const policy = fc.array(fc.tuple(subject, how), { minLength: 1, maxLength: 24 }).map((rules) =>
  rules
    .map(([what, more], at) => {
      const entries = Object.entries({ name: `r${at}`, ...what, ...more });
      return `[[rules]]\n${entries.map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`).join("")}`;
    })
    .join("\n"),
);

const path = from(
  "src/a.ts",
  "/w/.env",
  "/etc/passwd",
  "../x",
  "~/.ssh/id",
  "https://a.example/v1",
);
const call = fc
  .record(
    {
      tool: from(...TOOLS),
      args: fc.oneof(
        fc.record({ command: shellText() }),
        fc.record({ path, url: path, command: fc.oneof(shellText(), path) }, { requiredKeys: [] }),
      ),
      agent: from("dev", "reviewer"),
      phase: from("PLAN", "REVIEW"),
    },
    { requiredKeys: ["tool", "args"] },
  )
  .map((fields) => ({ hook: "beforeToolCall" as const, cwd: "/w", home: "/home/dev", ...fields }));

/** Checks that the index of a pool gives the same answer as asking every rule. */
export function fuzzPool({ runs, seed }: Fuzz): string {
  let spoken = 0;
  fc.assert(
    fc.property(policy, fc.array(call, { minLength: 1, maxLength: 10 }), (text, calls) => {
      const pool = compilePolicy([parsePolicy(text, { file: "fuzz.toml", operator: true })]);
      return calls.every((one) => {
        const votes = pool.evaluate(one);
        if (votes !== undefined) spoken++;
        return isDeepStrictEqual(votes, pool.evaluateByScan(one));
      });
    }),
    { numRuns: runs, seed },
  );
  return `${runs} policies: index and scan agreed on every call, ${spoken} of which they voted on`;
}
