import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openRun, type Run } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { describeExamples, temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { examples } from "../examples.ts";
import { exportMetrics } from "../src/export-metrics.ts";
import { raiseAlerts } from "../src/index.ts";
import { at, blocked, contract, enter, givenLog, kernelIn, linesOf, noView } from "./kit.ts";

describeExamples(examples, { describe, it });

const FILE = ".orchestrator/metrics.jsonl";
const objects = (path: string) =>
  linesOf(path).map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

describe("the export of a run", () => {
  it("has a line for each event that contributes to a measure, in a file next to the contract", async () => {
    const base = temporaryFolder();
    let second = 0;
    const run = await openRun(kernelIn(base), { run: "r", now: () => at(second) });
    await run.transition({ agent: "dev", task: "t1", to: "PLAN", artifacts: {} });
    await run.toolCall({ agent: "dev", task: "t1", tool: "read_files", args: {} });
    await run.transition({
      agent: "dev",
      task: "t1",
      to: "BUILD",
      artifacts: { bad_plan: 1, bad_gate: 1 },
    });
    second = 90;
    await run.transition({ agent: "dev", task: "t1", to: "BUILD", artifacts: {} });
    await raiseAlerts(run, contract, { at: at(90 + 3 * 3_600) });
    await run.close();
    const about = { run: "r", task: "t1" };
    expect(objects(join(base, FILE))).toEqual([
      {
        timestamp: at(0),
        ...about,
        sequence: 3,
        agent: "dev",
        metrics: { tool_usage_by_phase: { phase: "PLAN", tool: "read_files", effect: "allowed" } },
      },
      {
        ...{ timestamp: at(0), ...about, sequence: 4, agent: "dev" },
        metrics: {
          gate_pass_rate: { rate: 0, samples: 1 },
          gate_block_rate: { rate: 1, samples: 1 },
          artifact_validation_failures: { artifacts: ["plan_document"], total: 1 },
        },
      },
      {
        ...{ timestamp: at(90), ...about, sequence: 5, agent: "dev" },
        metrics: {
          phase_transition_time: { from: "PLAN", to: "BUILD", seconds: 90 },
          gate_pass_rate: { rate: 0.5, samples: 2 },
          gate_block_rate: { rate: 0.5, samples: 2 },
        },
      },
      {
        timestamp: at(90),
        ...about,
        sequence: 6,
        metrics: { alert_raised: expect.objectContaining({ phase: "BUILD" }) as unknown },
      },
    ]);
    if (process.platform !== "win32") expect(statSync(join(base, FILE)).mode & 0o777).toBe(0o600);
  });

  it("continues after every restart, and has no line twice", async () => {
    const base = temporaryFolder();
    const kernel = kernelIn(base);
    const work = async (run: Run, task: string): Promise<void> => {
      await run.transition({ agent: "dev", task, to: "PLAN", artifacts: {} });
      await run.transition({ agent: "dev", task, to: "BUILD", artifacts: {} });
      await run.close();
    };
    const store = await openSqliteStore(join(base, "store.db"));
    for (const task of ["a", "b", "c"]) {
      for (const name of ["one", "two"])
        await work(await openRun(kernel, { run: name, store }), task);
    }
    await store.close();
    const seen = objects(join(base, FILE)).map(
      ({ run, sequence, task }) => `${String(run)} ${String(sequence)} ${String(task)}`,
    );
    expect(seen).toEqual(["one 3 a", "two 3 a", "one 6 b", "two 6 b", "one 9 c", "two 9 c"]);
  });
});

describe("exportMetrics", () => {
  const given = () => {
    const log = givenLog();
    const path = join(temporaryFolder(), "metrics.jsonl");
    return { log, path, writer: () => exportMetrics(log, contract, path) };
  };
  const step = (number: number) =>
    blocked(number, "t1", ["PLAN", "BUILD"], [{ code: "gate_blocked" }]);

  it("keeps a killed writer's half line on its own line, and writes the whole line again", async () => {
    const { log, path, writer } = given();
    const first = writer();
    await first.write(log.add(enter(0, "t1", "PLAN"), step(1), step(2)), noView);
    await first.close?.();
    const whole = readFileSync(path, "utf8");
    const half = whole.slice(0, -20);
    writeFileSync(path, half);
    const second = writer();
    await second.write(log.add(step(3)), noView);
    await second.close?.();
    const lines = linesOf(path);
    expect(lines[1]).toBe(half.split("\n")[1]);
    expect(`${[lines[0], lines[2]].join("\n")}\n`).toBe(whole);
    expect(lines).toHaveLength(4);
  });

  it("continues after what another process wrote meanwhile", async () => {
    const { log, path, writer } = given();
    const [one, other] = [writer(), writer()];
    await one.write(log.add(enter(0, "t1", "PLAN"), step(1)), noView);
    await other.write(log.add(step(2)), noView);
    await one.write(log.add(step(3)), noView);
    await other.write([], noView);
    await Promise.all([one.close?.(), other.close?.()]);
    expect(objects(path).map(({ sequence }) => sequence)).toEqual([2, 3, 4]);
  });

  it("finds its last line before many of other runs and other tools", async () => {
    const { log, path, writer } = given();
    const first = writer();
    await first.write(log.add(enter(0, "t1", "PLAN"), step(1)), noView);
    await first.close?.();
    appendFileSync(
      path,
      `${JSON.stringify({ run: "other", sequence: 99, text: "ü".repeat(1_000) })}\nno json\n[]\n`.repeat(
        200,
      ),
    );
    const second = writer();
    await second.write(log.add(step(2)), noView);
    await second.close?.();
    expect(linesOf(path)).toHaveLength(602);
    expect(JSON.parse(linesOf(path).at(-1) ?? "")).toMatchObject({ run: "run-1", sequence: 3 });
  });

  it("reports an inserted line that the log does not have", async () => {
    const { log, path, writer } = given();
    writeFileSync(path, `${JSON.stringify({ run: "run-1", sequence: 1_000_000 })}\n`);
    const forged = writer();
    await expect(forged.write(log.add(enter(0, "t1", "PLAN"), step(1)), noView)).rejects.toFailWith(
      "BYLAW_METRICS_DIVERGED",
    );
    await forged.close?.();
  });

  it("does not write through a link, into a folder or into a pipe", async () => {
    const { log, path, writer } = given();
    const base = temporaryFolder();
    writeFileSync(join(base, "victim"), "precious");
    const made = log.add(enter(0, "t1", "PLAN"), step(1));
    symlinkSync(join(base, "victim"), path);
    await expect(Promise.resolve().then(() => writer().write(made, noView))).rejects.toFailWith(
      "BYLAW_METRICS_UNWRITABLE",
    );
    expect(readFileSync(join(base, "victim"), "utf8")).toBe("precious");
    mkdirSync(join(base, "folder"));
    const inFolder = exportMetrics(log, contract, join(base, "folder"));
    await expect(Promise.resolve().then(() => inFolder.write(made, noView))).rejects.toFailWith(
      "BYLAW_METRICS_UNWRITABLE",
    );
    if (process.platform === "win32") return;
    expect(spawnSync("mkfifo", [join(base, "pipe")]).status).toBe(0);
    const inPipe = exportMetrics(log, contract, join(base, "pipe"));
    await expect(Promise.resolve().then(() => inPipe.write(made, noView))).rejects.toFailWith(
      "BYLAW_METRICS_UNWRITABLE",
    );
  });
});
