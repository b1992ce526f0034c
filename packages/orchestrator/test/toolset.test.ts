import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadContract } from "@bylaw/contract";
import { callTool, toolNamed } from "@bylaw/tools";
import { temporaryFolder } from "@bylaw/testing";
import { expect, it } from "vitest";
import { settingsSchema } from "../src/config/settings.ts";
import { toolset } from "../src/tools/toolset.ts";

const CONTRACT = `
bylaw: 1
name: Below
schemas_dir: schemas
phases:
  - { id: WORK, name: Work, allowed_tools: [write_files] }
transitions: []
enforcement: { mode: strict }
`;

it("protected paths are relative to the contract, not to the workspace", async () => {
  const workspace = temporaryFolder();
  const file = join(workspace, "rules/agent_workflow.yaml");
  mkdirSync(join(workspace, "rules/schemas"), { recursive: true });
  writeFileSync(file, CONTRACT);
  const tools = toolset({
    settings: settingsSchema.parse({}),
    contract: loadContract(file),
    over: new AbortController().signal,
    hidden: [],
    protect: [],
    secrets: [],
    observeTestsOf: () => Promise.reject(new Error("no tests")),
    view: () => {
      throw new Error("no view");
    },
  });
  const write = toolNamed(tools, "write_files");
  const put = async (path: string): Promise<unknown> =>
    write === undefined
      ? undefined
      : callTool(write, { path, content: "{}" }, { agent: "ann", workspace });
  for (const path of ["rules/schemas/plan.json", "rules/agent_workflow.yaml"])
    await expect(put(path), path).rejects.toFailWith("BYLAW_PLACE_REFUSED");
  expect(await put("schemas/plan.json")).toMatchObject({ status: "success" });
});
