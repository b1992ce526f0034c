import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createOrchestrator, resolveSettings, shownConfig } from "../src/index.ts";
import { asNewcomer, asOperator, ENROL, give, serve } from "./kit.ts";

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

const file = (content: object, name = "bylaw.serve.json"): string => {
  writeFileSync(join(cwd, name), JSON.stringify(content));
  return name;
};
const refused = (sources: Parameters<typeof resolveSettings>[0]): unknown => {
  try {
    return resolveSettings({ cwd, ...sources });
  } catch (error) {
    return error;
  }
};

describe("a setting", () => {
  it("comes from its flag, else from the environment, else from the file, else from its default", () => {
    file({ port: 1, run: "of-file", limits: { body_bytes: 2_048, batch: 7 }, docs: false });
    const environment = {
      BYLAW_PORT: "2",
      BYLAW_HOST: "::1",
      BYLAW_LIMITS_BATCH: "8",
      BYLAW_POLICY: "a.toml,b.toml",
      HOME: "/x",
    };
    const { settings, origins } = resolveSettings({
      cwd,
      environment,
      flags: { port: "3", policy: ["c.toml"] },
    });
    expect(settings).toMatchObject({
      port: 3,
      host: "::1",
      run: "of-file",
      docs: false,
      limits: { body_bytes: 2_048, batch: 8 },
      policy: ["c.toml"],
    });
    expect(settings.limits.agent_burst).toBe(400);
    expect(origins).toEqual({
      port: "flag",
      policy: "flag",
      host: "environment",
      "limits.batch": "environment",
      run: "file",
      docs: "file",
      "limits.body_bytes": "file",
    });
  });

  it("that is a path is relative to the folder of the file that contains it", () => {
    mkdirSync(join(cwd, "etc"));
    const settings = {
      contract: "c.yaml",
      data: "../data",
      tls: { cert: "c.pem", key: "/k.pem" },
      store: "s.db",
      policy: ["p.toml"],
    };
    writeFileSync(join(cwd, "etc/serve.json"), JSON.stringify(settings));
    expect(resolveSettings({ cwd, file: "etc/serve.json" }).settings).toMatchObject({
      contract: join(cwd, "etc/c.yaml"),
      data: join(cwd, "data"),
      tls: { cert: join(cwd, "etc/c.pem"), key: "/k.pem" },
      store: `sqlite:${join(cwd, "etc/s.db")}`,
      policy: [join(cwd, "etc/p.toml")],
    });
  });

  it.each(
    readCases<[string, Parameters<typeof resolveSettings>[0], string]>(
      import.meta,
      "wrong-settings",
    ),
  )("that is %s keeps the server from starting", (_, sources, message) => {
    file({ ports: 3 }, "one.json");
    file({ auth: { enrol_secret: ENROL } }, "two.json");
    expect(refused(sources)).toMatchObject({
      code: "BYLAW_SETTINGS_INVALID",
      message: expect.stringMatching(message) as string,
    });
  });

  it("that is misspelt in the environment is reported with its spelling", () => {
    expect(refused({ environment: { BYLAW_LIMITS_BODY_BYTE: "3" } })).toMatchObject({
      fix: "Did you mean `BYLAW_LIMITS_BODY_BYTES`?",
    });
  });
});

it("the printed configuration has every setting with its source, and no secret", () => {
  const store = "postgres://bylaw:hunter2@db.example.org/bylaw?sslpassword=hunter2&schema=s";
  const environment = {
    BYLAW_STORE: store,
    BYLAW_ENROL_SECRET: ENROL,
    BYLAW_OPERATOR_TOKEN: "x".repeat(40),
  };
  const shown = shownConfig(resolveSettings({ cwd, environment }), environment);
  expect(shown.settings["store"]).toEqual({
    value: "postgres://bylaw:***@db.example.org/bylaw?sslpassword=***&schema=s",
    from: "environment",
  });
  expect(shown.settings["port"]).toEqual({ value: 8_000, from: "default" });
  expect(shown.secrets).toMatchObject({
    token_secret: "missing",
    enrol_secret: "in the environment as BYLAW_ENROL_SECRET: ***",
  });
  expect(shown.secrets).toMatchObject({
    operator_token: "in the environment as BYLAW_OPERATOR_TOKEN: ***",
  });
  for (const secret of ["hunter2", ENROL, "xxxx"])
    expect(JSON.stringify(shown)).not.toContain(secret);
});

