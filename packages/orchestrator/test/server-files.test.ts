import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { canContain } from "@bylaw/process";
import { temporaryFolder } from "@bylaw/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serverFiles } from "../src/config/server-files.ts";
import { settingsSchema } from "../src/config/settings.ts";
import { serve, type Agent, type Served } from "./kit.ts";

const CONTRACT = readFileSync(
  join(import.meta.dirname, "fixtures/server-files-contract.yaml"),
  "utf8",
);
const PASSWORD = "pa55word-of-the-store";
const KEY = "only-the-server-knows-this-key";
const HIDDEN: Readonly<Record<string, string>> = {
  "bylaw.serve.json": JSON.stringify({ store: `postgres://bylaw:${PASSWORD}@db.example/bylaw` }),
  "key.pem": KEY,
};
const KEPT: Readonly<Record<string, string>> = {
  "house.toml": '[[rules]]\nname = "x"\naction = "deny"\ntool = "x"\nreason = "x"\n',
  "cert.pem": "x",
};

let folder: string;
let at: Served;
let ann: Agent;

// The server files that a workspace may contain: the contract, policies, the TLS key, and the data folder `.bylaw`.
beforeAll(async () => {
  folder = temporaryFolder();
  for (const [name, text] of Object.entries({
    ...HIDDEN,
    ...KEPT,
    "agent_workflow.yaml": CONTRACT,
  }))
    writeFileSync(join(folder, name), text);
  const [contract, house] = [join(folder, "agent_workflow.yaml"), join(folder, "house.toml")];
  const tls = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  const settings = {
    contract,
    workspace: folder,
    data: join(folder, ".bylaw"),
    policy: [house],
    tls,
  };
  at = await serve({ tools: [], settings }, folder);
  ann = await at.agent("ann");
});
afterAll(() => at.close());

const call = (tool_name: string, args: object) =>
  at.post("/tools/execute", ann.auth, { task_id: ann.task, tool_name, args });
const READS: readonly (readonly [string, (name: string) => object])[] = [
  ["read_files", (name) => ({ path: name })],
  ["grep", (name) => ({ pattern: ".", path: name })],
  ["grep", () => ({ pattern: "." })],
  ["bash", (name) => ({ command: `cat ${name}` })],
  ["bash", (name) => ({ command: `cp ${name} copy.txt && cat copy.txt` })],
];
const WRITES: readonly (readonly [string, (name: string) => object])[] = [
  ["write_files", (name) => ({ path: name, content: "mine" })],
  ["write_files", (name) => ({ path: `./x/../${name.toUpperCase()}`, content: "mine" })],
  ["edit_files", (name) => ({ path: name, old_string: "x", new_string: "mine" })],
  ["bash", (name) => ({ command: `echo mine > ${name}` })],
  ["bash", (name) => ({ command: `rm -f ${name}` })],
  ["bash", (name) => ({ command: `sed -i s/x/mine/ ./${name}` })],
];

describe("a file that a server starts from", () => {
  it.each(Object.keys(HIDDEN).filter((name) => name !== "bylaw.serve.json"))(
    "%s is not read",
    async (name) => {
      for (const [tool, args] of READS)
        expect(JSON.stringify((await call(tool, args(name))).body), tool).not.toContain(KEY);
    },
  );

  it.each([...Object.keys(HIDDEN), ...Object.keys(KEPT)])("%s is not written", async (name) => {
    for (const [tool, args] of WRITES) {
      const { status } = await call(tool, args(name));
      expect(status, `${tool} ${JSON.stringify(args(name))}`).toBeGreaterThanOrEqual(400);
    }
    expect(readFileSync(join(folder, name), "utf8")).toBe({ ...HIDDEN, ...KEPT }[name]);
  });

  it.runIf(canContain(tmpdir()))("is empty for a program of an agent", async () => {
    const content =
      "import { readFileSync } from 'node:fs'; console.log(`it is ${readFileSync('key.pem', 'utf8')}.`)";
    expect((await call("write_files", { path: "probe.mjs", content })).status).toBe(200);
    const { body } = await call("run_tests", {});
    expect(JSON.stringify(body)).toContain("it is .");
  });

  it.runIf(canContain(tmpdir()))(
    "cannot be written or replaced by a program of an agent",
    async () => {
      const { "bylaw.serve.json": _, ...hidden } = HIDDEN;
      const files = { ...hidden, ...KEPT, "agent_workflow.yaml": CONTRACT };
      const names = JSON.stringify(Object.keys(files));
      const content = `
      import { renameSync, rmSync, writeFileSync } from "node:fs";
      const tried = (work) => { try { work(); } catch {} };
      for (const name of ${names}) {
        tried(() => writeFileSync(name, "mine"));
        tried(() => rmSync(name));
        tried(() => { writeFileSync("other", "mine"); renameSync("other", name); });
      }
      tried(() => renameSync(process.cwd(), process.cwd() + "-2"));
      tried(() => writeFileSync(".bylaw/operators.json", "{}"));
      tried(() => { renameSync(".bylaw", "before"); });
      console.log("it went through");`;
      expect((await call("write_files", { path: "probe.mjs", content })).status).toBe(200);
      expect(JSON.stringify((await call("run_tests", {})).body)).toContain("it went through");
      for (const [name, text] of Object.entries(files))
        expect(readFileSync(join(folder, name), "utf8"), name).toBe(text);
      expect([
        existsSync(join(folder, ".bylaw", "token.secret")),
        existsSync(join(folder, ".bylaw", "operators.json")),
      ]).toEqual([true, false]);
    },
  );

  it("may be read if it contains only rules, and does not keep agents from their work", async () => {
    expect((await call("read_files", { path: "house.toml" })).status).toBe(200);
    expect((await call("bash", { command: "cat house.toml" })).status).toBe(200);
    expect((await call("write_files", { path: "src/a.ts", content: "" })).status).toBe(200);
    expect((await call("bash", { command: "echo x > src/b.ts" })).status).toBe(200);
  });

  it("cannot be a new schema file for a contract with an inline schema", async () => {
    expect((await call("write_files", { path: "review.json", content: "{}" })).status).toBe(400);
    expect((await call("write_files", { path: "src/review.json", content: "{}" })).status).toBe(
      200,
    );
  });

  it("is known from the settings, whether it exists or not", () => {
    const { hidden, kept } = serverFiles(
      settingsSchema.parse({ store: "sqlite:/s/run.db", config: "/c/bylaw.config.mjs" }),
      "/e/s.json",
    );
    expect(hidden).toEqual([
      resolve("bylaw.serve.json"),
      "/e/s.json",
      "/s/run.db",
      "/s/run.db-wal",
      "/s/run.db-shm",
      "/s/run.db-journal",
    ]);
    expect(kept).toEqual(["/c/bylaw.config.mjs"]);
  });
});

