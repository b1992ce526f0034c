import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canContain } from "@bylaw/process";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENROL, OPERATOR, serve, type Agent, type Served } from "./kit.ts";

const CONTRACT = `
bylaw: 1
name: Everything
phases:
  - { id: WORK, name: Work, allowed_tools: [read_files, write_files, grep, glob, bash] }
transitions: []
enforcement: { mode: strict }
`;

let at: Served;
let ann: Agent;
let folder: string;

beforeAll(async () => {
  folder = temporaryFolder();
  const contract = join(folder, "work.yaml");
  writeFileSync(contract, CONTRACT);
  // With the tools of the workspace, and with secrets that the server created.
  at = await serve(
    {
      tools: [],
      secrets: {},
      settings: { contract, workspace: join(folder, "work"), data: join(folder, "data") },
    },
    folder,
  );
  writeFileSync(join(folder, "work", "mine.txt"), "mine\n");
  symlinkSync(join(folder, "data"), join(folder, "work", "link"));
  const secret = readFileSync(join(folder, "data", "enrol.secret"), "utf8").trim();
  const { body } = await at.post("/tasks/claim", `Bylaw-Enrol ${secret}`, { agent_id: "ann" });
  ann = {
    auth: `Bearer ${String(body["phase_token"])}`,
    token: String(body["phase_token"]),
    task: (body["task"] as unknown as { id: string }).id,
  };
});
afterAll(async () => {
  await at.close();
});

const call = (tool_name: string, args: object) =>
  at.post("/tools/execute", ann.auth, { task_id: ann.task, tool_name, args });
const secretsIn = (text: string): readonly string[] => {
  const made = ["enrol.secret", "token.secret"].map((name) =>
    readFileSync(join(folder, "data", name), "utf8").trim(),
  );
  return [...made, ENROL, OPERATOR].filter((secret) => text.includes(secret));
};

describe("a file or secret of the server", () => {
  it.each<[string, string, object]>(readCases<[string, string, object]>(import.meta, "hidden"))(
    "is not shown to agents by %s",
    async (_, tool, args) => {
      const { status, body } = await call(
        tool,
        JSON.parse(JSON.stringify(args).replace("FOLDER", folder)) as object,
      );
      expect(secretsIn(JSON.stringify(body))).toEqual([]);
      if (tool !== "bash") expect(status).toBeGreaterThanOrEqual(400);
      // Programs of agents are other processes. The files are hidden from them if the system supports that.
      else if (status === 200) expect(canContain(join(folder, "work"))).toBe(true);
    },
  );

  it("is not in the log either", async () => {
    expect(secretsIn(JSON.stringify(await at.events()))).toEqual([]);
    expect(JSON.stringify(await at.events())).not.toContain(ann.token);
  });

  it("does not keep agents from their work", async () => {
    expect((await call("read_files", { path: "mine.txt" })).status).toBe(200);
    expect(JSON.stringify((await call("bash", { command: "cat mine.txt" })).body)).toContain(
      "mine",
    );
  });
});
