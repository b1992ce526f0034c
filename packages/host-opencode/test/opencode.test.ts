import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  hookOutputJson,
  describeHost,
  findInstallFault,
  inspectSettings,
  installHooks,
} from "@bylaw/host";
import type { JsonObject } from "@bylaw/kernel";
import { describe, expect, it, onTestFinished } from "vitest";
import { opencode } from "../src/index.ts";

const CALL = {
  ...{ event: "tool_call", tool: "bash", args: { command: "echo hello > out.txt" } },
  ...{ id: "call_c1_0", session: "ses_1", cwd: "/home/u/project" },
};

describeHost(
  {
    host: opencode,
    payload: CALL,
    keys: { tool: "tool", args: "args", cwd: "cwd" },
    unknown: { ...CALL, event: "session_start" },
    session: [
      {
        payload: { event: "SessionStart", id: "ses_1", session: "ses_1", cwd: "/p" },
        ...{ type: "host_session_started", session: "ses_1" },
      },
      {
        payload: {
          event: "UserPromptSubmit",
          id: "msg_1",
          session: "ses_1",
          cwd: "/p",
          prompt: "hi",
        },
        ...{ type: "prompt_submitted", session: "ses_1", prompt: "hi" },
      },
      ...(["SubagentStart", "SubagentStop"] as const).map((event) => ({
        payload: { event, session: "ses_1", agent: "ses_2", cwd: "/p" },
        type:
          event === "SubagentStart" ? ("subagent_started" as const) : ("subagent_stopped" as const),
        ...{ session: "ses_1", agent: "ses_2" },
      })),
    ],
    returned: [0, 3].map((exit_code) => {
      const ok = exit_code === 0;
      return { payload: { ...CALL, event: "tool_result", exit_code, ok }, ok, exit_code };
    }),
    outcome: (output) => (opencode.blocks(output) ? "blocks" : "goes on"),
    changed: ({ stdout }) => hookOutputJson(stdout)["args"] as JsonObject | undefined,
  },
  { describe, it },
);

it("reports code and settings of a project that run next to it", () => {
  const home = mkdtempSync(join(tmpdir(), "bylaw-opencode-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const [place, project] = [{ home, cwd: home, env: {} }, join(home, "p")];
  const fault = () => findInstallFault(opencode, inspectSettings(opencode, place, project));
  const [target] = opencode.files(place, project);
  installHooks(opencode, target?.file ?? "", "node b.js hook opencode --config '/c.json'");
  mkdirSync(join(project, ".opencode/plugins/deep"), { recursive: true });
  writeFileSync(join(project, "opencode.jsonc"), '{ "model": "x" } // mine\n');
  expect(fault()).toBeUndefined();
  const code = join(project, ".opencode/plugins/deep/x.ts");
  writeFileSync(code, "export const X = async () => ({});\n");
  expect(fault()).toBe(`${code} has code that runs next to Bylaw and can change a call`);
  rmSync(code);
  writeFileSync(join(project, "opencode.jsonc"), '{ "plugin": ["x"] }');
  expect(fault()).toMatch(/opencode\.jsonc has `plugin`/);
});

const PARENTS: Readonly<Record<string, string>> = { deep: "sub", sub: "s1" };
const client = {
  session: {
    get: async ({ path: { id } }: { readonly path: { readonly id: string } }) => ({
      data: id === "lost" ? undefined : { id, parentID: PARENTS[id] },
    }),
  },
};

it("stops a call by throwing, as opencode requires", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bylaw-opencode-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "bylaw.mjs");
  // A hook that denies with the event itself as the reason.
  const deny = `node -p 'JSON.stringify({ deny: require("fs").readFileSync(0, "utf8") })' | tr -d '\\n'`;
  writeFileSync(file, opencode.ownFile?.(join(folder, "bylaw.js"), deny) ?? "");
  type Hooks = Record<string, (call: object, output: object) => Promise<void>>;
  const loaded = (await import(pathToFileURL(file).href)) as {
    Bylaw: (place: object) => Promise<Hooks>;
  };
  const hooks = await loaded.Bylaw({ client, directory: "/p" });
  const call = { tool: "bash", sessionID: "s1", callID: "c1" };
  const args = { command: "ls" };
  await expect(hooks["tool.execute.before"]?.(call, { args })).rejects.toThrow(
    JSON.stringify({ event: "tool_call", tool: "bash", args, id: "c1", session: "s1", cwd: "/p" }),
  );
  // A sub-agent has its own session, and a session that opencode does not know could be any.
  await expect(
    hooks["tool.execute.before"]?.({ ...call, sessionID: "deep" }, { args }),
  ).rejects.toThrow('"session":"s1","cwd":"/p","agent":"deep"');
  await expect(
    hooks["tool.execute.before"]?.({ ...call, sessionID: "lost" }, { args }),
  ).rejects.toThrow();
  const told = hooks["tool.execute.after"]?.({ ...call, args }, { metadata: { exit: 3 } });
  expect(await told).toBeUndefined();
});
