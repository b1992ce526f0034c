import { createHash } from "node:crypto";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { createKernel, type EventDraft } from "@bylaw/kernel";
import { chainEvents, openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { describe, expect, test } from "vitest";
import { bylawHere, json, scratch, workplace } from "./bylaw.ts";
import { draft, logOf, rotated } from "./log-kit.ts";

const HOSTILE = "</script><img src=x onerror=alert(1)>|`[x](javascript:1)\u001b[2J";
const enforced = (second: number, agent_id: string, more: EventDraft["details"] = {}): EventDraft =>
  draft(second, "enforcement", {
    agent_id,
    details: {
      ...{
        round: 1,
        attempt: 1,
        max_attempts: 3,
        reason: "unknown_tool",
        tool_calls: ["execute_command"],
        error_message: "no",
      },
      ...{ buffer_preview: "", buffer_chars: 100, recovery: "restart", final: false, ...more },
    },
  });
const accepted = (
  second: number,
  agent_id: string,
  details: EventDraft["details"] = {},
): EventDraft => draft(second, "response_accepted", { agent_id, details });
const begin = draft(0, "session_start", { details: { plan_file: null, total_tasks: 0 } });

// Finished turns: one of a is ok at its third call and one at once, one of b is non-compliant, one of c is dropped. d is still
// working.
const FIRST = chainEvents(undefined, [
  begin,
  enforced(1, "a"),
  enforced(2, "a", { attempt: 2, reason: "no_tool_calls", tool_calls: [], buffer_chars: 40 }),
  accepted(3, "a"),
  accepted(4, "a", { progress: true }),
  accepted(5, "a"),
  enforced(6, "b", { round: 2, attempt: 3, final: true, recovery: "end", buffer_chars: 5_001 }),
  draft(7, "agent_dropped", { agent_id: "c", details: { reason: "timeout" } }),
]);
const SECOND = chainEvents(undefined, [
  begin,
  enforced(1, "a", { recovery: "inline", tool_calls: [HOSTILE] }),
  accepted(2, "a"),
  enforced(3, "d", { reason: "answer_novelty", tool_calls: ["new_answer"] }),
  draft(4, "infrastructure_event", { agent_id: "d", details: { kind: "api_error" } }),
]);
const files = { "one.jsonl": logOf(FIRST), "two.jsonl": logOf(SECOND) };
const report = (...args: readonly string[]) =>
  workplace(files).run(["report", "one.jsonl", "two.jsonl", ...args]);

describe("bylaw report", () => {
  test("counts turns, violations, retries and characters over many runs", async () => {
    const { totals, rates, runs } = json(await report("--json"));
    expect(totals).toEqual({
      ...{
        turns: 5,
        ok: 3,
        non_compliant: 1,
        dropped: 1,
        running: 1,
        first_attempt: 1,
        model_calls: 7,
        violations: 5,
      },
      // The final violation has no retry. Text of `no_tool_calls` and of an inline recovery is carried over.
      ...{ restarts: 3, inline: 1, chars_lost: 5_201, chars_carried: 140, infrastructure: 1 },
    });
    expect(rates).toEqual({
      success: 0.6,
      first_attempt: 0.2,
      violations_per_100_turns: 100,
      amplification: 1.4,
    });
    expect(runs).toMatchObject([
      { run: "one.jsonl", events: 8, agents: 3 },
      { run: "two.jsonl", events: 5, agents: 2 },
    ]);
  });

  test("counts a turn once, however much comes after its end", async () => {
    const late = { attempt: 3, reason: "turn_over", final: true, recovery: "end" };
    const events = chainEvents(undefined, [
      begin,
      enforced(1, "a", { attempt: 3, final: true, recovery: "end" }),
      draft(2, "agent_dropped", { agent_id: "a", details: { reason: "cancelled" } }),
      enforced(3, "a", late),
      enforced(4, "a", late),
      accepted(5, "a", { round: 2 }),
    ]);
    const { totals, rates } = json(
      await workplace({ "log.jsonl": logOf(events) }).run("report log.jsonl --json"),
    );
    expect(totals).toMatchObject({
      turns: 2,
      ok: 1,
      non_compliant: 1,
      dropped: 0,
      running: 0,
      first_attempt: 1,
      violations: 3,
      model_calls: 4,
    });
    expect(rates).toMatchObject({ success: 0.5, amplification: 2 });
  });

  test("counts by reason, round and tool, and in how many runs and agents", async () => {
    const { reasons, rounds, tools } = json(await report("--json"));
    expect(reasons).toEqual([
      { name: "unknown_tool", violations: 3, runs: 2, agents: 3, chars_lost: 5_101 },
      { name: "answer_novelty", violations: 1, runs: 1, agents: 1, chars_lost: 100 },
      { name: "no_tool_calls", violations: 1, runs: 1, agents: 1, chars_lost: 0 },
    ]);
    expect(rounds).toMatchObject([
      { name: "1", violations: 4, runs: 2 },
      { name: "2", violations: 1 },
    ]);
    expect(tools).toMatchObject([
      { name: "execute_command", violations: 2, agents: 2 },
      { name: HOSTILE },
      { name: "new_answer" },
    ]);
  });

  test("raises red flags for agents that need a closer look", async () => {
    const { red_flags } = json(await report("--json")) as {
      readonly red_flags: readonly Readonly<Record<string, string>>[];
    };
    expect(red_flags.map(({ run, agent, flag }) => [run, agent, flag])).toEqual([
      ["one.jsonl", "a", "retries_in_a_round"],
      ["one.jsonl", "a", "unknown_tools"],
      ["one.jsonl", "b", "characters_lost"],
      ["one.jsonl", "b", "unknown_tools"],
      ["one.jsonl", "b", "non_compliant"],
      ["one.jsonl", "c", "dropped"],
      ["two.jsonl", "a", "unknown_tools"],
    ]);
  });

  test("prints tables in which nothing controls a terminal", async () => {
    const { code, stdout, stderr } = await report();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.match(/^(?:Turns|Red flags|By \w+|Runs)$/gm)).toEqual([
      ...["Turns", "Red flags", "By reason", "By round", "By tool", "By agent", "Runs"],
    ]);
    expect(stdout).toMatch(/^violations per 100 turns +100\.00$/m);
    expect(stdout).not.toContain("\u001b");
  });

  test("prints Markdown in which a tool's name is plain text", async () => {
    const { stdout } = await report("--format", "markdown");
    expect(stdout).toMatch(/^\| violations per 100 turns \| 100\.00 \|$/m);
    expect(stdout).not.toMatch(/<img|\[x\]|javascript:/);
    // Every row of a table must have as many cells as its head.
    for (const table of stdout.split("\n\n").filter((part) => part.startsWith("| "))) {
      const cells = table
        .trim()
        .split("\n")
        .map((line) => line.split("|").length);
      expect(new Set(cells).size).toBe(1);
    }
  });

  test("prints a page that loads nothing, runs nothing but its own scripts, and reads without them", async () => {
    const { stdout, stderr } = await report("--format", "html");
    expect(stderr).toBe("");
    const scripts = [...stdout.matchAll(/<script type="module">([^]*?)<\/script>/g)].map(
      ([, text = ""]) => text,
    );
    expect(scripts).toHaveLength(2);
    const policy =
      /http-equiv="Content-Security-Policy" content="([^"]*)"/
        .exec(stdout)?.[1]
        ?.replaceAll("&#39;", "'") ?? "";
    expect(policy).toContain("default-src 'none'");
    for (const text of scripts)
      expect(policy).toContain(`'sha256-${createHash("sha256").update(text).digest("base64")}'`);
    expect(policy).not.toMatch(/unsafe/);
    const rest = scripts.reduce((page, text) => page.replace(text, ""), stdout);
    expect(rest).not.toMatch(/<img|<[^>]*\s(?:src|href|on\w+)=|https?:/);
    expect(rest).toContain(
      '<td>unknown_tool</td><td class="number">3</td><td class="number">60.0 %</td>',
    );
    expect(rest.match(/<table>/g)).toHaveLength(7);
    expect(rest.match(/<canvas /g)).toHaveLength(4);
  });

  test("prints a page in which nothing from a log is markup", async () => {
    const names = [
      ...[
        HOSTILE,
        "</script><script>alert(1)</script>",
        "<!--<script>",
        '"><svg/onload=alert(1)>',
        "' onmouseover='alert(1)",
      ],
      ...[
        "</td></tr></table><h1>x",
        "</style><style>*{}",
        "</canvas>",
        "<plaintext>",
        "&#60;i&#62;",
        "<\u200b/script>",
        "__proto__",
      ],
    ];
    const events = chainEvents(undefined, [
      begin,
      ...names.map((name) =>
        enforced(1, name, { reason: name, tool_calls: [name], buffer_chars: 9_000 }),
      ),
    ]);
    const file = "<img src=x onerror=alert(1)>.jsonl";
    const { stdout } = await workplace({ "log.jsonl": logOf(events), [file]: logOf(FIRST) }).run([
      "report",
      "log.jsonl",
      `./${file}`,
      "--format",
      "html",
    ]);
    const own = [...stdout.matchAll(/<(script|style)(?: type="module")?>[^]*?<\/\1>/g)].map(
      ([text]) => text,
    );
    expect(own).toHaveLength(3);
    const rest = own.reduce((page, text) => page.replace(text, () => ""), stdout);
    // Every `<` that is left must begin one of our own tags. None of them has an attribute filled from a log, and each one is
    // closed.
    const tags = [...rest.matchAll(/<[^>]*>?/g)].map(([tag]) =>
      tag.replace(/ (?:content|aria-label|id)="[^"<>]*"/g, ""),
    );
    const seen = new Set(tags.map((tag) => tag.replace(/^<\//, "<")));
    expect([...seen].toSorted()).toEqual([
      ...[
        "<!doctype html>",
        "<body>",
        '<canvas role="img">',
        "<canvas>",
        '<div class="charts">',
        "<div>",
        "<h1>",
        "<h2>",
        "<head>",
      ],
      ...[
        '<html lang="en">',
        "<html>",
        '<meta charset="utf-8">',
        '<meta http-equiv="Content-Security-Policy">',
        '<meta name="viewport">',
      ],
      ...[
        '<script type="application/json">',
        "<script>",
        "<table>",
        "<tbody>",
        '<td class="number">',
        "<td>",
        '<th scope="col" class="number">',
        '<th scope="col">',
        "<th>",
        "<thead>",
        "<title>",
        "<tr>",
      ],
    ]);
    const rows = rest.match(/<tr>/g)?.length ?? 0;
    expect([
      rest.match(/<\/tr>/g)?.length,
      rest.match(/<table>/g)?.length,
      rest.match(/<\/table>/g)?.length,
    ]).toEqual([rows, 7, 7]);
  });

  test("has scripts that draw the values of the tables", async () => {
    const { stdout } = await report("--format", "html");
    const [, drawing = ""] = [...stdout.matchAll(/<script type="module">([^]*?)<\/script>/g)].map(
      ([, text = ""]) => text,
    );
    const textContent =
      /<script type="application\/json" id="charts">([^]*?)<\/script>/.exec(stdout)?.[1] ?? "";
    const drawn: {
      readonly data: {
        readonly labels: readonly string[];
        readonly datasets: readonly { readonly data: readonly number[] }[];
      };
    }[] = [];
    function Chart(_: unknown, config: (typeof drawn)[number]): void {
      drawn.push(config);
    }
    runInNewContext(drawing, { Chart, document: { getElementById: () => ({ textContent }) } });
    expect(
      drawn.map(({ data }) => [data.labels.length, data.datasets.map((set) => set.data)]),
    ).toEqual([
      [3, [[3, 1, 1]]],
      [2, [[4, 1]]],
      [3, [[2, 1, 1]]],
      [
        4,
        [
          [100, 5_001, 0, 100],
          [40, 0, 100, 0],
        ],
      ],
    ]);
  });

  test("takes a rotated file as the earlier part of its run, a run of a store, and all runs of a store", async () => {
    const cwd = scratch(rotated(FIRST, 4));
    expect(
      json(await bylawHere("report log-0.jsonl log.jsonl --json", { cwd }))["runs"],
    ).toMatchObject([{ run: "log-0.jsonl", events: 8, agents: 3 }]);
    expect(json(await bylawHere("report log.jsonl --json", { cwd }))["runs"]).toMatchObject([
      { run: "log.jsonl", events: 4 },
    ]);
    const store = await openSqliteStore(join(cwd, "runs.db"));
    for (const name of ["main", "other"]) {
      const run = await openRun(createKernel({ plugins: [] }), { run: name, store });
      await run.respond({ agent: "a1", text: "done", tool_calls: [] });
      await run.close();
    }
    await store.close();
    expect(
      json(await bylawHere("report --store runs.db --run main --json", { cwd })),
    ).toMatchObject({ runs: [{ run: "main" }], totals: { turns: 1, ok: 1, first_attempt: 1 } });
    expect(json(await bylawHere("report --store runs.db --json", { cwd }))).toMatchObject({
      runs: [{ run: "main" }, { run: "other" }],
      totals: { turns: 2 },
    });
  });

  test("has no rate if no turn ended, and says which line is no event", async () => {
    const { run } = workplace({ "log.jsonl": `${logOf(FIRST.slice(0, 2))}no event\n` });
    const ran = await run("report log.jsonl --json");
    expect(json({ ...ran, code: 0 })).toMatchObject({
      rates: {
        success: null,
        first_attempt: null,
        violations_per_100_turns: null,
        amplification: null,
      },
      bad_lines: 1,
    });
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("log.jsonl:3") as unknown,
    });
    expect((await run("report log.jsonl")).stdout).toMatch(/^violations per 100 turns +-$/m);
  });

  test.each([[["--format", "pdf"]], [[]]])("refuses %j without a log", async (args) => {
    expect(await workplace().run(["report", ...args])).toMatchObject({ code: 2, stdout: "" });
  });
});
