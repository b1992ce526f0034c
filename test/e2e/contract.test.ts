import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { migrateContract } from "@bylaw/contract";
import { bylawHere, json, makePipe, scratch, workplace } from "./bylaw.ts";

const ORIGINAL = readFileSync(
  new URL("../../packages/contract/test/fixtures/agent_workflow.yaml", import.meta.url),
  "utf8",
);
/** A project whose manifest says how its tests run. */
const PROJECT = { "package.json": '{ "scripts": { "test": "vitest" } }' };
const MIGRATED = migrateContract(ORIGINAL, "c.yaml", {
  testCommand: {
    argv: ["node", "--test", "--test-reporter=junit"],
    format: "junit",
    report: "report.xml",
    source: "package.json",
  },
}).text;
const BROKEN = ORIGINAL.replace('check: "scope_is_bounded"', 'check: "scope_is_bound"').replace(
  'gate: "tests_passing"',
  'gate: "tests_pasing"',
);

interface Finding {
  readonly file: string;
  readonly line: number;
  readonly severity: string;
  readonly code: string;
  readonly fix?: string;
}
const brief = (ran: Parameters<typeof json>[0]): readonly string[] =>
  (json(ran)["findings"] as readonly Finding[]).map(
    ({ file, line, severity, code }) => `${file}:${line} ${severity} ${code}`,
  );

describe("bylaw lint on a contract", () => {
  test("reports the faults of the original as warnings, and as an error that nothing runs its tests", async () => {
    const ran = await workplace({ "agent_workflow.yaml": ORIGINAL }).run(
      "lint agent_workflow.yaml --json",
    );
    expect(ran).toMatchObject({ code: 1, stderr: "" });
    expect(brief(ran)).toEqual([
      "agent_workflow.yaml:89 error tests_unobservable",
      "agent_workflow.yaml:129 warning constraint_gap",
      "agent_workflow.yaml:215 warning constraint_gap",
      "agent_workflow.yaml:298 warning work_after_review",
      "agent_workflow.yaml:321 warning spawned_twice",
      "agent_workflow.yaml:324 warning no_way_back",
    ]);
  });

  test("reports every error with its place, and exits with 1", async () => {
    const ran = await workplace({ "c.yml": BROKEN }).run("lint c.yml");
    expect(ran).toMatchObject({ code: 1, stderr: "" });
    expect(ran.stdout).toMatch(
      /^c\.yml:45:20 error unknown_check: Unknown check `scope_is_bound`\n {2}fix: Did you mean `scope_is_bounded`\?$/m,
    );
    expect(ran.stdout).toMatch(
      /^c\.yml:318:11 error unknown_gate: .*\n {2}fix: Did you mean `tests_passing`\?$/m,
    );
    expect(ran.stdout).toMatch(/\n\n3 errors, 5 warnings in 1 file\n$/);
  });

  test("checks policies, configurations and contracts in one call", async () => {
    const { run } = workplace({ "agent_workflow.yaml": MIGRATED });
    await run(["init"]);
    const ran = await run("lint bylaw.config.ts .bylaw/policy.toml agent_workflow.yaml --json");
    expect(ran.code).toBe(0);
    expect(brief(ran).filter((line) => line.startsWith("agent_workflow.yaml"))).toEqual([]);
  });

  test("exits with 2 for a missing file or a pipe", async () => {
    const { cwd, run } = workplace();
    makePipe(join(cwd, "p.yaml"));
    for (const name of ["none.yaml", "p.yaml"]) {
      const ran = await run(["lint", name]);
      expect(ran.code).toBe(2);
      expect(ran.stderr).toMatch(
        /^error BYLAW_CONTRACT_UNREADABLE: (File not found|The contract must be a regular file)/,
      );
    }
  });
});

describe("bylaw contract show", () => {
  const cwd = (): string => scratch({ "c.yaml": MIGRATED, "broken.yaml": BROKEN });

  test("draws the phases as text, as Mermaid, and prints the contract as JSON", async () => {
    const folder = cwd();
    expect(await bylawHere("contract show c.yaml", { cwd: folder })).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("→ TDD  [plan_approval, token]") as string,
    });
    expect(
      (await bylawHere("contract show c.yaml --format mermaid", { cwd: folder })).stdout,
    ).toMatch(/^flowchart TD\n {2}p0\(\["PLAN/);
    expect(json(await bylawHere("contract show c.yaml --json", { cwd: folder }))).toMatchObject({
      initial: "PLAN",
      ends: ["COMPLETE"],
      form: 1,
    });
  });

  test.each(readCases<[string, string[], string]>(import.meta, "errors"))(
    "%s exits with 2 and says why",
    async (_, args, error) => {
      const ran = await bylawHere(args, { cwd: cwd() });
      expect(ran.code).toBe(2);
      expect(`${ran.stderr}${ran.stdout}`).toMatch(new RegExp(error));
    },
  );
});

describe("bylaw contract migrate", () => {
  test("prints a contract that passes lint, and lists every change", async () => {
    const { run } = workplace({ ...PROJECT, "c.yaml": ORIGINAL });
    const ran = await run("contract migrate c.yaml");
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(
      /^changed: added the way back from `REVIEW` to `IMPL` when `review_approved` rejects$/m,
    );
    const lint = await workplace({ "new.yaml": ran.stdout }).run("lint new.yaml --json");
    expect(lint.code).toBe(0);
    expect(brief(lint)).toEqual([]);
  });

  test("writes it to --out, and overwrites only with --force", async () => {
    const { cwd, run } = workplace({ ...PROJECT, "c.yaml": ORIGINAL, "there.yaml": "mine" });
    expect((await run("contract migrate c.yaml --out new.yaml")).stdout).toMatch(
      /^wrote new\.yaml: \d+ changes\n$/,
    );
    expect(readFileSync(join(cwd, "new.yaml"), "utf8")).toMatch(/^bylaw: 1\n/);
    const kept = await run("contract migrate c.yaml --out there.yaml");
    expect([kept.code, readFileSync(join(cwd, "there.yaml"), "utf8")]).toEqual([2, "mine"]);
    expect(kept.stderr).toMatch(/^error BYLAW_CONTRACT_UNWRITABLE: /);
    expect((await run("contract migrate c.yaml --out there.yaml --force")).code).toBe(0);
    expect((await run("contract migrate c.yaml --out none/there.yaml")).stderr).toMatch(
      /^error BYLAW_CONTRACT_UNWRITABLE: /,
    );
  });

  test("exits with 1 if an error is left, and with 2 if the file has one before", async () => {
    const left = ORIGINAL.replace('      - "git_commit"  # NOW agents can commit\n', "");
    const { run } = workplace({ ...PROJECT, "left.yaml": left, "broken.yaml": BROKEN });
    const ran = await run("contract migrate left.yaml --json");
    expect(ran.code).toBe(1);
    expect(json(ran)["findings"]).toMatchObject([{ code: "work_after_review", severity: "error" }]);
    expect((await run("contract migrate broken.yaml")).code).toBe(2);
  });
});
