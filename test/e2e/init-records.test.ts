// What an agent did is on record from the first call after `bylaw init` and `bylaw install`.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { bylaw, json, scratch } from "./bylaw.ts";
import { endUis, startUi } from "./dashboard-kit.ts";
import { enginesIn, installedCommand, signal } from "./engine-kit.ts";

afterAll(endUis);

/** Reads the page's list of decisions, as a browser does. */
async function shownIn(cwd: string): Promise<readonly string[]> {
  const ui = await startUi(cwd);
  const headers = { "content-type": "application/json", origin: ui.origin };
  const body = JSON.stringify({ code: ui.url.split("#login=")[1] });
  const entered = await fetch(`${ui.origin}/api/v1/login`, { method: "POST", headers, body });
  const { token } = (await entered.json()) as { readonly token: string };
  const page = await fetch(`${ui.origin}/api/v1/decisions?run=claude-code-s1`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { rows } = (await page.json()) as {
    readonly rows: readonly { readonly summary: string }[];
  };
  await ui.stop();
  return rows.map(({ summary }) => summary);
}

test.each(["ts", "json"])(
  "a denied and an asked call of a new project are on record, with a configuration in %s",
  async (format) => {
    const cwd = scratch();
    const engine = join(cwd, "run");
    onTestFinished(() => enginesIn(engine).forEach((pid) => signal(pid, "SIGKILL")));
    const made = json(bylaw(["init", "--yes", "--json", "--format", format], { cwd }));
    expect(made["records"]).toEqual([".bylaw/store.db", ".bylaw/logs"]);
    const env = { HOME: cwd };
    const installed = bylaw(["install", "claude-code", "--project", "--engine", engine], {
      ...{ cwd, env },
    });
    expect(installed).toMatchObject({ code: 0, stderr: "" });
    const command = installedCommand(cwd);
    const decide = (line: string, id: string): unknown => {
      const event = {
        ...{ hook_event_name: "PreToolUse", session_id: "s1", cwd, tool_use_id: id },
        ...{ tool_name: "Bash", tool_input: { command: line } },
      };
      const ran = spawnSync("/bin/sh", ["-c", command], {
        ...{ cwd, input: JSON.stringify(event), encoding: "utf8" as const },
        env: { ...process.env, ...env },
      });
      expect(ran).toMatchObject({ status: 0, stderr: "" });
      return (JSON.parse(ran.stdout) as Record<string, Record<string, unknown>>)[
        "hookSpecificOutput"
      ]?.["permissionDecision"];
    };
    expect(decide("git push --force", "t1")).toBe("deny");
    expect(decide("npm install left-pad", "t2")).toBe("ask");

    expect(json(bylaw("report --json", { cwd }))).toMatchObject({
      runs: [{ run: "claude-code-s1" }],
      decisions: { totals: { allow: 0, ask_user: 1, deny: 1 } },
    });
    const { rules } = json(bylaw("suggest --json", { cwd })) as {
      readonly rules: { readonly never_fired: readonly string[] };
    };
    expect(rules.never_fired).toContain("no-recursive-delete");
    for (const rule of ["no-force-push", "ask-install"])
      expect(rules.never_fired).not.toContain(rule);
    expect((await shownIn(cwd)).slice(0, 2)).toEqual(["npm install left-pad", "git push --force"]);
    expect(bylaw("log verify .bylaw/logs/claude-code-s1.jsonl", { cwd })).toMatchObject({
      code: 0,
    });
    expect(enginesIn(engine)).toHaveLength(1);
  },
);
