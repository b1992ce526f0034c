// The action for pull requests, as a runner starts it: inputs by environment, a fake event, and a service on the loopback.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { root } from "../contract/workspaces.ts";
import { scratch } from "./bylaw.ts";

const run = promisify(execFile);

const POLICY = `default = "ask_user"
[[rules]]
name = "no-force-push"
action = "deny"
command = "git push --force *"
`;
const CONFIG = { plugins: [{ use: "@bylaw/plugin-policy", options: { files: ["policy.toml"] } }] };
const caseOf = (must: string) =>
  `${JSON.stringify({ id: "force", tool: "bash", args: { command: "git push -f" }, must })}\n`;
const allowed = (command: string) =>
  `${JSON.stringify({
    ...{ timestamp: "2026-01-17T09:00:01Z", session_id: "11111111-1111-4111-8111-111111111111" },
    ...{ sequence: 1, event_type: "tool_allowed", agent_id: null, task_id: null },
    details: {
      tool: "bash",
      args: { command },
      decision: { effect: "allow", code: "rule_allowed" },
    },
  })}\n`;
const HOSTILE = "git push -f; echo '</code><img src=x> | @everyone [a](b)'";

interface Comment {
  readonly id: number;
  readonly user: { readonly type: "Bot" | "User" };
  body: string;
}

/** Serves the comments of pull request 7. */
async function startService(comments: Comment[], status = 200) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const { body = "" } =
      request.method === "GET" ? {} : ((await json(request)) as Partial<Comment>);
    if (request.method === "POST") comments.push({ id: 9, user: { type: "Bot" }, body });
    if (request.method === "PATCH")
      for (const one of comments) if (request.url?.endsWith(`/${one.id}`)) one.body = body;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(request.method === "GET" ? comments : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** Runs the action in a project with these files. */
async function act(url: string, files: Readonly<Record<string, string>>, event = "pull_request") {
  const folder = scratch({
    "policy.toml": POLICY,
    "bylaw.config.json": JSON.stringify(CONFIG),
    "cases.jsonl": caseOf("deny"),
    "log.jsonl": allowed("git push -f"),
    "event.json": JSON.stringify({ pull_request: { number: 7 } }),
    ...files,
  });
  mkdirSync(join(folder, "node_modules/@bylaw"), { recursive: true });
  symlinkSync(join(root, "packages/cli"), join(folder, "node_modules/@bylaw/cli"));
  const env = {
    PATH: process.env["PATH"],
    GITHUB_WORKSPACE: folder,
    GITHUB_EVENT_NAME: event,
    GITHUB_EVENT_PATH: join(folder, "event.json"),
    GITHUB_REPOSITORY: "you/project",
    GITHUB_API_URL: url,
    GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
    GITHUB_OUTPUT: join(folder, "output"),
    RUNNER_TEMP: folder,
    ...{ INPUT_DIRECTORY: ".", INPUT_CASES: "cases.jsonl", INPUT_LOG: "log.jsonl" },
    ...{ INPUT_COMMENT: "true", INPUT_TOKEN: "secret-token" },
  };
  const ended = await run(process.execPath, [join(root, "action/index.js")], { env }).then(
    (output) => ({ code: 0, ...output }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  const { code, stdout, stderr } = ended;
  expect(stdout + stderr).not.toContain("secret-token");
  return { code, stdout, stderr, read: (file: string) => readFileSync(join(folder, file), "utf8") };
}

it("shows which recorded decisions change, and rewrites its own comment only", async () => {
  const comments: Comment[] = [{ id: 1, user: { type: "User" }, body: "<!-- bylaw -->\nmine" }];
  const { url, asked } = await startService(comments);
  const first = await act(url, { "log.jsonl": allowed("git push -f") + allowed(HOSTILE) });
  expect(first.code).toBe(0);
  expect(first.read("output")).toContain("changes=2");
  expect(comments).toHaveLength(2);
  const [theirs, ours] = comments;
  expect(theirs?.body).toBe("<!-- bylaw -->\nmine");
  expect(ours?.body).toContain("2 decisions of 2 would change");
  expect(ours?.body).toContain("no-force-push");
  expect(ours?.body).not.toMatch(/<img|@everyone|\]\(b\)|<\/code><img/);
  expect(first.read("summary.md")).toBe(ours?.body.replace("<!-- bylaw -->\n", ""));

  await act(url, { "log.jsonl": allowed("git status") });
  expect(comments).toHaveLength(2);
  expect(ours?.body).toContain("1 decision of 1 would change");
  expect(asked.at(-1)).toBe("PATCH /repos/you/project/issues/comments/9");
});

it("fails for an error in a policy, beside its line and as SARIF", async () => {
  const { url } = await startService([]);
  const files = { "policy.toml": `${POLICY}effect = "deny"\n` };
  const { code, stdout, read } = await act(url, files);
  expect(code).toBe(1);
  expect(stdout).toContain("::error file=policy.toml,line=6::Unknown key `effect`");
  const { runs } = JSON.parse(read("bylaw.sarif")) as { runs: { results: object[] }[] };
  expect(runs[0]?.results[0]).toMatchObject({
    level: "error",
    locations: [{ physicalLocation: { artifactLocation: { uri: "policy.toml" } } }],
  });
});

it("fails for a case that fails, and where no comment can be written it says so", async () => {
  const { url } = await startService([], 403);
  const { code, stdout, read } = await act(url, { "cases.jsonl": caseOf("allow") });
  expect(code).toBe(1);
  expect(stdout).toContain("::warning::No comment written");
  expect(read("summary.md")).toContain("0 of 1 case passed");
  expect(read("summary.md")).toContain("Got &#96;deny&#96; instead");
});

it("fails where a configuration ends the command", async () => {
  const { url } = await startService([]);
  const quits = {
    "bylaw.config.json": '{"extends":["./quits.mjs"]}',
    "quits.mjs": "process.exit(0)",
  };
  expect((await act(url, quits)).code).toBe(1);
});

it("refuses events that lend a stranger's branch a token", async () => {
  const { url, asked } = await startService([]);
  const { code, stderr } = await act(url, {}, "pull_request_target");
  expect([code, asked]).toEqual([1, []]);
  expect(stderr).toContain("Use `pull_request`");
});