describe("the reported place of a secret", () => {
  const VARIABLE = "KEY_OF_THE_CONTRACT_OF_THIS_TEST";
  const contract = (): string => {
    const phases = "phases:\n  - { id: PLAN, name: Plan, allowed_tools: [read_files] }\n";
    const tokens = `phase_tokens: { enabled: true, secret_env_var: ${VARIABLE} }`;
    writeFileSync(
      join(cwd, "named.yaml"),
      `bylaw: 1\nname: x\n${phases}transitions: []\nenforcement: { mode: strict, ${tokens} }\n`,
    );
    return join(cwd, "named.yaml");
  };
  afterEach(() => {
    delete process.env[VARIABLE];
  });
  const shownBy = (settings: object, environment: Readonly<Record<string, string>> = {}) => {
    const named = file({ contract: contract(), data: "data", ...settings }, "all.json");
    return shownConfig(resolveSettings({ cwd, file: named, environment }), environment).secrets;
  };

  it("is where it is read: a configured file takes precedence over the variable", async () => {
    const [enrol, tokens] = ["enrol", "tokens"].map((name) => join(cwd, name)) as [string, string];
    writeFileSync(enrol, "f".repeat(40), { mode: 0o600 });
    writeFileSync(tokens, "t".repeat(40), { mode: 0o600 });
    const auth = { enrol_secret_file: enrol, token_secret_file: tokens };
    process.env[VARIABLE] = "v".repeat(40);
    const shown = shownBy({ auth }, { BYLAW_ENROL_SECRET: ENROL, [VARIABLE]: "v".repeat(40) });
    expect(shown).toMatchObject({ enrol_secret: `in ${enrol}`, token_secret: `in ${tokens}` });
    const at = await serve(
      { secrets: { enrol: ENROL }, settings: { contract: contract(), auth } },
      cwd,
    );
    const claim = async (secret: string): Promise<number> =>
      (await at.post("/tasks/claim", `Bylaw-Enrol ${secret}`, { agent_id: "ann" })).status;
    expect([await claim(ENROL), await claim("f".repeat(40))]).toEqual([401, 200]);
    expect(existsSync(join(cwd, "data", "token.secret"))).toBe(false);
    await at.close();
  });

  it("is the variable that the contract names, or else the created file", async () => {
    expect(shownBy({}, { [VARIABLE]: "v".repeat(40) })["token_secret"]).toBe(
      `in the environment as ${VARIABLE}: ***`,
    );
    const made = join(cwd, "data", "token.secret");
    expect(shownBy({})).toMatchObject({
      token_secret: `in ${made}, which the first start creates`,
      enrol_secret: `in ${join(cwd, "data", "enrol.secret")}, which the first start creates`,
      operator_token: "missing",
    });
    process.env[VARIABLE] = "v".repeat(40);
    const at = await serve({ settings: { contract: contract() } }, cwd);
    expect([existsSync(made), at.variables.includes(VARIABLE)]).toEqual([false, true]);
    await at.close();
  });

  it("comes from the configuration, if there is one", () => {
    expect(shownBy({ config: "bylaw.config.mjs" })["token_secret"]).toBe(
      `as ${join(cwd, "bylaw.config.mjs")} has it`,
    );
  });
});

