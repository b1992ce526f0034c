import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isRoot, NOBODY } from "@bylaw/process";
import { readCases } from "@bylaw/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { bylaw, json, scratch, start } from "./bylaw.ts";

// Other suites of this worker may have set it. These servers must create their own.
const SECRET = "ORCHESTRATOR_JWT_SECRET";
const before = process.env[SECRET];
beforeAll(() => Reflect.deleteProperty(process.env, SECRET));
afterAll(() => {
  if (before !== undefined) process.env[SECRET] = before;
});

const CONTRACT = readFileSync(
  new URL(import.meta.resolve("@bylaw/ruleset-tdd/package.json")).pathname.replace(
    "package.json",
    "agent_workflow.yaml",
  ),
  "utf8",
);
// No server may run as root in a workspace of root.
function project(files: Readonly<Record<string, string>> = {}): string {
  const folder = scratch({ "agent_workflow.yaml": CONTRACT, ...files });
  if (isRoot()) chownSync(folder, NOBODY.uid, NOBODY.gid);
  return folder;
}

/** Starts the real command, and waits until it prints where it listens. */
async function serving(cwd: string, ...args: readonly string[]) {
  const child = start(["serve", "--port", "0", "--json", ...args], cwd);
  onTestFinished(() => void child.kill("SIGKILL"));
  let errors = "";
  child.stderr?.on("data", (part: Buffer) => (errors += part.toString()));
  if (child.stdout === null) throw new Error("The child has no output");
  for await (const line of createInterface({ input: child.stdout })) {
    const { url } = JSON.parse(line) as { readonly url: string };
    return { url, child, errors: () => errors };
  }
  throw new Error(`The server ended: ${errors}`);
}

const claim = (url: string, secret: string, wish: object = {}): Promise<Response> =>
  fetch(`${url}/tasks/claim`, {
    ...{
      method: "POST",
      headers: { authorization: `Bylaw-Enrol ${secret}`, "content-type": "application/json" },
    },
    body: JSON.stringify({ agent_id: "ann", ...wish }),
  });

