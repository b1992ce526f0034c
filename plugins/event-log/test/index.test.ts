import { appendFileSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createKernel, type Json, type JsonObject } from "@bylaw/kernel";
import { createMemoryStore, openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { describeExamples, pluginOf, readCases, temporaryFolder } from "@bylaw/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { examples } from "../examples.ts";
import { eventLog } from "../src/index.ts";
import { eventsOf, findingsOf } from "./kit.ts";

describeExamples(examples, { describe, it });

const SECRET = "hunter2-and-more";
const TOKEN = ["gh", "p_", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"].join("");
const kernelIn = (base: string, options: Parameters<typeof eventLog>[0] = {}) =>
  createKernel(
    { plugins: [eventLog(options)], fallback: "allow" },
    { configFile: join(base, "bylaw.config.ts") },
  );

describe("eventLog", () => {
  it("writes every event of a run into a file below the configuration before the answer, as in the store", async () => {
    const base = temporaryFolder();
    const store = createMemoryStore();
    const path = join(base, ".bylaw/logs/release-42.jsonl");
    const run = await openRun(kernelIn(base), { run: "release-42", store });
    expect(eventsOf(path).map(({ event_type }) => event_type)).toEqual(["session_start"]);
    await run.toolCall({ agent: "a1", tool: "read_file", args: { path: "a.md" } });
    expect(eventsOf(path)).toEqual(await store.events("release-42", 0, 10));
    await run.toolResult({ id: "c1", tool: "read_file", ok: true, result: "text" });
    await run.transition({ task: "T1", to: "BUILD", artifacts: {} });
    expect(eventsOf(path)).toEqual(await store.events("release-42", 0, 10));
    expect(findingsOf(path)).toEqual([]);
    await run.close();
  });

  it("continues the file when the run is opened again, over a store on the disk", async () => {
    const base = temporaryFolder();
    for (const session of [1, 2, 3]) {
      const store = await openSqliteStore(join(base, "store.db"));
      const run = await openRun(kernelIn(base), { run: "r", store });
      await run.toolResult({ id: `c${session}`, tool: "t", ok: true });
      await run.close();
      expect(eventsOf(join(base, ".bylaw/logs/r.jsonl"))).toEqual(await store.events("r", 0, 100));
      await store.close();
    }
    expect(findingsOf(join(base, ".bylaw/logs/r.jsonl"))).toEqual([]);
  });

  it("keeps a run closed that has a file but a new store", async () => {
    const base = temporaryFolder();
    await (await openRun(kernelIn(base), { run: "r" })).close();
    const before = readFileSync(join(base, ".bylaw/logs/r.jsonl"));
    await expect(openRun(kernelIn(base), { run: "r" })).rejects.toFailWith("BYLAW_LOG_DIVERGED");
    expect(readFileSync(join(base, ".bylaw/logs/r.jsonl")).equals(before)).toBe(true);
  });

  it("denies what it cannot write, and gives the reason without the content", async () => {
    const base = temporaryFolder();
    const kernel = kernelIn(base, {
      file: "logs/{run}.jsonl",
      redact: { paths: [], secrets: false },
    });
    const run = await openRun(kernel, { run: "r" });
    onTestFinished(() => run.close().catch(() => {}));
    const path = join(base, "logs/r.jsonl");
    appendFileSync(
      path,
      `${JSON.stringify({ sequence: 99, event_type: "x", details: { text: SECRET } })}\n`,
    );
    const { applied, decision } = await run.toolCall({ tool: "t", args: { text: SECRET } });
    expect({ applied, code: decision.code }).toEqual({ applied: "deny", code: "engine_absent" });
    expect(decision.reason).toMatch(/log file/);
    expect(JSON.stringify(decision)).not.toContain(SECRET);
  });

  it("removes secrets before the store, the file, a projection or an error has them", async () => {
    const base = temporaryFolder();
    const store = await openSqliteStore(join(base, "store.db"));
    const seen: Json[] = [];
    const spy = pluginOf("spy", (kernel) => {
      kernel.hooks.beforeToolCall.tap("quotes", ({ args }) => ({
        effect: "deny",
        reason: `No arguments are allowed: ${JSON.stringify(args)}`,
      }));
      kernel.projection({
        name: "spy/all",
        version: 1,
        initial: 0,
        reduce: (count, { details }) => (seen.push(details), Number(count) + 1),
      });
      kernel.event({ name: "note", details: z.object({ number: z.number() }) });
    });
    const plugins = [eventLog({ redact: { paths: ["**.password"] } }), spy];
    const run = await openRun(
      createKernel({ plugins }, { configFile: join(base, "bylaw.config.ts") }),
      { run: "r", store },
    );
    const args: JsonObject = {
      password: SECRET,
      command: `git clone https://me:${SECRET}@example.com && TOKEN=${TOKEN}`,
    };
    const { decision } = await run.toolCall({ id: "c", tool: "bash", args });
    // The caller knows the secret already, but no record has it.
    expect(decision.reason).toContain(SECRET);
    await run.toolResult({
      id: "c",
      tool: "bash",
      ok: false,
      result: { stderr: `bad password=${SECRET}`, [TOKEN]: 1 },
    });
    await run.transition({ task: "t", to: "BUILD", artifacts: { env: `API_KEY=${SECRET}` } });
    await run.behave({ action: "stop", reason: `Authorization: Bearer ${TOKEN}` });
    await run.respond({ text: `the token is ${TOKEN}`, tool_calls: [] });
    const refused = await run
      .record([{ event_type: "note", agent_id: null, task_id: null, details: { number: TOKEN } }])
      .catch((error: unknown) => error);
    expect(String(refused)).not.toContain(TOKEN);
    await run.close();
    const kept = await store.events("r", 0, 100);
    expect(kept).toHaveLength(6);
    expect(eventsOf(join(base, ".bylaw/logs/r.jsonl"))).toEqual(kept);
    await store.close();
    expect(JSON.stringify([kept, seen])).not.toMatch(new RegExp(`${SECRET}|${TOKEN}`));
    for (const name of readdirSync(base, { recursive: true, encoding: "utf8" })) {
      const file = join(base, name);
      if (!statSync(file).isFile()) continue;
      const bytes = readFileSync(file);
      expect([file, bytes.includes(SECRET), bytes.includes(TOKEN)]).toEqual([file, false, false]);
    }
  });

  it("leaves approvals, phases and the chain intact when an event is redacted", async () => {
    const base = temporaryFolder();
    const ask = pluginOf(
      "asks",
      ({ hooks }) => {
        hooks.beforeToolCall.tap("ask", () => ({
          effect: "ask_user",
          reason: "Unexpected call, expected a person",
        }));
        hooks.onTransition.tap("go", () => ({ effect: "allow", reason: "fine" }));
      },
      { grants: true },
    );
    const kernel = createKernel(
      { plugins: [ask, eventLog()] },
      { configFile: join(base, "bylaw.config.ts") },
    );
    const run = await openRun(kernel, { run: "r" });
    const call = {
      agent: "a",
      tool: "deploy",
      args: { password: SECRET },
      interactive: true,
    } as const;
    expect((await run.toolCall(call)).applied).toBe("ask_user");
    await run.approve({
      subject: { hook: "beforeToolCall", ...call },
      by: "me",
      expires_at: "2999-01-01T00:00:00Z",
    });
    expect((await run.toolCall(call)).decision).toMatchObject({
      effect: "allow",
      code: "approved",
    });
    expect((await run.toolCall(call)).applied).toBe("ask_user");
    await run.transition({ task: "T", to: "BUILD", artifacts: { password: "BUILD" } });
    const { events } = await run.toolCall({ ...call, task: "T" });
    expect(events[0]?.details["phase"]).toBe("BUILD");
    await run.close();
    expect(findingsOf(join(base, ".bylaw/logs/r.jsonl"))).toEqual([]);
  });

  it("keeps concurrent runs apart, each in its file", async () => {
    const base = temporaryFolder();
    const kernel = kernelIn(base);
    const runs = await Promise.all(
      ["a", "A", "../a", "a/b"].map((run) => openRun(kernel, { run })),
    );
    await Promise.all(runs.map((run) => run.toolResult({ id: run.run, tool: "t", ok: true })));
    for (const run of runs) await run.close();
    const files = readdirSync(join(base, ".bylaw/logs")).filter((name) => name.endsWith(".jsonl"));
    expect(files).toHaveLength(4);
    for (const file of files) expect(eventsOf(join(base, ".bylaw/logs", file))).toHaveLength(2);
    expect(readdirSync(base)).toEqual([".bylaw"]);
  });

  it.each<[string, object]>(readCases<[string, object]>(import.meta, "options"))(
    "refuses options with %s",
    (_, options) => {
      expect(() => eventLog(options)).toFailWith("BYLAW_OPTIONS_INVALID");
    },
  );
});
