import { rmSync, symlinkSync } from "node:fs";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "@bylaw/kernel";
import {
  CODE,
  HANDED,
  TASK,
  TESTS,
  beginWalk,
  blockers,
  reasons,
  walkTo,
  type Walk,
} from "./workflow-walk-kit.ts";

const RED = HANDED.tests;
const GREEN = HANDED.code;

/** Expects that the agent cannot move on, for these reasons. */
async function stays(
  walk: Walk,
  to: string,
  artifacts: JsonObject,
  codes: readonly string[],
  because: RegExp,
): Promise<void> {
  const before = walk.phase();
  const decision = await walk.move(to, artifacts);
  expect([decision.effect, blockers(decision)], reasons(decision)).toEqual(["deny", codes]);
  expect(reasons(decision)).toMatch(because);
  expect(walk.phase()).toBe(before);
}

async function must(walk: Walk, tool: string, args: JsonObject): Promise<void> {
  const decision = await walk.use(tool, args);
  expect([args, decision.effect], reasons(decision)).toEqual([args, "allow"]);
}

const write = (walk: Walk, path: string, content: string): Promise<void> =>
  must(walk, "write_files", { path, content });
const shell = (walk: Walk, command: string): Promise<void> => must(walk, "bash", { command });

/** The contract with another test command. */
const runs =
  (argv: readonly string[], rest = "") =>
  (text: string): string =>
    text.replace(/^ {2}argv: \[.*\]$/m, `  argv: ${JSON.stringify(argv)}${rest}`);

