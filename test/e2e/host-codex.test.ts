import { createHash } from "node:crypto";
import { chmodSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codex } from "@bylaw/host-codex";
import { expect, test } from "vitest";
import { bylaw, type Ran } from "./bylaw.ts";
import { deskOf } from "./hosts-kit.ts";

const blocks = ({ code, stdout, stderr }: Ran): boolean =>
  codex.blocks({ stdout, stderr, exit: code });

/** Codex under the installed rules, or under a configuration, with a person who answers its questions. */
function codexDesk(files: Readonly<Record<string, string>> = {}, config?: string) {
  const rules = config === undefined ? ".config/bylaw" : "rules";
  const token = "t".repeat(40);
  const digest = createHash("sha256").update(token).digest("hex");
  const operators = { operators: [{ name: "ada", token: `sha256:${digest}` }] };
  const desk = deskOf(files, ".codex/hooks.json", () => ({}));
  const given = config === undefined ? [] : ["--config", join(desk.home, config)];
  expect(desk.bylaw("install", "codex", ...given)).toMatchObject({ code: 0, stderr: "" });
  desk.write(join(rules, ".bylaw/operators.json"), JSON.stringify(operators));
  chmodSync(join(desk.home, rules, ".bylaw/operators.json"), 0o600);
  const folder = join(desk.home, rules);
  let calls = 0;
  return {
    desk,
    ask: (command: string, id = `c${String((calls += 1))}`): Ran =>
      desk.event({
        ...{ session_id: "s", turn_id: "t", transcript_path: null, cwd: desk.project },
        ...{ hook_event_name: "PreToolUse", model: "m", permission_mode: "default" },
        ...{ tool_name: "Bash", tool_input: { command }, tool_use_id: id },
      }),
    approve: (asked: Ran): void => {
      const [, question = ""] = /approve yes ([0-9a-f]{16}) /.exec(asked.stdout) ?? [];
      const where = ["--store", join(folder, ".bylaw/store.db"), "--run", "codex"];
      const named = ["--config", join(folder, "bylaw.config.json")];
      const env = { HOME: desk.home, BYLAW_OPERATOR_TOKEN: token };
      const ran = bylaw(["approve", "yes", question, ...where, ...named], {
        ...{ cwd: desk.project, env },
      });
      expect(ran).toMatchObject({ code: 0 });
    },
  };
}

const RUNS = { code: 0, stdout: "{}", stderr: "" };

test("a question becomes a deny with an id, and a person's yes lets exactly that call run once", () => {
  const { ask, approve } = codexDesk();
  const install = "npm install left-pad";
  const asked = ask(install);
  expect(blocks(asked)).toBe(true);
  approve(asked);
  expect(blocks(ask("npm install other"))).toBe(true);
  expect(ask(install, "3")).toEqual(RUNS);
  // Two hooks that receive the same call get the same answer.
  expect(ask(install, "3").stdout).toBe("{}");
  expect(blocks(ask(install))).toBe(true);
});

const rule = (name: string, action: string, command: string, instead = ""): string =>
  `[[rules]]\nname = "${name}"\naction = "${action}"\ncommand = "${command}"\n${
    instead && `instead = { command = "${instead}" }\n`
  }`;
const configured = (...rules: readonly string[]) => ({
  "rules/policy.toml": rules.join("\n"),
  "rules/bylaw.config.json": JSON.stringify({
    extends: ["@bylaw/ruleset-recommended"],
    plugins: [{ use: "@bylaw/plugin-policy", options: { files: ["policy.toml"], operator: true } }],
  }),
});
const changedTo = ({ stdout }: Ran): unknown =>
  (JSON.parse(stdout) as { hookSpecificOutput?: { updatedInput?: { command: string } } })
    .hookSpecificOutput?.updatedInput?.command;

test("a yes for a call does not count for the one that its rule offers, nor the other way round", () => {
  const rules = [
    rule("old", "ask_user", "mkdir old", "mkdir new"),
    rule("new", "ask_user", "mkdir new"),
  ];
  const first = codexDesk(configured(...rules), "rules/bylaw.config.json");
  first.approve(first.ask("mkdir old"));
  expect(blocks(first.ask("mkdir new"))).toBe(true);
  expect(first.ask("mkdir old")).toEqual(RUNS);
  expect(blocks(first.ask("mkdir old"))).toBe(true);

  const second = codexDesk(configured(...rules), "rules/bylaw.config.json");
  second.approve(second.ask("mkdir new"));
  const original = second.ask("mkdir old");
  // It may run as the call that a person approved, and never as itself.
  expect(original.stdout).not.toBe("{}");
  if (!blocks(original)) expect(changedTo(original)).toBe("mkdir new");
});

test("an offered call is judged by where its paths lead", () => {
  const rules = [
    rule("other", "deny", "cat old.txt", "cat notes.txt"),
    rule("cat", "allow", "cat *"),
  ];
  const { desk, ask } = codexDesk(configured(...rules), "rules/bylaw.config.json");
  const notes = join(desk.project, "notes.txt");
  writeFileSync(notes, "text");
  expect(changedTo(ask("cat old.txt"))).toBe("cat notes.txt");
  rmSync(notes);
  writeFileSync(join(desk.project, ".env"), "KEY=x");
  symlinkSync(".env", notes);
  const denied = ask("cat old.txt");
  expect(blocks(denied)).toBe(true);
  expect(changedTo(denied)).toBeUndefined();
});

test("what cannot be judged is a deny in JSON, because after any other failure Codex runs the call", async () => {
  const desk = deskOf({}, ".codex/hooks.json", () => ({}));
  await desk.here("install", "codex");
  for (const input of ["", "no event", '{"a":1,"a":2}'])
    expect([desk.event(input).code, blocks(desk.event(input))]).toEqual([0, true]);
  const broken = deskOf({}, ".codex/hooks.json", () => ({}));
  await broken.here("install", "codex");
  writeFileSync(join(broken.home, ".config/bylaw/bylaw.config.json"), "{");
  const call = codex.shellCall("ls", broken.project);
  expect(blocks(broken.event(call))).toBe(true);
});
