import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { eventLog } from "@bylaw/plugin-event-log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { SpanStatusCode, trace } from "@opentelemetry/api";
import { describe, expect, it, onTestFinished } from "vitest";
import { otel } from "../src/index.ts";
import { kernelWith, openedRun, reported, startSdk } from "./kit.ts";
import { createKernel } from "@bylaw/kernel";
import { temporaryFolder } from "@bylaw/testing";

describe("the span of a decision", () => {
  it("is a child of the `execute_tool` span that is active, also for a denial", async () => {
    const { spans } = startSdk();
    const run = await openedRun(kernelWith());
    const tracer = trace.getTracer("agent");
    const parents = await Promise.all(
      ["rm", "ls"].map((tool, index) =>
        tracer.startActiveSpan(`execute_tool ${tool}`, async (span) => {
          await run.toolCall({ id: `c${index}`, tool, args: { path: "a" }, agent: "dev" });
          span.end();
          return span.spanContext();
        }),
      ),
    );
    await reported(run);
    const [rm, ls] = ["rm", "ls"].map((tool) =>
      spans().find(({ name }) => name === `decide ${tool}`),
    );
    expect(rm?.parentSpanContext).toMatchObject({ spanId: parents[0]?.spanId });
    expect(ls?.parentSpanContext).toMatchObject({ spanId: parents[1]?.spanId });
    expect(rm?.spanContext().traceId).toBe(parents[0]?.traceId);
    expect(rm?.attributes).toEqual({
      "gen_ai.tool.name": "rm",
      "gen_ai.tool.call.id": "c0",
      "gen_ai.agent.id": "dev",
      "bylaw.run": "main",
      "bylaw.session": run.session,
      "bylaw.sequence": expect.any(Number),
      "bylaw.hook": "beforeToolCall",
      "bylaw.effect": "deny",
      "bylaw.applied": "deny",
      "bylaw.code": "rule_denied",
      "bylaw.rule.name": "no-rm",
      "bylaw.rule.file": "policy.toml",
      "bylaw.rule.line": 7,
    });
    expect(rm?.status.code).toBe(SpanStatusCode.UNSET);
    expect(rm?.links.map(({ context }) => context.traceId)).toEqual([
      run.session.replaceAll("-", ""),
    ]);
  });

  it("is recorded for every hook, and for a subject that cannot be read", async () => {
    const { spans } = startSdk();
    const run = await openedRun(kernelWith());
    await run.toolCall({ tool: "ls", args: undefined as never });
    await run.transition({ task: "t1", to: "BUILD", artifacts: {} });
    await run.behave({ action: "continue", agent: "dev" });
    await run.respond({ agent: "dev", text: "done" });
    await reported(run);
    expect(spans().map(({ attributes }) => attributes["bylaw.hook"])).toEqual([
      "beforeToolCall",
      "onTransition",
      "onBehavior",
      "onEnforcement",
    ]);
    expect(spans()[0]?.attributes["bylaw.code"]).toBe("invalid_call");
  });

  it("has an error as its status only if something failed", async () => {
    const { spans } = startSdk();
    const run = await openedRun(kernelWith());
    await run.toolCall({ tool: "crash", args: {} });
    await reported(run);
    expect(spans()[0]?.status.code).toBe(SpanStatusCode.ERROR);
  });

  it("belongs to one trace of the run in every session, without an active span", async () => {
    const { spans } = startSdk();
    const store = await openSqliteStore(join(temporaryFolder(), "store.db"));
    onTestFinished(() => store.close());
    const first = await openedRun(kernelWith(), { store });
    await first.toolCall({ tool: "ls", args: {} });
    await first.close();
    const second = await openedRun(kernelWith(), { store });
    await second.toolCall({ tool: "ls", args: {} });
    await reported(second);
    expect(second.session).not.toBe(first.session);
    expect(spans().map((span) => span.spanContext().traceId)).toEqual(
      Array(2).fill(first.session.replaceAll("-", "")),
    );
  });

  it("is not recorded for a decision that another process of the session reports", async () => {
    const { spans } = startSdk();
    const path = join(temporaryFolder(), "store.db");
    const store = await openSqliteStore(path);
    onTestFinished(() => store.close());
    const run = await openedRun(kernelWith(), { store });
    const child = spawnSync(
      process.execPath,
      [
        "--experimental-strip-types",
        "--disable-warning=ExperimentalWarning",
        join(import.meta.dirname, "children/decider.ts"),
        path,
      ],
      { encoding: "utf8" },
    );
    expect(child.stderr).toBe("");
    await run.toolCall({ tool: "own", args: {} });
    await reported(run);
    const tools = (await store.events("main", 0, 10)).map(({ details }) => details["tool"]);
    expect(tools).toContain("of_the_child");
    expect(spans().map(({ name }) => name)).toEqual(["decide own"]);
  });
});

describe("the content of a call", () => {
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ0123";

  it("is in no attribute by default", async () => {
    const { spans } = startSdk();
    const run = await openedRun(kernelWith());
    await run.toolCall({ tool: "rm", args: { path: "the-door-is-red", token: secret } });
    await reported(run);
    const exported = JSON.stringify(spans().map(({ name, attributes }) => [name, attributes]));
    expect(exported).not.toContain("the-door-is-red");
    expect(exported).not.toContain(secret);
  });

  it("is redacted like the log where it is asked for", async () => {
    const { spans } = startSdk();
    const log = eventLog({ file: join(temporaryFolder(), "{run}.jsonl") });
    const run = await openedRun(createKernel({ plugins: [log, otel({ content: true })] }));
    const tracer = trace.getTracer("agent");
    const parent = await tracer.startActiveSpan("execute_tool rm", async (span) => {
      await run.toolCall({ tool: "rm", args: { path: "the-door-is-red", note: secret } });
      return span.spanContext();
    });
    await reported(run);
    const [span] = spans();
    expect(span?.attributes["gen_ai.tool.call.arguments"]).toContain("the-door-is-red");
    expect(JSON.stringify(span?.attributes)).not.toContain(secret);
    expect(span?.parentSpanContext?.spanId).toBe(parent.spanId);
  });

  it("cannot be asked for without a plugin that redacts", () => {
    expect(() => createKernel({ plugins: [otel({ content: true })] })).toFailWith(
      "BYLAW_OPTIONS_INVALID",
    );
  });
});