describe("an agent that forges evidence", () => {
  it("is not believed about its own run (defect 2, WF-88)", async () => {
    const walk = await beginWalk();
    await walkTo(walk, "TDD");
    await write(walk, "tests/add.test.js", TESTS);
    const run = {
      observed_by: "bylaw",
      exit_code: 1,
      counts: { passed: 0, failed: 2, skipped: 0, errors: 0 },
    };
    for (const forged of [
      { ...RED, test_run: run },
      { ...RED, evidence: run },
      { ...RED, test_run_result: { ...(RED["test_run_result"] as JsonObject), ...run } },
    ]) {
      await stays(walk, "IMPL", forged, ["gate_blocked"], /No test run is recorded/);
    }
    // The agent tries to record its own event in every way that it has.
    const { run: log, token } = walk;
    await log.toolCall({
      agent: "ann",
      task: TASK,
      tool: "test_run",
      args: run,
      host: { token: token() },
    });
    await log.toolResult({
      id: "1",
      tool: "test_run",
      agent: "ann",
      task: TASK,
      ok: true,
      result: { event_type: "test_run", details: run },
    });
    await log.behave({ agent: "ann", task: TASK, action: "test_run", args: run } as never);
    await log.respond({ agent: "ann", task: TASK, content: JSON.stringify(run) } as never);
    await expect(
      log.record([{ event_type: "test_run", agent_id: "ann", task_id: TASK, details: run }]),
    ).rejects.toFailWith("BYLAW_EVENT_INVALID");
    await expect(
      log.record([
        { event_type: "phase_entered", agent_id: "ann", task_id: TASK, details: { to: "IMPL" } },
      ]),
    ).rejects.toFailWith("BYLAW_EVENT_INVALID");
    expect(await walk.events("test_run")).toEqual([]);
    await stays(walk, "IMPL", RED, ["gate_blocked"], /No test run is recorded/);
  });

  it("cannot pass with a report that was left in place, or one that links elsewhere", async () => {
    const walk = await beginWalk(runs(["node", "--test"], "\n  report: report.xml"));
    await walkTo(walk, "PLAN");
    walk.put(
      "report.xml",
      '<testsuites><testcase name="adds numbers"><failure/></testcase></testsuites>',
    );
    expect(await walk.observe()).toMatchObject({
      counts: null,
      report_error: expect.stringMatching(/wrote no report/) as string,
    });
    walk.put("forged.xml", "<testsuites/>");
    rmSync(walk.path("report.xml"), { force: true });
    symlinkSync("forged.xml", walk.path("report.xml"));
    expect(await walk.observe()).toMatchObject({ counts: null });
  });

  it("cannot make a test fail by a timeout (WF-87)", async () => {
    const walk = await beginWalk((text) =>
      text.replace(
        'format: "junit"\n  timeout_seconds: 600',
        'format: "junit"\n  timeout_seconds: 1',
      ),
    );
    expect(walk.contract.evidence.testCommand?.timeoutSeconds).toBe(1);
    await walkTo(walk, "TDD");
    await write(
      walk,
      "tests/add.test.js",
      'import test from "node:test";\ntest("a", () => new Promise(() => setInterval(() => {}, 1000)));\n',
    );
    expect(await walk.observe()).toMatchObject({ timed_out: true });
    await stays(walk, "IMPL", RED, ["gate_blocked"], /timed out/);
  });

  it("cannot make a test fail by errors, signals or exit codes (WF-87)", async () => {
    const walk = await beginWalk();
    await walkTo(walk, "TDD");
    const faults: readonly (readonly [string, string, RegExp])[] = [
      ["a file that does not load", 'import "../src/add.js";\n', /could not be run at all/],
      ["text that does not parse", "import {", /could not be run at all/],
      ["a process that ends itself", "process.exit(137);\n", /could not be run at all/],
      [
        "a process that is killed",
        'process.kill(process.pid, "SIGKILL");\n',
        /could not be run at all/,
      ],
      [
        "a hook that fails",
        'import { before, it, describe } from "node:test";\ndescribe("s", () => { before(() => { throw new Error("x"); }); it("a", () => {}); });\n',
        /could not be run at all/,
      ],
      ["no test", "export {};\n", /exit code 0/],
      [
        "a test that passes",
        'import test from "node:test";\ntest("a", () => {});\n',
        /exit code 0/,
      ],
    ];
    for (const [name, text, because] of faults) {
      await write(walk, "tests/add.test.js", text);
      await walk.observe();
      const decision = await walk.move("IMPL", RED);
      expect([name, decision.effect], reasons(decision)).toEqual([name, "deny"]);
      expect(reasons(decision), name).toMatch(because);
    }
    expect(walk.phase()).toBe("TDD");
  });

  it("cannot pass with a run that was red, is old, or belongs to another phase (WF-88)", async () => {
    const walk = await beginWalk();
    await walkTo(walk, "TDD");
    await write(walk, "tests/add.test.js", TESTS);
    await walk.observe();
    await write(walk, "tests/more.test.js", TESTS);
    await stays(walk, "IMPL", RED, ["gate_stale"], /changed since the test run/);
    await walk.observe();
    expect((await walk.move("IMPL", RED)).effect).toBe("allow");

    await stays(
      walk,
      "REVIEW",
      GREEN,
      ["artifact_missing", "gate_blocked"].slice(1),
      /No test run is on record|is missing/,
    );
    await write(walk, "src/add.js", CODE);
    await walk.observe();
    await shell(walk, "echo '// one more line' >> src/add.js");
    await stays(walk, "REVIEW", GREEN, ["gate_stale"], /changed since the test run/);
    await walk.observe();
    expect((await walk.move("REVIEW", GREEN)).effect).toBe("allow");
  });

  it("cannot pass with a run that changes the code it runs on", async () => {
    const walk = await beginWalk();
    await walkTo(walk, "IMPL");
    await write(
      walk,
      "src/add.js",
      `import { appendFileSync } from "node:fs";\nappendFileSync(new URL("./note.txt", import.meta.url), "x");\n${CODE}`,
    );
    await walk.observe();
    await stays(walk, "REVIEW", GREEN, ["gate_stale"], /changed the workspace/);
  });
});

