import { expect, it } from "vitest";
import type { JsonObject } from "@bylaw/kernel";
import { createKernel } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { phases } from "@bylaw/plugin-phases";
import { createSigner, grantToken, tokens } from "@bylaw/plugin-tokens";
import { bylaw, json, jsonLines } from "./bylaw.ts";
import { AGENT, HANDED, TASK, beginWalk, blockers, reasons, walkTo } from "./workflow-walk-kit.ts";

const handed = (value: unknown): JsonObject => value as JsonObject;

it("a transition with faulty artifacts, or before its gate passes, is refused with everything that blocks it, and without a token (WF-102, WF-103)", async () => {
  const walk = await beginWalk();
  await walkTo(walk, "PLAN");
  const issued = async (): Promise<number> => (await walk.events("token_issued")).length;
  const [before, token] = [await issued(), walk.token()];
  const { plan_document, scope_definition } = HANDED.plan;

  // Faulty artifacts are listed with their paths, together with the findings of the gate.
  const bad = await walk.move(
    "TDD",
    handed({ plan_document: { ...plan_document, title: "Short" }, scope_definition: "bounded" }),
  );
  expect(blockers(bad)).toEqual(["artifact_invalid", "artifact_rule", "gate_blocked"]);
  expect(reasons(bad)).toContain("`plan_document.title`");
  expect(reasons(bad)).toContain("scope_is_bounded");
  // The artifacts are right now, but nobody has approved the gate.
  expect(blockers(await walk.move("TDD", handed({ plan_document, scope_definition })))).toEqual([
    "gate_pending",
  ]);

  // The phase stays, no token was granted, and the current one remains valid.
  expect([walk.phase(), await issued(), walk.token()]).toEqual(["PLAN", before, token]);
  expect((await walk.use("read_files", { path: "src/index.js" })).effect).toBe("allow");
  const blocked = await walk.events("transition_blocked");
  expect(blocked.map(({ details }) => [details["from"], details["to"]])).toEqual([
    ["PLAN", "TDD"],
    ["PLAN", "TDD"],
  ]);
});

it("a transition with a bad or expired token is refused and changes nothing (WF-104)", async () => {
  const walk = await beginWalk();
  const { contract, file } = walk;
  const keys = [{ id: "walk", env: "ORCHESTRATOR_JWT_SECRET" }];
  const plugins = [
    phases({ contract: file, elsewhere: ["artifacts", "gates"] }),
    tokens({ contract: file, keys }),
  ];
  let now = "2026-01-02T10:00:00.000Z";
  const run = await openRun(createKernel({ plugins }), { run: "clock", now: () => now });
  const { token } = await grantToken(run, createSigner({ contract: file, keys }), {
    task: TASK,
    agent: AGENT,
    phase: null,
    allowed_tools: [],
    at: now,
  });
  const ask = async (text?: string): Promise<string> => {
    const host = text === undefined ? {} : { host: { token: text } };
    return (await run.transition({ agent: AGENT, task: TASK, to: "PLAN", artifacts: {}, ...host }))
      .decision.code;
  };
  const [head, body, signature = ""] = token.split(".");
  expect(await ask()).toBe("token_missing");
  expect(await ask("not a token")).toBe("token_malformed");
  expect(await ask(`${head}.${body}.${signature.slice(0, -4)}AAAA`)).toBe("token_forged");
  now = new Date(Date.parse(now) + contract.enforcement.tokens.expirySeconds * 1_000).toISOString();
  expect(await ask(token)).toBe("token_expired");
  now = "2026-01-02T11:00:00.000Z";
  // A run's clock does not go back, so the token keeps its age.
  expect(await ask(token)).toBe("token_expired");
  await run.close();
});

it("requests and answers can be found by task, tool and outcome, newest last, and counted (WF-110)", async () => {
  const walk = await beginWalk();
  await walkTo(walk, "PLAN");
  for (const path of ["src/index.js", "package.json"]) await walk.use("read_files", { path });
  await walk.use("bash", { command: "ls" });
  await walk.use("write_files", { path: "src/add.js", content: "x" });
  const { folder: cwd } = walk;
  const query = (...args: readonly string[]): readonly JsonObject[] =>
    jsonLines(
      bylaw(["log", "query", ".bylaw/log.jsonl", "--json", ...args], { cwd }),
    ) as readonly JsonObject[];
  const toolsOf = (events: readonly JsonObject[]): readonly unknown[] =>
    events.map(({ details }) => (details as JsonObject)["tool"]);

  expect(toolsOf(query("--task", TASK, "--type", "tool_allowed"))).toEqual([
    "read_files",
    "read_files",
  ]);
  expect(toolsOf(query("--task", TASK, "--type", "tool_denied", "--agent", AGENT))).toEqual([
    "bash",
    "write_files",
  ]);
  expect(toolsOf(query("--reason", "phase_tool_forbidden", "--limit", "1"))).toEqual(["bash"]);
  expect(query("--task", "another")).toEqual([]);
  const recent = jsonLines(
    bylaw("log tail -n 3 --json .bylaw/log.jsonl", { cwd }),
  ) as readonly JsonObject[];
  const all = await walk.events();
  expect(recent.map(({ event_type }) => event_type)).toEqual(
    all.slice(-3).map(({ event_type }) => event_type),
  );
  const stats = json(bylaw("log stats .bylaw/log.jsonl --json", { cwd })) as JsonObject;
  expect(stats["events"]).toBe(all.length);
  expect(stats["types"]).toEqual(
    expect.arrayContaining([
      { name: "tool_allowed", events: 2 },
      { name: "tool_denied", events: 2 },
    ]),
  );
});
