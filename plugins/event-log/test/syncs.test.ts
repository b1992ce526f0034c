import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { child, nodeFlags } from "./children.ts";
import { eventsOf } from "./kit.ts";

const traces = spawnSync("strace", ["-f", "-o", "/dev/null", "true"]).status === 0;

/** Runs a writer of `batches` batches under strace; returns its output, and the results of its `fdatasync` calls. */
async function traced(durability: string, batches: number, ...inject: readonly string[]) {
  const base = temporaryFolder();
  const [trace, path] = [join(base, "trace"), join(base, "run.jsonl")];
  const script = join(import.meta.dirname, "children/writer.ts");
  const args = [
    "-f",
    "-o",
    trace,
    "-e",
    "trace=fdatasync",
    ...inject,
    process.execPath,
    ...nodeFlags,
    script,
    path,
    durability,
    String(batches),
  ];
  const { ended, lines } = child(spawn("strace", args, { stdio: ["ignore", "pipe", "inherit"] }));
  expect(await ended).toBe(0);
  const answers = Array.from(
    readFileSync(trace, "utf8").matchAll(/fdatasync.*= (-?\d+)/g),
    ([, answer]) => Number(answer),
  );
  return { lines, answers, events: eventsOf(path) };
}

describe.skipIf(!traces)("the system calls of a writer", () => {
  it("strict: one sync for each acknowledged batch", async () => {
    const { lines, answers, events } = await traced("strict", 50);
    expect(lines).toEqual(Array.from({ length: 50 }, () => "written"));
    expect(answers).toEqual(Array.from({ length: 50 }, () => 0));
    expect(events).toHaveLength(150);
  });

  it("batched: one at the end", async () => {
    const { lines, answers } = await traced("batched", 50);
    expect(lines).toHaveLength(50);
    expect(answers).toEqual([0]);
  });

  it("none after a failed one", async () => {
    const { lines, answers } = await traced(
      "strict",
      40,
      "-e",
      "inject=fdatasync:error=EIO:when=3",
    );
    const good = lines.filter((line) => line === "written").length;
    expect(good).toBeLessThan(40);
    expect(lines.slice(good)).toEqual(
      Array.from({ length: 40 - good }, () => "BYLAW_LOG_UNSYNCED"),
    );
    expect(answers).toEqual([...Array.from({ length: good }, () => 0), -1]);
  });
});