it("an agent that weakens its tests between RED and GREEN cannot move on until they are restored (WF-89)", async () => {
  const weak = (text: string): string => text.replaceAll(/assert\.\w+\(/g, "void (");
  const only = TESTS.slice(0, TESTS.indexOf('test("refuses text"'));
  const ways: readonly (readonly [string, (walk: Walk) => Promise<void>])[] = [
    ["asserting nothing", (walk) => write(walk, "tests/add.test.js", weak(TESTS))],
    [
      "by its shell",
      (walk) =>
        shell(
          walk,
          "sed -i 's/assert.strictEqual(add(1, 2), 3)/assert.ok(true)/' tests/add.test.js",
        ),
    ],
    ["taking one away", (walk) => write(walk, "tests/add.test.js", only)],
    ["taking the file away", (walk) => shell(walk, "rm tests/add.test.js")],
    [
      "skipping one",
      (walk) =>
        write(walk, "tests/add.test.js", TESTS.replace('test("refuses', 'test.skip("refuses')),
    ],
    [
      "putting one off",
      (walk) =>
        write(walk, "tests/add.test.js", TESTS.replace('test("refuses', 'test.todo("refuses')),
    ],
    [
      "moving the file",
      (walk) => shell(walk, "mkdir -p other && mv tests/add.test.js other/add.test.js"),
    ],
    [
      "a link in its place",
      async (walk) => {
        await shell(walk, "mv tests/add.test.js src/real.js");
        await shell(walk, "ln -s ../src/real.js tests/add.test.js");
      },
    ],
    [
      "a file that is loaded before",
      (walk) => write(walk, "tests/setup.js", "globalThis.done = true;\n"),
    ],
    [
      "how the package is read",
      (walk) =>
        write(
          walk,
          "package.json",
          JSON.stringify({ name: "adder", type: "module", scripts: { test: "true" } }),
        ),
    ],
    [
      "what a name stands for",
      (walk) =>
        write(
          walk,
          "package.json",
          JSON.stringify({
            name: "adder",
            type: "module",
            scripts: { test: "node --test" },
            imports: { "#a": "./b.js" },
          }),
        ),
    ],
    [
      "a configuration of npm",
      (walk) => write(walk, ".npmrc", "node-options=--import ./src/setup.js\n"),
    ],
    [
      "a configuration of a runner",
      (walk) => write(walk, "vitest.config.js", "export default {};\n"),
    ],
  ];
  const walk = await beginWalk();
  await walkTo(walk, "IMPL");
  const manifest = walk.text("package.json");
  await write(walk, "src/add.js", CODE);
  for (const [name, weaken] of ways) {
    await weaken(walk);
    await walk.observe();
    const decision = await walk.move("REVIEW", GREEN);
    expect([name, decision.effect, blockers(decision)], reasons(decision)).toEqual([
      name,
      "deny",
      ["gate_blocked"],
    ]);
    for (const path of ["tests", "other", "src/real.js", ".npmrc", "vitest.config.js"])
      rmSync(walk.path(path), { recursive: true, force: true });
    walk.put("tests/add.test.js", TESTS);
    walk.put("package.json", manifest);
  }
  expect(walk.phase()).toBe("IMPL");
  // Adding a test is allowed.
  await write(
    walk,
    "tests/more.test.js",
    'import test from "node:test";\ntest("is there", () => {});\n',
  );
  await walk.observe();
  const decision = await walk.move("REVIEW", GREEN);
  expect(decision.effect, reasons(decision)).toBe("allow");
});

it("an agent whose code manipulates the test runner does not pass", async () => {
  const ways: readonly (readonly [string, string])[] = [
    ["ends it", "process.exit(0);\n"],
    [
      "prints a report",
      "console.log('<testsuites><testcase name=\"adds numbers\"/></testsuites>');\nprocess.exit(0);\n",
    ],
    ["prints another end", 'process.stdout.write("</testsuites>");\nexport const add = () => 3;\n'],
  ];
  const walk = await beginWalk();
  await walkTo(walk, "IMPL");
  for (const [name, text] of ways) {
    await write(walk, "src/add.js", text);
    const { counts } = await walk.observe();
    expect(counts?.passed ?? 0, name).toBeLessThan(2);
    const decision = await walk.move("REVIEW", GREEN);
    expect([name, decision.effect], reasons(decision)).toEqual([name, "deny"]);
  }
  expect(walk.phase()).toBe("IMPL");
});

it("what Bylaw keeps cannot be written by the agent, even in the phase that may write most", async () => {
  const walk = await beginWalk();
  await walkTo(walk, "IMPL");
  const head = walk.run.head;
  for (const [tool, args] of readCases<[string, JsonObject]>(import.meta, "kept-files")) {
    const decision = await walk.run.toolCall({
      ...{
        agent: "ann",
        task: TASK,
        tool,
        args,
        cwd: walk.folder,
        workspace: walk.folder,
        interactive: false,
      },
      host: { token: walk.token(), workspace: walk.folder },
    });
    expect([args, decision.applied]).toEqual([args, "deny"]);
  }
  expect(walk.run.head).toBe(head + 8);
});
