import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseContract, type Contract, type TestCommand } from "@bylaw/contract";
import { isRoot, NOBODY } from "@bylaw/process";
import { temporaryFolder } from "@bylaw/testing";

/** The Node that runs these tests. */
export const NODE = process.execPath;
const MODULES = join(import.meta.dirname, "../../../node_modules");

/** Creates a folder with these files, which is removed after the test. */
export function folder(files: Readonly<Record<string, string>> = {}): string {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries(files)) put(root, path, text);
  return root;
}

export function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** If the tests run as root, gives a workspace to the user of contained programs. */
export function give(workspace: string): void {
  const { uid, gid } = NOBODY;
  // Follows no links, so nothing outside changes its owner.
  if (isRoot()) spawnSync("chown", ["-hR", `${uid}:${gid}`, workspace], { stdio: "inherit" });
}

export const linkModules = (root: string): void => symlinkSync(MODULES, join(root, "node_modules"));

export const command = (argv: readonly string[], more: Partial<TestCommand> = {}): TestCommand => ({
  argv,
  format: "tap",
  report: undefined,
  timeoutSeconds: 60,
  ...more,
});

/** Runs node:test with a report in a file or on standard output. */
export const nodeTest = (format: "tap" | "junit", report?: string): TestCommand =>
  command(
    [
      NODE,
      "--test",
      `--test-reporter=${format}`,
      ...(report === undefined ? [] : [`--test-reporter-destination=${report}`]),
    ],
    { format, report },
  );

/** Loads a contract with one phase for tests and one for code. */
export function contractAt(file: string, more: object = {}): Contract {
  const rule = { check: "tests_are_failing", severity: "blocking", message: "red" };
  const text = {
    bylaw: 1,
    evidence: "observed",
    test_command: {
      argv: [NODE, "--test", "--test-reporter=tap"],
      format: "tap",
      timeout_seconds: 60,
    },
    phases: [
      {
        id: "TDD",
        name: "Tests",
        allowed_tools: ["write_files", "bash"],
        tool_constraints: { write_files: { allowed_patterns: ["checks/**/*.js"] } },
        required_artifacts: [{ type: "test_run_result", description: "red" }],
        gates: [{ id: "red", type: "validation", blockers: [rule] }],
      },
      { id: "IMPL", name: "Code", allowed_tools: ["read_files"] },
    ],
    transitions: [{ from: "TDD", to: "IMPL", gate: "red" }],
    enforcement: { mode: "strict", tool_enforcement: { audit_log: "audit.jsonl" } },
    coordination: { event_bus: { type: "sqlite", db_path: "events.db" } },
    ...more,
  };
  return parseContract(JSON.stringify(text), file);
}
