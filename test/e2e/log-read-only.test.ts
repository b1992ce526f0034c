import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { BIN, workplace, type Ran } from "./bylaw.ts";
import { eventsOf, logOf } from "./log-kit.ts";

/** Root may write everywhere. Without its capabilities, file permissions bind it like any user. */
const WITHOUT_PRIVILEGES =
  process.getuid?.() === 0 ? ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] : [];

function unprivileged(args: readonly string[], cwd: string): Ran {
  const [program = "", ...rest] = [...WITHOUT_PRIVILEGES, process.execPath, BIN, ...args];
  const { status, stdout, stderr } = spawnSync(program, rest, {
    cwd,
    encoding: "utf8",
    timeout: 60_000,
  });
  return { code: status, stdout, stderr };
}

/** A folder with a log in a file and in a store, all of it read-only. */
async function readOnlyFolder(): Promise<string> {
  const { cwd, run } = workplace({
    "log.jsonl": logOf(eventsOf(20)),
    "policy.toml": 'default = "deny"\n',
  });
  expect(await run("log import log.jsonl --store runs.db --run main")).toMatchObject({
    code: 0,
    stderr: "",
  });
  for (const file of readdirSync(cwd)) chmodSync(join(cwd, file), 0o444);
  chmodSync(cwd, 0o555);
  onTestFinished(() => chmodSync(cwd, 0o755));
  return cwd;
}

describe("a log in a read-only folder", () => {
  test("can be read by every command that reads", async () => {
    const cwd = await readOnlyFolder();
    const before = readdirSync(cwd);
    const stored = ["--store", "runs.db", "--run", "main"];
    const commands = [
      ["log", "verify", ...stored],
      ["log", "tail", ...stored],
      ["log", "query", ...stored],
      ["log", "stats", ...stored],
      ["log", "export", ...stored],
      ["log", "runs", "--store", "runs.db"],
      ["status", ...stored],
      ["report", ...stored],
      ["report", "--store", "runs.db"],
      ...["verify", "tail", "query", "stats"].map((command) => ["log", command, "log.jsonl"]),
      ["status", "--log", "log.jsonl"],
      ["report", "log.jsonl"],
      ["replay", "log.jsonl", "--policy", "policy.toml"],
    ];
    for (const command of commands)
      expect([command, unprivileged(command, cwd)]).toMatchObject([
        command,
        { code: 0, stderr: "" },
      ]);
    expect(unprivileged(["log", "export", ...stored], cwd).stdout).toBe(logOf(eventsOf(20)));
    expect(readdirSync(cwd)).toEqual(before);
  });

  test("cannot be followed in a store, which the command says at once", async () => {
    const cwd = await readOnlyFolder();
    const { code, stderr } = unprivileged(
      ["log", "tail", "--follow", "--store", "runs.db", "--run", "main"],
      cwd,
    );
    expect(code).toBe(2);
    expect(stderr).toContain(`Cannot follow ${join(cwd, "runs.db")}`);
  });
});
