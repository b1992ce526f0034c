import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { freezeJson, type LogEvent } from "@bylaw/kernel";
import {
  contractTree,
  frozenFiles,
  observeTests,
  reportTestRun,
  testRunDetails,
  type TestRecorder,
} from "../src/index.ts";
import { NODE, contractAt, folder, give } from "./kit.ts";

/** Keeps events, and rejects those with invalid details, as a run does. */
function recorder(): TestRecorder & { readonly events: LogEvent[] } {
  const events: LogEvent[] = [];
  return {
    events,
    async record(drafts) {
      const added = drafts.map(
        (draft) =>
          ({
            ...draft,
            details: freezeJson(testRunDetails.parse(draft.details)),
          }) as unknown as LogEvent,
      );
      events.push(...added);
      return added;
    },
  };
}

const SECRET = "a word that must not be told";
const files = {
  "package.json": '{"type":"module"}',
  "checks/add.test.js": `import test from "node:test";\nimport assert from "node:assert";\nconsole.log("${SECRET}");\ntest("adds", () => assert.equal(1 + 1, 3, "${SECRET}"));\n`,
};

describe("an observed run", () => {
  it("is recorded with the result, the tree, the frozen files and the contract, but without output", async () => {
    const root = folder(files);
    const contract = contractAt(join(root, "workflow.yaml"));
    const run = recorder();
    const tree = await contractTree(contract, root);
    const { evidence, events, output } = await observeTests(run, contract, {
      task: "t1",
      agent: "ann",
      workspace: root,
    });
    expect(events).toMatchObject([
      { event_type: "test_run", task_id: "t1", agent_id: "ann", details: evidence },
    ]);
    expect(evidence).toMatchObject({
      observed_by: "bylaw",
      argv: [NODE, "--test", "--test-reporter=tap"],
      exit_code: 1,
      signal: null,
      timed_out: false,
      counts: { passed: 0, failed: 1, skipped: 0, errors: 0 },
      tests: { passed: [], failed: ["adds"], skipped: [] },
      report_error: null,
      tree_before: tree.digest,
      tree_after: tree.digest,
      frozen: frozenFiles(contract, tree),
      contract: contract.digest,
    });
    expect(output).toContain(SECRET);
    expect(JSON.stringify(events)).not.toContain(SECRET);
  });

  it("reports that the run changed the tree, and freezes the files before the run", async () => {
    const root = folder({
      ...files,
      "checks/b.test.js":
        'import { appendFileSync } from "node:fs";\nappendFileSync("checks/add.test.js", "// changed\\n");\n',
    });
    const contract = contractAt(join(root, "workflow.yaml"));
    const run = recorder();
    const before = await contractTree(contract, root);
    const { evidence } = await observeTests(run, contract, { task: "t1", workspace: root });
    expect(readFileSync(join(root, "checks/add.test.js"), "utf8")).toContain("// changed");
    expect(evidence.tree_before).toBe(before.digest);
    expect(evidence.tree_after).not.toBe(before.digest);
    expect(evidence.frozen).toEqual(frozenFiles(contract, before));
  });

  it("is recorded whatever it prints, even text that looks like a program that did not start", async () => {
    const root = folder(files);
    const print =
      "echo '1..1'; echo 'not ok 1 - a'; echo 'unshare: failed to execute x: y' >&2; exit 127";
    const contract = contractAt(join(root, "workflow.yaml"), {
      test_command: { argv: ["sh", "-c", print], format: "tap" },
    });
    for (const contain of [undefined, {}]) {
      if (contain !== undefined) give(root);
      const run = recorder();
      await observeTests(run, contract, {
        task: "t1",
        workspace: root,
        ...(contain === undefined ? {} : { contain }),
      });
      expect(run.events).toMatchObject([
        { event_type: "test_run", details: { exit_code: 127, counts: { failed: 1 } } },
      ]);
    }
  });

  it("is recorded with the command of the contract, whatever its host wraps around it", async () => {
    const root = folder(files);
    const argv = [
      "sh",
      "-c",
      'echo 1..1; if [ "$WHO" = box ]; then echo "ok 1 - a"; else echo "not ok 1 - a"; exit 1; fi',
    ];
    const contract = contractAt(join(root, "workflow.yaml"), {
      test_command: { argv, format: "tap" },
    });
    const run = recorder();
    const given = { task: "t1", workspace: root };
    await observeTests(run, contract, {
      ...given,
      wrap: (line) => ["/usr/bin/env", "WHO=box", ...line],
    });
    expect(run.events).toMatchObject([{ details: { argv, exit_code: 0, counts: { passed: 1 } } }]);
    const lost = observeTests(run, contract, {
      ...given,
      wrap: (line) => ["/no/such/box", ...line],
    });
    await expect(lost).rejects.toMatchObject({
      code: "BYLAW_TEST_COMMAND_FAILED",
      message: expect.stringContaining("/no/such/box"),
    });
    expect(run.events).toHaveLength(1);
  });

  it("is not recorded if it was aborted or could not start, or if there is no command", async () => {
    const root = folder(files);
    const run = recorder();
    const given = { task: "t1", workspace: root };
    const contract = contractAt(join(root, "workflow.yaml"));
    await expect(
      observeTests(run, contract, { ...given, signal: AbortSignal.abort(new Error("enough")) }),
    ).rejects.toThrow("enough");
    const lost = contractAt(join(root, "workflow.yaml"), {
      test_command: { argv: ["no-such-program-of-ours"], format: "tap" },
    });
    await expect(observeTests(run, lost, given)).rejects.toFailWith("BYLAW_TEST_COMMAND_FAILED");
    const none = contractAt(join(root, "workflow.yaml"), {
      test_command: undefined,
      phases: [{ id: "CODE", name: "Code", allowed_tools: ["bash"] }],
      transitions: [],
    });
    await expect(observeTests(run, none, given)).rejects.toFailWith("BYLAW_TEST_COMMAND_MISSING");
    await expect(
      observeTests(run, contract, { ...given, workspace: join(root, "none") }),
    ).rejects.toFailWith("BYLAW_WORKSPACE_MISSING");
    expect(run.events).toEqual([]);
  });

  it("has no counts if it took too long, and gives that reason", async () => {
    const root = folder({ "a.js": "setInterval(() => {}, 1000)" });
    const contract = contractAt(join(root, "workflow.yaml"), {
      test_command: { argv: [NODE, "a.js"], format: "tap", timeout_seconds: 1 },
    });
    const run = recorder();
    const { evidence } = await observeTests(run, contract, { task: "t1", workspace: root });
    expect(evidence).toMatchObject({
      timed_out: true,
      exit_code: null,
      signal: "SIGKILL",
      counts: null,
      tests: null,
    });
  });
});

