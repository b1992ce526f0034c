// FR-8 and the agents of its REQ-002: files of other tools may also define the agents that do the steps.
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bylawHere, json, scratch, workplace } from "./bylaw.ts";

const note = 'cat > "$BYLAW_STEP.$BYLAW_VISIT.txt"';
const commands = JSON.stringify({ "*": { run: { command: ["sh", "-c", note] } } });
const TOML = `[agent]
id = "planner"
name = "Planner"
description = "Plans"
prompt_path = "planner-prompt.txt"
engine = "gemini"
reasoning_effort = "medium"
`;
const page = (name: string, body: string): string =>
  `---\nname: ${name}\ndescription: Use it when: all is done\ntools: Read, Grep\nmodel: opus\n---\n\n${body}\n`;
const FILES = {
  "commands.json": commands,
  "agents/core/planner.toml": TOML,
  "agents/core/planner-prompt.txt": "You plan.\n",
  "agents/reviewer.md": page("reviewer", "You review."),
  "agents/idle.md": page("idle", "You are not asked."),
};
const older = (...ids: readonly string[]): string =>
  JSON.stringify({ name: "w", steps: ids.map((agentId) => ({ agentId, prompt: "Now." })) });
const AGENTS = ["--agents", "agents", "--agents", "commands.json"];

describe("agents of Radium and Markdown pages", () => {
  it("do the steps with their prompts, by the command that a file names for all", async () => {
    const { cwd, run } = workplace({ ...FILES, "w.json": older("planner", "reviewer") });
    const ran = await run(["run", "w.json", ...AGENTS]);
    expect(ran.code).toBe(0);
    const told = (step: string): string => readFileSync(join(cwd, `${step}.1.txt`), "utf8");
    expect([told("planner"), told("reviewer")]).toEqual([
      expect.stringContaining("You plan.\n\nNow."),
      expect.stringContaining("You review.\n\nNow."),
    ]);
    expect(ran.stderr).toMatch(/planner\.toml:6:1 warning .*`engine` has no effect/);
    expect(ran.stderr).toMatch(/reviewer\.md:4:1 warning .*`tools` has no effect: policies/);
  });

  it("need a command to run, unless no step names them", async () => {
    const { run } = workplace({ ...FILES, "w.json": older("planner", "reviewer") });
    expect(await run("run w.json --agents agents")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/'planner' has no command.*'reviewer' has no command/),
    });
    const plan = await run("template plan w.json --agents agents");
    expect(plan).toMatchObject({ code: 0, stdout: expect.not.stringContaining("idle") });
  });

  it("bring the loops and the calls that their steps may request", async () => {
    const more = `
[agent.loop_behavior]
steps = 3
max_iterations = 2
skip = ["ghost"]

[agent.trigger_behavior]
trigger_agent_id = "reviewer"
`;
    const { run } = workplace({
      ...FILES,
      "agents/core/planner.toml": `${TOML}${more}`,
      "w.json": older("reviewer", "planner"),
    });
    const shown = json(await run(["template", "show", "w.json", "--json", ...AGENTS]));
    expect(shown["template"]).toMatchObject({
      steps: [
        { loop: null, trigger: null },
        { loop: { steps: 1, max_iterations: 2, skip: [] }, trigger: "reviewer" },
      ],
    });
    const warnings = shown["warnings"] as readonly { readonly message: string }[];
    expect(warnings.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        "The loop of the agent `planner` goes 3 steps back, but only 1 come before it: it goes back to the first",
        "The loop of the agent `planner` skips `ghost`, which it does not repeat",
      ]),
    );
  });

  it("are read once: an agent that rewrites its own page changes nothing, and the change is detected", async () => {
    const rewrite = `${note}; echo "You rule." >> agents/reviewer.md`;
    const stop = `[ -e go ] || { echo '{"action":"checkpoint"}' > "$BYLAW_CONTROL_FILE"; }`;
    const { cwd, run } = workplace({
      ...FILES,
      "commands.json": JSON.stringify({
        planner: { run: { command: ["sh", "-c", `${rewrite}\n${stop}`] } },
        "*": { run: { command: ["sh", "-c", note] } },
      }),
      "w.json": older("planner", "reviewer"),
    });
    expect((await run(["run", "w.json", ...AGENTS])).code).toBe(3);
    const resumed = await run(["run", "w.json", "--resume", ...AGENTS]);
    expect(resumed.stderr).toContain("BYLAW_TEMPLATE_CHANGED");
    expect(existsSync(join(cwd, "reviewer.1.txt"))).toBe(false);
    writeFileSync(join(cwd, "agents/reviewer.md"), page("reviewer", "You review."));
    writeFileSync(join(cwd, "go"), "");
    expect((await run(["run", "w.json", "--run", "again", ...AGENTS])).code).toBe(0);
    expect(readFileSync(join(cwd, "reviewer.1.txt"), "utf8")).not.toContain("You rule.");
  });
});

describe("a folder of agents that somebody planted", () => {
  const validate = async (cwd: string): Promise<string> =>
    JSON.stringify(
      json(await bylawHere(["template", "validate", "w.json", ...AGENTS, "--json"], { cwd })),
    );

  it.each<[what: string, path: string, text: (outside: string) => string | undefined]>([
    ["a link to a file outside", "agents/leak.md", () => undefined],
    [
      "a prompt outside",
      "agents/leak.toml",
      (outside) => TOML.replace("planner-prompt.txt", outside),
    ],
    [
      "a prompt above",
      "agents/leak.toml",
      () => TOML.replace("planner-prompt.txt", "../../../etc/passwd"),
    ],
  ])("%s is not read", async (_, path, text) => {
    const outside = join(scratch({ "secret.md": page("leak", "the secret") }), "secret.md");
    const cwd = scratch({ ...FILES, "w.json": older("reviewer") });
    const written = text(outside);
    if (written === undefined) symlinkSync(outside, join(cwd, path));
    else writeFileSync(join(cwd, path), written.replace('"planner"', '"leak"'));
    const told = await validate(cwd);
    expect(told).toMatch(/lies outside the project|File not found/);
    expect(told).not.toContain("the secret");
  });

  it("a page of 50 MB is refused because of its size", async () => {
    const cwd = scratch({ ...FILES, "w.json": older("reviewer") });
    writeFileSync(join(cwd, "agents/large.md"), page("large", "x".repeat(50 * 2 ** 20)));
    expect(await validate(cwd)).toContain("at most 1048576 are read");
  });
});
