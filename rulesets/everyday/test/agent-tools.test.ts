import { readFileSync } from "node:fs";
import { createKernel, type Effect, type JsonObject } from "@bylaw/kernel";
import { expect, it } from "vitest";
import { everyday } from "../src/index.ts";

interface Case {
  readonly host: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly must: Effect;
}

// The tools, with their arguments, as eight agents offer them to their models: Claude Code 2.1.330, Codex 0.169.0, Gemini CLI 0.61.0,
// Copilot CLI 1.0.102, Qwen Code 0.24.4, Droid 0.225.2, pi 0.73.1 and opencode 1.18.33.
const cases = readFileSync(new URL("agent-tools.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);

it("knows the tools of the usual agents, and heeds a working folder only where the agent does", async () => {
  const kernel = createKernel({ extends: [everyday] });
  const place = { cwd: "/home/dev/project", workspace: "/home/dev/project", home: "/home/dev" };
  const found: Case[] = [];
  for (const { host: name, tool, args } of cases) {
    const call = { hook: "beforeToolCall", tool, args, ...place, host: { name } } as const;
    const { effect } = await kernel.decide(call);
    found.push({ host: name, tool, args, must: effect });
  }
  expect(found).toEqual(cases);
});