describe("a run that the host observed", () => {
  const tap = "1..2\nok 1 - a\nnot ok 2 - b\n";
  it("is read, and recorded as reported by the host", async () => {
    const root = folder(files);
    const contract = contractAt(join(root, "workflow.yaml"));
    const run = recorder();
    const { digest } = await contractTree(contract, root);
    const given = {
      task: "t1",
      workspace: root,
      argv: ["make", "test"],
      exit_code: 1,
      duration_ms: 5,
      tree_before: digest,
    };
    const { evidence } = await reportTestRun(run, contract, {
      ...given,
      report: { format: "tap", text: tap },
    });
    expect(evidence).toMatchObject({
      observed_by: "host",
      counts: { passed: 1, failed: 1 },
      tree_before: digest,
      tree_after: digest,
    });
    expect(Object.keys(evidence.frozen)).toEqual(["checks/add.test.js", "package.json"]);
    expect((await reportTestRun(run, contract, { ...given, report: null })).evidence).toMatchObject(
      { counts: null, tests: null },
    );
    await expect(
      reportTestRun(run, contract, { ...given, report: null, tree_before: "none" }),
    ).rejects.toFailWith("BYLAW_EVENT_INVALID");
  });
});

it("a repository of 5,000 files has the same digest the second time", async () => {
  const root = folder(
    Object.fromEntries(
      Array.from({ length: 5_000 }, (_, number) => [
        `src/${number % 50}/${number}.js`,
        `export const a = ${number};\n`,
      ]),
    ),
  );
  const contract = contractAt(join(root, "workflow.yaml"));
  const first = await contractTree(contract, root);
  expect(first.entries).toHaveLength(5_000);
  expect((await contractTree(contract, root)).digest).toBe(first.digest);
  writeFileSync(join(root, "src/7/57.js"), "export const a = 58;\n");
  expect((await contractTree(contract, root)).digest).not.toBe(first.digest);
});
