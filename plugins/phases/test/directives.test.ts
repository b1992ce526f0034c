import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseContract } from "@bylaw/contract";
import { directivesOf } from "../src/index.ts";
import { CONTRACT } from "./kit.ts";

it("what has to be done after a transition is in the contract, and the same each time", () => {
  const text = readFileSync(CONTRACT, "utf8")
    .replace("to: REVIEW, gate: green }", "to: REVIEW, gate: green, triggers: [{ action: notify_orchestrator, params: { a: 1 } }] }")
    .replace(
      "    forbidden_tools: [write_files, edit_files, git_commit]\n",
      "    auto_spawn: [{ agent_type: review, models: [one, two], parallel: true }]\n",
    );
  const contract = parseContract(text, "contract.yaml");
  const spawn = { action: "spawn", agentType: "review", models: ["one", "two"], parallel: true, waitForCompletion: true };
  const trigger = { action: "notify_orchestrator", parallel: false, params: { a: 1 } };
  expect(directivesOf(contract, "IMPL", "REVIEW")).toEqual([trigger, spawn]);
  expect(directivesOf(contract, "IMPL", "REVIEW")).toEqual(directivesOf(contract, "IMPL", "REVIEW"));
  for (const [from, to] of [
    [null, "PLAN"],
    ["REVIEW", "IMPL"],
    ["PLAN", "NOWHERE"],
  ] as const)
    expect(directivesOf(contract, from, to)).toEqual([]);
});