describe("a secret", () => {
  it("is created at the first start, readable only by its owner, and kept", async () => {
    const first = await serve({ secrets: {} }, cwd);
    const places = ["token.secret", "enrol.secret"].map((name) => join(cwd, "data", name));
    const made = places.map((place) => readFileSync(place, "utf8"));
    for (const place of places) expect(statSync(place).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(cwd, "data", ".gitignore"), "utf8")).toContain(
      "*.secret\nstore.db*\n",
    );
    for (const text of made) expect(text.trim().length).toBeGreaterThan(40);
    const agent = await first.post("/tasks/claim", `Bylaw-Enrol ${made[1]?.trim() ?? ""}`, {
      agent_id: "ann",
    });
    expect(agent.status).toBe(200);
    const second = await serve({ secrets: {}, store: first.store }, cwd);
    expect(places.map((place) => readFileSync(place, "utf8"))).toEqual(made);
    expect((await second.get("/tools", `Bearer ${String(agent.body["phase_token"])}`)).status).toBe(
      200,
    );
    await second.close();
    await first.close();
  });

  it("of tokens may be changed, and tokens of the old one stay valid as long as it is listed", async () => {
    const [first, second] = [join(cwd, "first"), join(cwd, "second")];
    for (const [place, letter] of [
      [first, "a"],
      [second, "b"],
    ] as const)
      writeFileSync(place, letter.repeat(40), { mode: 0o600 });
    const before = await serve({ settings: { auth: { token_secret_file: first } } }, cwd);
    const { auth, token } = await before.agent("ann", "a");
    const other = async (settings: object): Promise<number> => {
      const node = await serve({ store: before.store, settings: { auth: settings } }, cwd);
      const { status } = await node.get("/tools", auth);
      await node.close();
      return status;
    };
    expect(await other({ token_secret_file: second })).toBe(401);
    expect(await other({ token_secret_file: second, old_token_secret_files: [first] })).toBe(200);
    const after = await serve(
      {
        store: before.store,
        settings: { auth: { token_secret_file: second, old_token_secret_files: [first] } },
      },
      cwd,
    );
    const { body } = await after.post("/tasks/claim", `Bylaw-Enrol ${ENROL}`, {
      agent_id: "ann",
      task_id: "a",
    });
    expect(body["phase_token"]).not.toBe(token);
    expect(await other({ token_secret_file: second })).toBe(401);
    expect((await after.get("/tools", `Bearer ${String(body["phase_token"])}`)).status).toBe(200);
    await after.close();
    await before.close();
  });

  it("of tokens is a key pair if the contract asks for one", async () => {
    const contract = join(cwd, "eddsa.yaml");
    const phase =
      "  - { id: PLAN, name: Plan, allowed_tools: [read_files, note, slow, broken, write_files] }";
    writeFileSync(
      contract,
      `bylaw: 1\nname: x\nphases:\n${phase}\ntransitions: []\nenforcement: { mode: strict, phase_tokens: { enabled: true, algorithm: EdDSA } }\n`,
    );
    const node = await serve({ secrets: { enrol: ENROL }, settings: { contract } }, cwd);
    expect(readFileSync(join(cwd, "data", "token.secret"), "utf8")).toContain("PRIVATE KEY");
    const { body } = await node.post("/tasks/claim", `Bylaw-Enrol ${ENROL}`, { agent_id: "ann" });
    expect((await node.get("/tools", `Bearer ${String(body["phase_token"])}`)).status).toBe(200);
    await node.close();
  });

  it("that others can read, or that is too short, keeps the server from starting", async () => {
    await expect(serve({ secrets: { enrol: "short" } })).rejects.toFailWith("BYLAW_SECRET_INVALID");
    await expect(
      serve({ secrets: { enrol: ENROL, operator: "with blanks, and a comma in it, though long" } }),
    ).rejects.toFailWith("BYLAW_SECRET_INVALID");
    const named = join(cwd, "enrol");
    writeFileSync(named, ENROL, { mode: 0o600 });
    await (await serve({ secrets: {}, settings: { auth: { enrol_secret_file: named } } })).close();
    chmodSync(named, 0o644);
    await expect(
      serve({ secrets: {}, settings: { auth: { enrol_secret_file: named } } }),
    ).rejects.toFailWith("BYLAW_KEY_EXPOSED");
  });

  it("of several servers is created by none", async () => {
    const settings = {
      store: "postgres://127.0.0.1:1/x",
      data: join(cwd, "data"),
      contract: join(cwd, "c.yaml"),
      workspace: join(cwd, "work"),
    };
    await expect(createOrchestrator({ settings })).rejects.toFailWith("BYLAW_SECRET_INVALID");
    expect(existsSync(join(cwd, "data", "enrol.secret"))).toBe(false);
  });
});

