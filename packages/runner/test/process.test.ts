import { readFileSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { LogEvent } from "@bylaw/kernel";
import { describe, expect, it, onTestFinished } from "vitest";
import { moveWorkflow } from "../src/index.ts";
import { stageOf } from "./kit.ts";

const sh = (script: string) => ({ run: { command: ["sh", "-c", script] } });

describe("the program of a step", () => {
  it("gets its prompt, its run and step, and no secret", async () => {
    process.env["SECRET_OF_THE_TEST"] = "hidden";
    process.env["NAMED_IN_THE_TEST"] = "shown";
    const agents = {
      worker: {
        ...sh('cat > prompt.txt; env > env.txt; printf "%s" "$0" > argument.txt'),
        prompt: "You work.",
        env: ["NAMED_IN_THE_TEST"],
      },
    };
    agents.worker.run.command.push("{{{step}}} {prompt}");
    const at = await stageOf({
      agents,
      steps: [{ id: "a", agent: "worker", prompt: "Do {step}; $(x)" }],
    });
    expect(await at.go()).toMatchObject({ outcome: "completed" });
    const read = (name: string): string => readFileSync(join(at.folder, name), "utf8");
    expect(read("prompt.txt")).toBe("You work.\n\nDo {step}; $(x)");
    expect(read("argument.txt")).toBe("{a} You work.\n\nDo {step}; $(x)");
    const env = Object.fromEntries(
      read("env.txt")
        .split("\n")
        .map((line) => line.split("=") as [string, string]),
    );
    expect(env).toMatchObject({
      BYLAW_RUN: "r",
      BYLAW_STEP: "a",
      BYLAW_AGENT: "worker",
      BYLAW_ATTEMPT: "1",
      BYLAW_VISIT: "1",
      BYLAW_CONTROL: at.controlFile,
      BYLAW_CONTROL_FILE: at.controlFile,
      NAMED_IN_THE_TEST: "shown",
    });
    expect(env["SECRET_OF_THE_TEST"]).toBeUndefined();
  });

  it("leaves the length and a digest of its output in the log, but not the text", async () => {
    const at = await stageOf({ steps: [{ id: "a", ...sh("printf secret-text; printf x >&2") }] });
    await at.go();
    const events = await at.store.events("r", 0, 100);
    const done = events.find(({ event_type }) => event_type === "step_completed");
    expect(done?.details).toMatchObject({
      ok: true,
      exit_code: 0,
      stdout: { bytes: 11, digest: expect.stringMatching(/^sha256:/) },
      stderr: { bytes: 1 },
    });
    expect(JSON.stringify(events)).not.toContain("secret-text");
  });

  it("is ended after its time limit, with everything that it started", async () => {
    const script = "sleep 600 & echo $! > pid.txt; wait";
    const at = await stageOf({ steps: [{ id: "a", ...sh(script), timeout_seconds: 2 }] });
    expect(await at.go()).toMatchObject({ outcome: "held", why: "failed" });
    const [done] = (await at.store.events("r", 0, 100)).filter(
      ({ event_type }) => event_type === "step_completed",
    );
    expect(done?.details).toMatchObject({ ok: false, timed_out: true, signal: "SIGKILL" });
    const pid = readFileSync(join(at.folder, "pid.txt"), "utf8").trim();
    // An ended process may still be listed until its parent has read its exit status.
    const state = (): string => {
      try {
        return /^State:\s*(\w)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "Z";
      } catch {
        return "Z";
      }
    };
    expect(process.platform === "linux" ? state() : "Z").toBe("Z");
  });

  it("fails if it cannot be started, and does not end the runner", async () => {
    const at = await stageOf({ steps: [{ id: "a", run: { command: ["no-such-program-here"] } }] });
    expect(await at.go()).toMatchObject({ outcome: "held", why: "failed" });
  });

  it("fails if its output must be JSON and is not", async () => {
    const at = await stageOf({ steps: [{ id: "a", ...sh("echo no"), output: "json" }] });
    expect(await at.go()).toMatchObject({ outcome: "held", why: "failed" });
  });

  it("is interrupted by a signal, and runs again with the next attempt, or waits if the step says so", async () => {
    const script =
      'echo "$BYLAW_ATTEMPT" >> ran.txt; if [ "$BYLAW_ATTEMPT" = 1 ]; then sleep 600; fi';
    for (const interrupted of ["run", "ask"] as const) {
      const at = await stageOf({ steps: [{ id: "a", ...sh(script), interrupted }] });
      const stop = new AbortController();
      const started = new Error("stop");
      const going = at.go({
        signal: stop.signal,
        onEvents: ([event]) =>
          void (event?.event_type === "step_started" && queueMicrotask(() => stop.abort(started))),
      });
      await expect(going).rejects.toBe(started);
      expect(await at.go()).toMatchObject(
        interrupted === "run" ? { outcome: "completed" } : { outcome: "held", why: "interrupted" },
      );
    }
  });

  it.each([0, 1])(
    "is ended before anything runs if its runner was killed and a person continues from step %i",
    async (to) => {
      const seen: string[] = [];
      const left: { gone?: Promise<unknown> } = {};
      const at = await stageOf(
        { steps: ["a", "b"].map((id) => ({ id, run: { function: "work" }, repeatable: true })) },
        {
          work: async ({ step, visit, attempt }) => {
            // Without an end, nothing arrives in time.
            const how = await Promise.race([
              left.gone?.then(() => "alone"),
              wait(2_000, "beside it"),
            ]);
            seen.push(`${step}${visit}.${attempt} ${how}`);
          },
        },
      );
      const killed = new Error("killed");
      const stop = new AbortController();
      const onEvents = ([event]: readonly LogEvent[]): void =>
        void (event?.event_type === "step_started" && stop.abort(killed));
      await expect(at.go({ signal: stop.signal, onEvents })).rejects.toBe(killed);
      const env = { PATH: process.env["PATH"], BYLAW_RUN: "r", BYLAW_CONTROL: at.controlFile };
      const child = spawn("sleep", ["600"], { env, stdio: "ignore" });
      onTestFinished(() => void child.kill("SIGKILL"));
      await once(child, "spawn");
      left.gone = once(child, "exit");
      const run = await at.open();
      await moveWorkflow(run, { by: "ada", to });
      expect(await at.go({ run })).toMatchObject({ outcome: "completed" });
      // On other systems, processes of others cannot be listed.
      const how = process.platform === "linux" ? "alone" : "beside it";
      expect(seen).toEqual(
        (to === 0 ? ["a2.1", "b1.1"] : ["b1.1"]).map((which) => `${which} ${how}`),
      );
    },
  );

  it("cannot end a pause by itself: the next steps wait, whatever it writes meanwhile", async () => {
    const at = await stageOf({
      steps: [
        { id: "a", ...sh(`printf '{"action":"checkpoint"}' > "$BYLAW_CONTROL_FILE"`) },
        { id: "b", ...sh("echo ran > b.txt") },
      ],
    });
    expect(await at.go()).toMatchObject({ outcome: "paused" });
    writeFileSync(at.controlFile, '{"action":"continue"}');
    expect(await at.go()).toMatchObject({ outcome: "paused" });
  });
});