describe("bylaw serve", () => {
  test("begins with nothing but a contract, and continues after a kill", async () => {
    const cwd = project();
    const first = await serving(cwd);
    const secret = readFileSync(join(cwd, ".bylaw/enrol.secret"), "utf8").trim();
    for (const name of ["enrol.secret", "token.secret"])
      expect(statSync(join(cwd, ".bylaw", name)).mode & 0o777).toBe(0o600);
    expect((await claim(first.url, "wrong".repeat(10))).status).toBe(401);
    const claimed = (await (await claim(first.url, secret)).json()) as {
      readonly phase: string;
      readonly phase_token: string;
      readonly task: { readonly id: string };
    };
    expect(claimed.phase).toBe("PLAN");
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    const second = await serving(cwd);
    const tools = await fetch(`${second.url}/tools`, {
      headers: { authorization: `Bearer ${claimed.phase_token}` },
    });
    expect((await tools.json()) as object).toMatchObject({ phase: "PLAN" });
    expect(
      (
        (await (await claim(second.url, secret, { task_id: claimed.task.id })).json()) as {
          readonly task: { readonly id: string };
        }
      ).task.id,
    ).toBe(claimed.task.id);
    expect((await fetch(`${second.url}/openapi.json`)).status).toBe(200);
    second.child.kill("SIGTERM");
    const [code] = (await once(second.child, "exit")) as [number];
    expect(code).toBe(0);
    expect(second.errors()).not.toContain(secret);
    expect(first.errors() + second.errors()).not.toContain(claimed.phase_token);
  });

  test("serves HTTPS with the certificate of `--tls-cert` and the key of `--tls-key`", async () => {
    const [cert, key] = ["cert", "key"].map((name) =>
      fileURLToPath(
        new URL(`../../packages/orchestrator/test/fixtures/${name}.pem`, import.meta.url),
      ),
    ) as [string, string];
    const { url } = await serving(project(), "--tls-cert", cert, "--tls-key", key);
    const trusted = { ca: readFileSync(cert), checkServerIdentity: () => undefined };
    const [answer] = (await once(get(`${url}/health`, trusted), "response")) as [IncomingMessage];
    answer.resume();
    expect([new URL(url).protocol, answer.statusCode]).toEqual(["https:", 200]);
  });

  test("exits at once when it is told a second time, and reports no error", async () => {
    const cwd = project();
    const { url, child, errors } = await serving(cwd);
    const secret = readFileSync(join(cwd, ".bylaw/enrol.secret"), "utf8").trim();
    const { hostname, port } = new URL(url);
    const slow = connect(Number(port), hostname).on("error", () => {});
    onTestFinished(() => void slow.destroy());
    // A request with an unfinished body delays the first attempt to end.
    const head = `Host: x\r\nAuthorization: Bylaw-Enrol ${secret}\r\nContent-Type: application/json\r\nContent-Length: 100`;
    slow.write(`POST /api/v1/tasks/claim HTTP/1.1\r\n${head}\r\nExpect: 100-continue\r\n\r\n`);
    await once(slow, "data");
    child.kill("SIGTERM");
    while (!errors().includes("the server ends")) await once(child.stderr ?? child, "data");
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([2, null]);
    expect(errors()).not.toContain("BYLAW_COMMAND_FAILED");
  });

  test("prints every setting and no secret, and the page names them all", () => {
    const cwd = project({ "bylaw.serve.json": '{"run":"release-7","limits":{"batch":9}}' });
    const env = {
      BYLAW_OPERATOR_TOKEN: "a-token-that-nobody-is-shown-in-here",
      BYLAW_PORT: "9000",
    };
    const ran = bylaw("serve --port 9001 --print-config", { cwd, env });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).not.toContain("nobody-is-shown");
    const { settings, secrets } = JSON.parse(ran.stdout) as {
      readonly settings: Record<string, { readonly value: unknown; readonly from: string }>;
      readonly secrets: object;
    };
    expect(settings["port"]).toEqual({ value: 9001, from: "flag" });
    expect(settings["limits.batch"]).toEqual({ value: 9, from: join(cwd, "bylaw.serve.json") });
    expect(secrets).toMatchObject({
      operator_token: "in the environment as BYLAW_OPERATOR_TOKEN: ***",
    });
    expect(existsSync(join(cwd, ".bylaw"))).toBe(false);
    const page = readFileSync(
      fileURLToPath(new URL("../../packages/orchestrator/README.md", import.meta.url)),
      "utf8",
    );
    const [, table = ""] = /<!-- settings -->([\s\S]*)<!-- \/settings -->/.exec(page) ?? [];
    const named = [...table.matchAll(/^\| `([\w.]+)`/gm)].map(([, name = ""]) => name);
    expect(named).toEqual(expect.arrayContaining(Object.keys(settings)));
    for (const name of named.filter((one) => !(one in settings)))
      expect(
        ["contract", "config", "store", "status"].includes(name) ||
          /^(tls|auth|oversight|notify)\./.test(name),
      ).toBe(true);
  });

  test.each<[string, readonly string[], string]>(
    readCases<[string, string[], string]>(import.meta, "refused"),
  )("with %s reports it and does not start", (_, args, code) => {
    const cwd = project({ "bylaw.config.mjs": "export default { plugins: [] };" });
    const env = { BYLAW_ENROL_SECRET: "e".repeat(40), BYLAW_JWT_SECRET: "j".repeat(40) };
    const ran = bylaw(["serve", ...args, "--json"], { cwd, env });
    expect({ code: ran.code, error: json(ran)["error"] }).toMatchObject({
      code: 2,
      error: { code },
    });
    expect(ran.stdout + ran.stderr).not.toContain("hunter2");
  });

  test.runIf(isRoot())(
    "refuses to run as root in a workspace of root, unless an option allows it",
    async () => {
      const cwd = project();
      chownSync(cwd, 0, 0);
      mkdirSync(join(cwd, "work"));
      const ran = bylaw("serve --port 0", { cwd });
      expect([ran.code, ran.stderr]).toEqual([
        2,
        expect.stringMatching(/runs as root.*belongs to root.*--allow-root/s),
      ]);
      expect(existsSync(join(cwd, ".bylaw/enrol.secret"))).toBe(false);
      const { errors } = await serving(cwd, "--allow-root");
      expect(errors()).toContain("the programs of agents run as root");
    },
  );
});
