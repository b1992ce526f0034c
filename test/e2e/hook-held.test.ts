// A held hook: Claude Code waits for it until a person answers, and no agent can answer in the person's place.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { callQuestionId } from "@bylaw/log";
import { describe, expect, onTestFinished, test } from "vitest";
import { OPERATORS, TOKENS } from "./approve-kit.ts";
import { BIN, bylaw, bylawHere, jsonLines, type Ran } from "./bylaw.ts";
import { CLIENT, engineDesk, enginesIn, type EngineDesk } from "./engine-kit.ts";
import { bash, blocks, deskOf, eventsOf, type SessionDesk } from "./hook-sessions-kit.ts";

/** Where the packages of this project are installed. */
const SCOPE = fileURLToPath(new URL("../../node_modules/@bylaw", import.meta.url));
const PUBLISH = bash("npm publish x");

/** Rules that do not look back, so the session has no state. */
const STATELESS = `
[[rules]]
name = "publishing"
action = "ask_user"
command = "npm publish *"
`;

const POLLED = { timeout: 20_000 };

const verdictOf = ({ stdout }: Ran): unknown => {
  const { hookSpecificOutput: output } = JSON.parse(stdout) as Record<
    string,
    Record<string, unknown>
  >;
  return [output?.["permissionDecision"], output?.["permissionDecisionReason"]];
};

interface Held extends SessionDesk {
  /** Calls the installed hook. */
  readonly asks: (event: object, seconds?: number) => Promise<Ran>;
  readonly approve: (args: readonly string[], token?: string) => Promise<Ran>;
  /** The ids of the open questions, once there are so many. */
  readonly questions: (count: number) => Promise<readonly string[]>;
}

function heldDesk(files?: Readonly<Record<string, string>>): Held {
  const desk = deskOf("claude-code", files);
  const { root, hook } = desk.desk;
  mkdirSync(join(root, ".bylaw"), { mode: 0o700 });
  writeFileSync(join(root, ".bylaw/operators.json"), OPERATORS, { mode: 0o600 });
  const approve: Held["approve"] = (args, token = "") =>
    bylawHere(["approve", ...args, "--config", "bylaw.config.json"], {
      ...{ cwd: root, env: { BYLAW_OPERATOR_TOKEN: token } },
    });
  return {
    ...desk,
    approve,
    asks: (event, seconds = 60) => hook(event, { args: ["--wait", String(seconds)] }),
    async questions(count) {
      let ids: readonly string[] = [];
      const open = async (): Promise<number> => {
        // There may be no store yet.
        const listed = jsonLines(await approve(["list", "--json"])) as readonly {
          readonly id?: string;
        }[];
        ids = listed.flatMap(({ id }) => (id === undefined ? [] : [id]));
        return ids.length;
      };
      await expect.poll(open, POLLED).toBe(count);
      return ids;
    },
  };
}

const typesIn = async (desk: EngineDesk): Promise<readonly string[]> =>
  (await eventsOf(desk)).map(({ event_type }) => event_type);

