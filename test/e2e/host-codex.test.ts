import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codex } from "@bylaw/host-codex";
import { expect, test } from "vitest";
import { bylaw, type Ran } from "./bylaw.ts";
import { deskOf } from "./hosts-kit.ts";

const blocks = ({ code, stdout, stderr }: Ran): boolean =>
  codex.blocks({ stdout, stderr, exit: code });

test("a question becomes a deny with an id, and a person's yes lets exactly that call run once", () => {
  const desk = deskOf({}, ".codex/hooks.json", () => ({}));
  expect(desk.bylaw("install", "codex")).toMatchObject({ code: 0, stderr: "" });
  const ask = (id: string, command: string): Ran =>
    desk.event({
      ...{ session_id: "s", turn_id: "t", transcript_path: null, cwd: desk.project },
      ...{ hook_event_name: "PreToolUse", model: "m", permission_mode: "default" },
      ...{ tool_name: "Bash", tool_input: { command }, tool_use_id: id },
    });
  const install = "npm install left-pad";
  const asked = ask("1", install);
  expect(blocks(asked)).toBe(true);
  const [, question = ""] = /approve yes ([0-9a-f]{16}) /.exec(asked.stdout) ?? [];

  const rules = join(desk.home, ".config/bylaw");
  const token = "t".repeat(40);
  const digest = createHash("sha256").update(token).digest("hex");
  mkdirSync(join(rules, ".bylaw"), { recursive: true });
  writeFileSync(
    join(rules, ".bylaw/operators.json"),
    JSON.stringify({ operators: [{ name: "ada", token: `sha256:${digest}` }] }),
    { mode: 0o600 },
  );
  const where = ["--store", join(rules, ".bylaw/store.db"), "--run", "codex"];
  const yes = ["approve", "yes", question, ...where, "--config", join(rules, "bylaw.config.json")];
  const env = { HOME: desk.home, BYLAW_OPERATOR_TOKEN: token };
  expect(bylaw(yes, { cwd: desk.project, env })).toMatchObject({ code: 0 });

  expect(blocks(ask("2", "npm install other"))).toBe(true);
  expect(ask("3", install)).toEqual({ code: 0, stdout: "{}", stderr: "" });
  // Two hooks that receive the same call get the same answer.
  expect(ask("3", install).stdout).toBe("{}");
  expect(blocks(ask("4", install))).toBe(true);
});

test("what cannot be judged is a deny in JSON, because after any other failure Codex runs the call", () => {
  const desk = deskOf({}, ".codex/hooks.json", () => ({}));
  desk.bylaw("install", "codex");
  for (const input of ["", "no event", '{"a":1,"a":2}'])
    expect([desk.event(input).code, blocks(desk.event(input))]).toEqual([0, true]);
  const broken = deskOf({}, ".codex/hooks.json", () => ({}));
  broken.bylaw("install", "codex");
  writeFileSync(join(broken.home, ".config/bylaw/bylaw.config.json"), "{");
  const call = codex.shellCall("ls", broken.project);
  expect(blocks(broken.event(call))).toBe(true);
});