it("a data folder must not be in the workspace, because it changes with every event", async () => {
  const contract = join(cwd, "c.yaml");
  writeFileSync(
    contract,
    'bylaw: 1\nname: x\nphases:\n  - { id: A, name: A, allowed_tools: [read_files] }\ntransitions: []\nenforcement: { mode: strict }\ntest_command: { argv: ["node", "--test"], format: tap }\n',
  );
  give(cwd);
  const settings = { contract, workspace: cwd, data: join(cwd, "data") };
  await expect(serve({ settings })).rejects.toFailWith("BYLAW_SETTINGS_INVALID");
  await (await serve({ settings: { ...settings, data: join(cwd, ".bylaw") } })).close();
});

it("each task has its own folder if the settings say so, whatever its id", async () => {
  const server = await serve({ settings: { workspace_per_task: true } });
  const plain = server.service.workspaceOf("a");
  const digest = server.service.workspaceOf("A").slice(server.workspace.length + 1);
  const names = [...readCases<string>(import.meta, "names"), "x".repeat(200), digest];
  const folders = [plain, ...names.map((task) => server.service.workspaceOf(task))];
  expect(plain).toBe(join(server.workspace, "a"));
  for (const [index, name] of names.entries())
    expect(folders[index + 1]).not.toBe(join(server.workspace, name));
  expect(new Set(folders).size).toBe(folders.length);
  for (const folder of folders)
    expect(
      folder.startsWith(`${server.workspace}/`) &&
        !folder.slice(server.workspace.length + 1).includes("/"),
    ).toBe(true);
  await server.close();
});

it("no task gets a folder with files of the server, or a file or link as its folder", async () => {
  const [work, elsewhere] = [join(cwd, "work"), join(cwd, "elsewhere")];
  for (const folder of [join(work, "rules"), elsewhere]) mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(work, "rules", "house.toml"),
    '[[rules]]\nname = "x"\naction = "deny"\ntool = "x"\nreason = "x"\n',
  );
  writeFileSync(join(work, "notes"), "");
  symlinkSync(elsewhere, join(work, "link"));
  const server = await serve(
    { settings: { workspace_per_task: true, policy: [join(work, "rules", "house.toml")] } },
    cwd,
  );
  expect(server.service.workspaceOf("rules")).not.toBe(join(work, "rules"));
  for (const task of ["notes", "link"]) {
    await server.post("/tasks", asOperator, { id: task });
    const { status, body } = await server.post("/tasks/claim", asNewcomer, {
      agent_id: "ann",
      task_id: task,
    });
    expect({ status, code: body["code"] }).toEqual({ status: 409, code: "BYLAW_WORKSPACE_TAKEN" });
  }
  // The same for a folder that existed before.
  const { auth, task } = await server.agent("bo", "mine");
  rmSync(join(work, "mine"), { recursive: true });
  symlinkSync(elsewhere, join(work, "mine"));
  const asked = { task_id: task, tool_name: "read_files", args: { path: "x" } };
  expect((await server.post("/tools/execute", auth, asked)).body).toMatchObject({
    code: "BYLAW_WORKSPACE_TAKEN",
  });
  await server.close();
});