describe("a held hook", () => {
  test("goes on when a person says yes to exactly its call", async () => {
    const { desk, call, asks, approve, questions } = heldDesk();
    const first = asks(call(PUBLISH, { id: "t1" }));
    const [id = ""] = await questions(1);
    expect(await approve(["yes", id], TOKENS.ada)).toMatchObject({ code: 0 });
    expect(verdictOf(await first)).toEqual(["allow", expect.stringContaining("ada")]);
    expect(await typesIn(desk)).toEqual([
      ...["session_start", "tool_asked", "approval_granted", "tool_allowed"],
    ]);
    // The yes is used up, and other calls are answered by the engine at once.
    expect(enginesIn(desk.folder)).toHaveLength(1);
    expect(blocks(await asks(call(bash("npm test"))))).toBe(false);
    const again = asks(call(PUBLISH, { id: "t2" }));
    const [other = ""] = await questions(1);
    expect(other).not.toBe(id);
    expect((await approve(["no", other, "--reason", "Not on a Friday"], TOKENS.ada)).code).toBe(0);
    expect(verdictOf(await again)).toEqual(["deny", "ada said no: Not on a Friday"]);
  });

  test.each([
    ["with a state", "claude-code-s1", undefined],
    ["without a state", "claude-code", { "rules.toml": STATELESS }],
  ])("that nobody answers leaves the call to the agent's own dialog, %s", async (_, run, files) => {
    const { desk, call, asks, approve, questions } = heldDesk(files);
    expect(verdictOf(await asks(call(PUBLISH), 1))).toMatchObject(["ask", expect.any(String)]);
    // Its question has expired. A yes to it would allow a later call that nobody looked at.
    await questions(0);
    const asked = (await eventsOf(desk, run)).find(({ event_type }) => event_type === "tool_asked");
    const id = asked === undefined ? "" : callQuestionId(run, asked);
    for (const args of [
      ["show", id],
      ["yes", id],
      ["no", id, "--reason", "Late"],
    ]) {
      const { code, stderr } = await approve(args, TOKENS.ada);
      expect(code).not.toBe(0);
      expect(stderr).toContain(`The question \`${id}\` has expired`);
    }
    // The call made again is another question, and a yes to it is for one call.
    const again = asks(call(PUBLISH));
    const [other = ""] = await questions(1);
    expect((await approve(["show", other])).stdout).toMatch(/until {5}20/);
    expect((await approve(["yes", other], TOKENS.ada)).code).toBe(0);
    expect(verdictOf(await again)).toEqual(["allow", expect.stringContaining("ada")]);
    expect(verdictOf(await asks(call(PUBLISH), 1))).toMatchObject(["ask", expect.any(String)]);
  });

  test("that does not wait has no question left once the agent's own dialog let the call run", async () => {
    const { desk, call, questions } = heldDesk();
    const asked = call(PUBLISH);
    expect(verdictOf(await desk.hook(asked))).toMatchObject(["ask", expect.any(String)]);
    await questions(1);
    const returned = { hook_event_name: "PostToolUse", tool_response: { interrupted: false } };
    await desk.hook({ ...asked, ...returned });
    await questions(0);
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "that the host ends with %s has no question left, long before its time is over",
    async (name) => {
      const { desk, call, approve, questions } = heldDesk();
      const config = join(desk.root, "bylaw.config.json");
      const args = [BIN, "hook", "claude-code", "--config", config, "--wait", "600"];
      const hook = spawn(process.execPath, args, { cwd: desk.root });
      hook.stdin.end(JSON.stringify(call(PUBLISH)));
      const [id = ""] = await questions(1);
      expect((await approve(["list"])).stdout).toMatch(/ until 20\S+: Bash /);
      hook.kill(name);
      await once(hook, "close");
      await questions(0);
      expect((await approve(["yes", id], TOKENS.ada)).code).not.toBe(0);
      expect(await typesIn(desk)).toEqual(["session_start", "tool_asked", "tool_asked"]);
    },
  );

  test.each([
    ["the hook itself", [BIN]],
    ["the client of the engine", [CLIENT, BIN]],
  ])("whose host is killed has no question left: %s", async (_, programs) => {
    const { desk, call, questions } = heldDesk();
    const config = join(desk.root, "bylaw.config.json");
    const args = [...programs, "hook", "claude-code", "--config", config, "--wait", "600"];
    // The host keeps its end of the pipe open, and leaves its hook behind.
    const host = spawn(
      process.execPath,
      [
        "-e",
        `const { spawn } = require("node:child_process");
        const hook = spawn(process.execPath, ${JSON.stringify([...args, "--engine", desk.folder])});
        hook.stdin.end(${JSON.stringify(JSON.stringify(call(PUBLISH)))});
        setInterval(() => {}, 1_000);`,
      ],
      { cwd: desk.root },
    );
    onTestFinished(() => void host.kill("SIGKILL"));
    await questions(1);
    host.kill("SIGKILL");
    await questions(0);
    expect(await typesIn(desk)).toEqual(["session_start", "tool_asked", "tool_asked"]);
  });

  test("is not released by an agent, nor by a yes to another call", async () => {
    const { desk, call, asks, approve, questions } = heldDesk();
    let released: Ran | undefined;
    const held = asks(call(PUBLISH, { id: "t1" })).then((ran) => (released = ran));
    const [id = ""] = await questions(1);
    // Its shell has no token and no terminal, and no other token is one. Records of a person cannot be written by hand.
    for (const [args, token] of [
      [["yes", id, "--by", "ada"], ""],
      [["yes", id], "guessed"],
      [["no", id, "--reason", "free me"], ""],
    ] as const)
      expect([args, (await approve(args, token)).code]).toEqual([args, 1]);
    const forged = { event_type: "approval_granted", details: { digest: "x", by: "ada" } };
    const appended = bylaw(
      ["log", "append", "--run", "claude-code-s1", "--store", ".bylaw/store.db"],
      { ...{ cwd: desk.root, input: JSON.stringify(forged) } },
    );
    expect(appended.code).not.toBe(0);
    const second = asks(call(bash("npm publish y"), { id: "t2" }));
    const other = (await questions(2)).find((one) => one !== id);
    expect(await approve(["yes", String(other)], TOKENS.ada)).toMatchObject({ code: 0 });
    expect(verdictOf(await second)).toMatchObject(["allow", expect.any(String)]);
    expect(released).toBeUndefined();
    expect((await approve(["no", id, "--reason", "No"], TOKENS.ada)).code).toBe(0);
    expect(blocks(await held)).toBe(true);
  });

  test("goes on with a yes to a rule of a ruleset that the project has installed", async () => {
    const extending = JSON.stringify({ extends: ["@bylaw/ruleset-recommended"] });
    const { desk, call, asks, approve, questions } = heldDesk({ "bylaw.config.json": extending });
    // The hook takes its own copy of the same version, and `bylaw approve` takes this one.
    mkdirSync(join(desk.root, "node_modules"));
    symlinkSync(SCOPE, join(desk.root, "node_modules/@bylaw"));
    const held = asks(call(bash("npm install left-pad")));
    const [id = ""] = await questions(1);
    expect(await approve(["yes", id], TOKENS.ada)).toMatchObject({ code: 0, stderr: "" });
    expect(verdictOf(await held)).toEqual(["allow", expect.stringContaining("ada")]);
  });

  test("shares its yes with no other hook that holds the same call", async () => {
    const { desk, call, asks, approve, questions } = heldDesk();
    const both = ["t1", "t2"].map(async (id) => asks(call(PUBLISH, { id })));
    await expect
      .poll(
        async () => (await typesIn(desk)).filter((type) => type === "tool_asked").length,
        POLLED,
      )
      .toBe(2);
    const [id = ""] = await questions(1);
    expect((await approve(["yes", id], TOKENS.ada)).code).toBe(0);
    const effects = (await Promise.all(both)).map((ran) => (verdictOf(ran) as string[])[0]);
    expect(new Set(effects)).toEqual(new Set(["allow", "ask"]));
    // Nothing waits for the answer to another question, so there is none.
    await questions(0);
  });

  test("is installed with the time that Claude Code waits, and only where a late hook blocks", () => {
    const { root: cwd } = engineDesk();
    const env = { HOME: cwd };
    const install = (args: string): Ran => bylaw(`install ${args}`, { cwd, env });
    expect(install("claude-code --project --config bylaw.config.json --wait 10m").code).toBe(0);
    const { hooks } = JSON.parse(
      readFileSync(join(cwd, ".claude/settings.local.json"), "utf8"),
    ) as { readonly hooks: Record<string, [{ hooks: [{ command: string; timeout: number }] }]> };
    expect(hooks["PreToolUse"]?.[0].hooks[0]).toMatchObject({
      timeout: 630,
      command: expect.stringMatching(/ --wait 600$/),
    });
    expect(hooks["Stop"]?.[0].hooks[0].timeout).toBe(30);
    const { stdout } = bylaw("doctor claude-code --json", { cwd, env });
    expect(stdout).toContain("The installed command blocks calls that it cannot judge");
    expect(install("codex --project --config bylaw.config.json --wait 10m")).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining("takes no `--wait`") },
    });
    expect(install("claude-code --project --wait 2h").stderr).toContain("at most 1h");
    expect(install("claude-code --project --client curl --wait 2m").code).toBe(2);
  });
});
