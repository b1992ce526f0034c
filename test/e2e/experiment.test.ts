// `bylaw experiment` over real stores and with real processes.
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { policy } from "@bylaw/plugin-policy";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { describe, expect, test } from "vitest";
import { bylaw, bylawHere, jsonLines, scratch, type Ran } from "./bylaw.ts";
import { beginWalk, HANDED, SHIPPED, walkTo } from "./workflow-walk-kit.ts";

const rules = (publishing: string): string => `
[[rules]]
name = "look"
action = "allow"
command = "ls *"

[[rules]]
name = "publishing"
action = "${publishing}"
command = "npm publish *"

[[rules]]
name = "no-secrets"
action = "deny"
paths = ["**/.env"]
`;
const POLICIES = { "a.toml": rules("ask_user"), "b.toml": rules("allow") };

interface Summary {
  readonly runs: number;
  readonly summary: { readonly calls: number; readonly flips: number };
  readonly figures: readonly Record<string, unknown>[];
}
const summaryOf = (ran: Ran): Summary => jsonLines(ran).at(-1) as unknown as Summary;

/** A project with a store of so many runs. In each, the agent publishes once more than in the run before. */
async function recorded(runs: number): Promise<string> {
  const cwd = scratch(POLICIES);
  const store = await openSqliteStore(join(cwd, ".bylaw/store.db"));
  const kernel = createKernel({
    plugins: [policy({ text: POLICIES["a.toml"], discover: "none" })],
  });
  for (let at = 1; at <= runs; at += 1) {
    const run = await openRun(kernel, { run: `r${at}`, store });
    const lines = ["ls src", "cat .env", ...Array.from({ length: at }, () => "npm publish x")];
    for (const [id, command] of lines.entries())
      await run.toolCall({ tool: "bash", args: { command }, cwd, id: `${id}` });
    await run.close();
  }
  await store.close();
  return cwd;
}

describe("bylaw experiment replay", () => {
  test("compares two policies over all runs of the project, run by run", async () => {
    const cwd = await recorded(12);
    const ran = bylaw("experiment replay --a a.toml --b b.toml", { cwd });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/^run r1\nask_user → allow #4 bash /);
    expect(ran.stdout).toContain("\n58 more with --json\n");
    expect(ran.stdout).toContain(
      "\n102 decisions: 24 the same, 78 flips (ask_user → allow 78)\n\nPer run, over 12 runs\n",
    );
    expect(ran.stdout).toMatch(
      /^questions +6\.5 +0 +-6\.5 +-8\.\d+ to -4\.\d+ +b has fewer questions$/m,
    );
    expect(ran.stdout).toMatch(/^denials +1 +1 +0 +0 to 0 +no difference shown$/m);
  });

  test("prints each flip with its run, and the figures, as JSON", async () => {
    const cwd = await recorded(2);
    const lines = jsonLines(
      await bylawHere("experiment replay --a a.toml --b b.toml --json", { cwd }),
    );
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatchObject({ run: "r1", flip: { recorded: { effect: "ask_user" } } });
    expect(lines.at(-1)).toMatchObject({
      ...{ runs: 2, summary: { calls: 7, flips: 3 } },
      figures: [
        { figure: "blocked", verdict: "not_enough_data" },
        { figure: "questions", a: { units: 2, value: 1.5 }, b: { units: 2, value: 0 } },
        { figure: "denials" },
      ],
    });
  });

  test("looks only at the named run, and only at what was decided since a time", async () => {
    const cwd = await recorded(3);
    const replay = async (...more: readonly string[]): Promise<Summary> =>
      summaryOf(
        await bylawHere(
          ["experiment", "replay", "--a", "a.toml", "--b", "b.toml", "--json", ...more],
          { cwd },
        ),
      );
    expect(await replay("--run", "r3")).toMatchObject({ runs: 1, summary: { calls: 5, flips: 3 } });
    expect(await replay("--since", "1h")).toMatchObject({ runs: 3, summary: { calls: 12 } });
    expect(await replay("--since", "2099-01-01T00:00:00Z")).toMatchObject({ runs: 0, figures: [] });
  });

  test("decides the transitions of a task again under two contracts", async () => {
    const walk = await beginWalk();
    await walkTo(walk, "IMPL");
    await walk.move("REVIEW", HANDED.code);
    walk.put("a.yaml", SHIPPED);
    walk.put(
      "b.yaml",
      SHIPPED.replace(
        'type: "approval" # Requires human/orchestrator approval',
        'type: "validation"',
      )
        .replace('approvers: ["human", "orchestrator"]', "")
        .replace("timeout_seconds: 3600", ""),
    );
    const replay = async (b: string): Promise<Summary> =>
      summaryOf(
        await bylawHere(`experiment replay --a a.yaml --b ${b} --json`, { cwd: walk.folder }),
      );
    expect(await replay("a.yaml")).toMatchObject({ summary: { flips: 0 } });
    const loosened = await replay("b.yaml");
    // The approval was given under another contract, so the request that had it waits under `a` too.
    expect(loosened.summary).toMatchObject({ flips: 2, by_kind: { "deny → allow": 2 } });
    expect(loosened.figures[0]).toMatchObject({ figure: "blocked", difference: { value: -2 } });
  });

  test.each([
    ["", "`--a <version>` is missing"],
    ["--a a.toml --b missing.toml", "File not found"],
    ["--a a.toml --b missing.ts", "File not found: missing.ts"],
    ["--a a.toml --b b.toml --store none.db", "File not found: none.db"],
    ["--a a.toml --b b.toml --since soon", "`--since` takes a time"],
    ["--a a.toml --b b.toml", "there is no `.bylaw/store.db`"],
  ])("refuses %j", async (options, message) => {
    const ran = await bylawHere(`experiment replay ${options}`.trim(), { cwd: scratch(POLICIES) });
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(message);
  });
});
