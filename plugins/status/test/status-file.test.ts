import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createKernel, type LogEvent } from "@bylaw/kernel";
import { createMemoryStore, openRun } from "@bylaw/log";
import { describeExamples, temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { examples } from "../examples.ts";
import { createStatus, status } from "../src/index.ts";
import { keepStatusFile } from "../src/status-file.ts";
import { givenLog, noView, violation } from "./kit.ts";

describeExamples(examples, { describe, it });

const rebuilt = (events: readonly LogEvent[]): string => {
  const fold = createStatus();
  fold.add(events);
  return fold.text();
};

describe("status", () => {
  it("keeps a file below the configuration that equals the fold of the log, byte for byte, also when the run is opened again", async () => {
    const base = temporaryFolder();
    const store = createMemoryStore();
    const kernel = createKernel(
      { plugins: [status()], fallback: "allow" },
      { configFile: join(base, "bylaw.config.ts") },
    );
    const path = join(base, ".bylaw/runs/release%2f42/status.json");
    for (const round of [1, 2]) {
      const run = await openRun(kernel, { run: "release/42", store });
      await run.toolCall({ agent: "a1", id: "c", tool: "read_file", args: { path: "a.md" } });
      await run.toolResult({ agent: "a1", id: "c", tool: "read_file", ok: true, result: "text" });
      await run.respond({ agent: "a1", round, text: "done", tool_calls: [] });
      await run.record([
        {
          event_type: "model_usage",
          agent_id: "a1",
          task_id: null,
          details: { input_tokens: 3, output_tokens: 4 },
        },
      ]);
      await run.close();
      expect(readFileSync(path, "utf8")).toBe(rebuilt(await store.events("release/42", 0, 100)));
    }
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
      meta: { sessions: 2 },
      costs: { total_input_tokens: 6, total_output_tokens: 8 },
    });
    // Only the owner may read what agents wrote.
    if (process.platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("shows only recorded facts: an agent cannot record what hosts record", async () => {
    const run = await openRun(
      createKernel({ plugins: [status({ file: join(temporaryFolder(), "{run}.json") })] }),
      { run: "r" },
    );
    const { applied } = await run.behave({
      agent: "a1",
      action: "run_finished",
      reason: "completed",
    });
    expect(applied).toBe("deny");
    await run.close();
  });

  it.each([["{run}/"], ["{agent}/{run}.json"], ["a\0{run}"]])("refuses the file %j", (file) => {
    expect(() => status({ file })).toFailWith("BYLAW_OPTIONS_INVALID");
  });
});

describe("keepStatusFile", () => {
  const begin = ["session_start", null, { plan_file: null, total_tasks: 0 }] as const;

  it("has every event when it is closed, however rarely it writes, also events that it was not given", async () => {
    const path = join(temporaryFolder(), "status.json");
    const log = givenLog();
    const writer = keepStatusFile(log, { path, every_ms: 60_000 });
    await writer.write(log.add(begin), noView);
    const first = readFileSync(path, "utf8");
    expect(first).toBe(rebuilt(log.all));
    await writer.write(log.add(["enforcement", "agent_a", violation()]), noView);
    expect(readFileSync(path, "utf8")).toBe(first);
    log.add(["enforcement", "agent_b", violation()]);
    await writer.write(log.add(["response_accepted", "agent_a", { round: 1 }]), noView);
    await writer.close?.();
    expect(readFileSync(path, "utf8")).toBe(rebuilt(log.all));
  });

  it("repairs the file if it was slower than another process and overwrote a newer state", async () => {
    const path = join(temporaryFolder(), "status.json");
    const log = givenLog();
    log.add(begin, ["enforcement", "agent_a", violation()]);
    const quick = keepStatusFile(log, { path, every_ms: 0 });
    let held = true;
    const slow = keepStatusFile(
      {
        ...log,
        async events(after, limit) {
          const page = await log.events(after, limit);
          if (held) {
            held = false;
            await quick.write(log.add(["enforcement", "agent_b", violation()]), noView);
            expect(readFileSync(path, "utf8")).toBe(rebuilt(log.all));
          }
          return page;
        },
      },
      { path, every_ms: 0 },
    );
    await slow.write([], noView);
    expect(log.all).toHaveLength(3);
    expect(readFileSync(path, "utf8")).toBe(rebuilt(log.all));
    await Promise.all([quick.close?.(), slow.close?.()]);
  });

  it("replaces a link, and writes nothing through it", async () => {
    const base = temporaryFolder();
    const [path, victim] = [join(base, "status.json"), join(base, "victim")];
    writeFileSync(victim, "precious");
    symlinkSync(victim, path);
    const log = givenLog();
    const writer = keepStatusFile(log, { path, every_ms: 0 });
    await writer.write(log.add(begin), noView);
    await writer.close?.();
    expect(readFileSync(victim, "utf8")).toBe("precious");
    expect(lstatSync(path).isFile()).toBe(true);
    expect(readFileSync(path, "utf8")).toBe(rebuilt(log.all));
  });

  it("reports that it cannot write, and catches up once it can", async () => {
    const base = temporaryFolder();
    const path = join(base, "status.json");
    mkdirSync(join(path, "in-the-way"), { recursive: true });
    const log = givenLog();
    const writer = keepStatusFile(log, { path, every_ms: 0 });
    await expect(writer.write(log.add(begin), noView)).rejects.toFailWith(
      "BYLAW_STATUS_UNWRITABLE",
    );
    expect(readdirSync(base)).toEqual(["status.json"]);
    execFileSync("rmdir", [join(path, "in-the-way"), path]);
    await writer.write(log.add(["enforcement", "agent_a", violation()]), noView);
    expect(readFileSync(path, "utf8")).toBe(rebuilt(log.all));
    await writer.close?.();
  });

  it("removes a killed process's old leftovers, and nothing else", async () => {
    const base = temporaryFolder();
    const path = join(base, "status.json");
    const old = `${path}.6f1b1f52-4f0e-4c2e-9d0c-0d9f3a1f7a11.tmp`;
    const fresh = `${path}.7f1b1f52-4f0e-4c2e-9d0c-0d9f3a1f7a11.tmp`;
    for (const file of [old, fresh, `${path}.bak`, join(base, "other.tmp")])
      writeFileSync(file, "");
    for (const file of [old, `${path}.bak`, join(base, "other.tmp")]) utimesSync(file, 0, 0);
    const log = givenLog();
    const writer = keepStatusFile(log, { path, every_ms: 0 });
    await writer.write(log.add(begin), noView);
    await writer.close?.();
    expect(readdirSync(base).toSorted()).toEqual([
      "other.tmp",
      "status.json",
      `status.json.7f1b1f52-4f0e-4c2e-9d0c-0d9f3a1f7a11.tmp`,
      "status.json.bak",
    ]);
  });
});