describe("folders through which agents could control the server", () => {
  const refused = { code: "BYLAW_SETTINGS_INVALID" };

  it.each<[string, (work: string) => object]>([
    ["a store in the workspace", (work) => ({ store: `sqlite:${join(work, "run.db")}` })],
    ["a store in a folder of the workspace", (work) => ({ store: join(work, "deep", "run.db") })],
    ["a store by way of a link", (work) => ({ store: join(work, "..", "link", "run.db") })],
    ["data in the workspace itself", (work) => ({ data: work })],
  ])("%s keeps it from starting", async (_, settings) => {
    const own = temporaryFolder();
    const work = join(own, "work");
    mkdirSync(work);
    symlinkSync(work, join(own, "link"));
    await expect(serve({ settings: settings(work) }, own)).rejects.toMatchObject(refused);
    expect(existsSync(join(work, "run.db"))).toBe(false);
  });

  it("do not include those outside the workspace, or `.bylaw`", async () => {
    const own = temporaryFolder();
    const settings = {
      workspace: own,
      data: join(own, ".bylaw"),
      store: join(own, ".bylaw", "own.db"),
    };
    await (await serve({ settings }, own)).close();
  });
});

it("a shell command cannot reach them through another name of the workspace", async () => {
  const own = temporaryFolder();
  mkdirSync(join(own, "real"));
  symlinkSync(join(own, "real"), join(own, "link"));
  const [work, contract] = [join(own, "link"), join(own, "work.yaml")];
  for (const [name, text] of Object.entries({ ...HIDDEN, ...KEPT }))
    writeFileSync(join(work, name), text);
  writeFileSync(contract, CONTRACT);
  const tls = { cert: join(work, "cert.pem"), key: join(work, "key.pem") };
  const places = {
    contract,
    workspace: work,
    data: join(work, ".bylaw"),
    policy: [join(work, "house.toml")],
    tls,
  };
  const server = await serve(
    { tools: [], settings: { ...places, tools: { contain: "never", allow_root: true } } },
    own,
  );
  const { auth, task } = await server.agent("ann");
  for (const folder of ["link", "real"])
    for (const line of [
      `cat ${own}/${folder}/key.pem`,
      `cat ${own}/${folder}/.bylaw/token.secret`,
      `echo > ${own}/${folder}/house.toml`,
    ]) {
      const asked = { task_id: task, tool_name: "bash", args: { command: line } };
      expect(await server.post("/tools/execute", auth, asked), line).toMatchObject({ status: 403 });
    }
  await server.close();
});

it("no answer contains the password of the store, as written or decoded", async () => {
  const own = temporaryFolder();
  const [tokens, contract] = [join(own, "tokens"), join(own, "work.yaml")];
  writeFileSync(tokens, "t".repeat(40), { mode: 0o600 });
  writeFileSync(contract, CONTRACT);
  const written = encodeURIComponent("pa55 word/of@it");
  const settings = {
    contract,
    store: `postgres://bylaw:${written}@db.example/bylaw`,
    auth: { token_secret_file: tokens },
  };
  const server = await serve({ tools: [], settings }, own);
  const { auth, task } = await server.agent("ann");
  writeFileSync(join(server.workspace, "notes.txt"), `it is ${written}, that is pa55 word/of@it`);
  for (const [tool_name, args] of [
    ["read_files", { path: "notes.txt" }],
    ["bash", { command: "cat notes.txt" }],
  ] as const) {
    const { body } = await server.post("/tools/execute", auth, { task_id: task, tool_name, args });
    expect(JSON.stringify(body), tool_name).toContain("it is [secret], that is [secret]");
  }
  await server.close();
});
