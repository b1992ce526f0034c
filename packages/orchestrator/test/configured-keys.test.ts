import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../src/index.ts";
import { serve, type Agent, type Served, fails } from "./kit.ts";

const CONTRACT = `
bylaw: 1
name: Everything
phases:
  - { id: WORK, name: Work, allowed_tools: [read_files, write_files, grep, bash] }
transitions: []
enforcement: { mode: strict, phase_tokens: { enabled: true, secret_env_var: KEY_OF_THIS_TEST } }
`;
const CONFIG = `
import { defineConfig, defineRuleset } from "@bylaw/kernel";
import { eventLog } from "@bylaw/plugin-event-log";
import { phases } from "@bylaw/plugin-phases";
import { policy } from "@bylaw/plugin-policy";
import { tasks } from "@bylaw/plugin-tasks";
import { tokens } from "@bylaw/plugin-tokens";
import { files } from "./more.mjs";

const contract = "agent_workflow.yaml";
const keys = [{ id: "new", file: "work/keys/token.pem" }, { id: "old", env: "OLD_KEY_OF_THIS_TEST" }];
const held = defineRuleset({ name: "held", plugins: [phases({ contract }), tasks(), tokens({ contract, keys })] });
export default defineConfig({
  extends: [held],
  plugins: [policy({ files, discover: "none" }), eventLog({ redact: { key_file: "work/keys/seal.key" } })],
});
`;
const [KEY, OLD] = [
  "first-line-of-the-key-of-tokens-of-this-test",
  "an-earlier-key-of-tokens-that-is-long-enough",
] as const;

const SEAL = "k".repeat(48);

let folder: string;
let lines = "";
let at: Served;
let ann: Agent;
const log = createLog({ level: "debug", to: { write: (line: string) => void (lines += line) } });

beforeAll(async () => {
  folder = temporaryFolder();
  const work = join(folder, "work");
  mkdirSync(join(work, "keys"), { recursive: true });
  symlinkSync(
    fileURLToPath(new URL("../../../node_modules", import.meta.url)),
    join(folder, "node_modules"),
  );
  writeFileSync(join(folder, "agent_workflow.yaml"), CONTRACT);
  writeFileSync(join(folder, "bylaw.config.mjs"), CONFIG);
  writeFileSync(join(work, "keys", "token.pem"), `${KEY}\n`, { mode: 0o600 });
  writeFileSync(join(work, "keys", "seal.key"), SEAL, { mode: 0o600 });
  writeFileSync(join(folder, "more.mjs"), 'export const files = ["work/house.toml"];');
  writeFileSync(
    join(work, "house.toml"),
    '[[rules]]\nname = "x"\naction = "deny"\ntool = "x"\nreason = "x"\n',
  );
  process.env["OLD_KEY_OF_THIS_TEST"] = OLD;
  const places = {
    workspace: work,
    data: join(folder, ".bylaw"),
    config: join(folder, "bylaw.config.mjs"),
  };
  at = await serve(
    {
      tools: [],
      log,
      settings: { ...places, contract: undefined, tools: { contain: "never", allow_root: true } },
    },
    folder,
  );
  ann = await at.agent("ann");
});
afterAll(async () => {
  await at.close();
  delete process.env["OLD_KEY_OF_THIS_TEST"];
});

const call = (tool_name: string, args: object) =>
  at.post("/tools/execute", ann.auth, { task_id: ann.task, tool_name, args });

test.each<[string, object]>(readCases<[string, object]>(import.meta, "hidden"))(
  "files that the configuration depends on are out of agents' reach: %s %j",
  async (tool, args) => {
    const { status, body } = await call(tool, args);
    expect(status).toBeGreaterThanOrEqual(tool === "bash" ? 202 : 400);
    for (const secret of [KEY, SEAL]) expect(JSON.stringify(body)).not.toContain(secret);
  },
);

test("a shell command that names one is denied, whether or not programs are contained", async () => {
  await fails(call("bash", { command: "cat keys/token.pem" }), 403, "rule_denied");
});

test("their secrets are removed from answers and from the log", async () => {
  writeFileSync(join(at.workspace, "notes.txt"), `${KEY} and ${OLD}`);
  const { body } = await call("bash", { command: "cat notes.txt" });
  expect(JSON.stringify(body)).toContain("[secret] and [secret]");
  log.info({ note: `it is ${KEY}, was ${OLD}` }, "said");
  expect(lines).toContain("it is [redacted], was [redacted]");
});

test("the embedding program can list the variables that held secrets", () => {
  expect(at.variables).toEqual(
    expect.arrayContaining(["BYLAW_JWT_SECRET", "ORCHESTRATOR_JWT_SECRET", "OLD_KEY_OF_THIS_TEST"]),
  );
});
