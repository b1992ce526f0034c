import {
  graphMermaid,
  graphText,
  migrateContract,
  parseContract,
  ContractError,
} from "../src/index.ts";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { changed, CLEAN, MIGRATED as migrated, ORIGINAL, TESTS } from "./kit.ts";

interface Data {
  readonly phases: readonly {
    readonly allowed_tools: readonly string[];
    readonly forbidden_tools: readonly string[];
    readonly gates: object;
    readonly tool_constraints?: object;
    readonly required_artifacts: readonly { readonly schema: string }[];
  }[];
  readonly enforcement: object;
  readonly schemas: object;
}
// An inline schema is named by the last part of its path.
const named = (phase: Data["phases"][number] | undefined) =>
  phase?.required_artifacts.map((artifact) => ({
    ...artifact,
    schema: artifact.schema.split("/").at(-1),
  }));

describe("the migrated original", () => {
  it("has no finding, and lists every change", () => {
    expect(migrated.findings).toEqual([]);
    expect(
      migrated.changes.filter((change) => !change.startsWith("named the inline schema")),
    ).toEqual([
      "added `bylaw: 1`",
      "limited `edit_files` in `TDD` to the paths of `write_files`",
      "limited `edit_files` in `IMPL` to the paths of `write_files`",
      "limited `bash` in `COMPLETE` to git commands, because nothing reviews work there",
      "removed the trigger for reviewers that `REVIEW` already spawns",
      "added the way back from `REVIEW` to `IMPL` when `review_approved` rejects",
      `added \`test_command: ${TESTS.argv.join(" ")}\`, because of \`package.json\``,
    ]);
  });

  it("lists the steps that are left to people", () => {
    expect(migrated.todo).toEqual([
      expect.stringMatching(/^Check that `node --test .*` runs the tests/),
      expect.stringMatching(/`human`, `orchestrator`, .*`plan_approval`$/),
      expect.stringMatching(/`review_agent`.*`review_approved`$/),
      expect.stringMatching(/^Start the review agents `security`.*`REVIEW`/),
      expect.stringContaining("`tools.web_hosts`"),
    ]);
  });

  it("still lacks a test command if the project does not say how its tests run", () => {
    const { text, findings, changes } = migrateContract(ORIGINAL, "c.yaml");
    expect(findings).toMatchObject([
      {
        code: "tests_unobservable",
        severity: "error",
        fix: expect.stringContaining("test_command"),
      },
    ]);
    expect(changes.join()).not.toContain("test_command");
    const again = migrateContract(text, "c.yaml", { testCommand: TESTS });
    expect([again.findings, again.changes]).toEqual([
      [],
      [expect.stringMatching(/^added `test_command/)],
    ]);
  });

  it("WF-118 leads back from REVIEW to IMPL if the review is rejected", () => {
    const { transitions } = parseContract(migrated.text, "c.yaml");
    expect(transitions.filter(({ from }) => from === "REVIEW")).toMatchObject([
      { to: "COMPLETE", when: "passed", gate: "review_approved" },
      { to: "IMPL", when: "rejected", gate: "review_approved", requiresToken: true },
    ]);
  });

  it("keeps every comment, and the order of what it keeps", () => {
    const comments = (text: string): readonly string[] =>
      text.split("\n").flatMap((line) => /(?:^|\s)(#.*)$/.exec(line)?.[1] ?? []);
    expect(comments(migrated.text)).toEqual(comments(ORIGINAL));
    const plain = (line: string): string => line.replace(/\s+#/, " #").replace("schemas/", "");
    const kept = changed(ORIGINAL, [
      '    triggers:\n      - action: "spawn_review_agents"\n        parallel: true\n',
      "",
    ]);
    const lines = migrated.text.split("\n").map(plain);
    let at = 0;
    for (const line of kept.split("\n").map(plain)) {
      at = lines.indexOf(line, at) + 1;
      expect([line, at > 0]).toEqual([line, true]);
    }
  });

  it("allows nothing that the original does not, and requires everything that it requires", () => {
    // The original itself no longer loads, because it has no test command.
    const [before, after] = [ORIGINAL, migrated.text].map((text) => parse(text) as Data);
    for (const [index, phase] of (before?.phases ?? []).entries()) {
      const now = after?.phases[index];
      expect([now?.allowed_tools, now?.forbidden_tools, now?.gates]).toEqual([
        phase.allowed_tools,
        phase.forbidden_tools,
        phase.gates,
      ]);
      expect(named(now)).toEqual(named(phase));
      expect(now?.tool_constraints ?? {}).toMatchObject(phase.tool_constraints ?? {});
    }
    expect([after?.enforcement, after?.schemas]).toEqual([before?.enforcement, before?.schemas]);
  });

  it("is not changed by a second migration", () => {
    expect(migrateContract(migrated.text, "c.yaml", { testCommand: TESTS })).toMatchObject({
      text: migrated.text,
      changes: [],
      findings: [],
    });
  });

  it("keeps the line ends of the file", () => {
    const { text } = migrateContract(ORIGINAL.replaceAll("\n", "\r\n"), "c.yaml", {
      testCommand: TESTS,
    });
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(text.replaceAll("\r\n", "\n")).toBe(migrated.text);
  });
});

it("a comment at the head of a file stays at its head", () => {
  const { text } = migrateContract(`# Ours\n${ORIGINAL}`, "c.yaml");
  expect(text.split("\n").slice(0, 3)).toEqual([
    "# Ours",
    "bylaw: 1",
    'name: "Parallel Agent Workflow"',
  ]);
});

it("a fault with more than one possible repair is left and reported", () => {
  const text = changed(ORIGINAL, ['      - "git_commit"  # NOW agents can commit\n', ""]);
  expect(
    migrateContract(text, "c.yaml", { testCommand: TESTS }).findings.map(
      ({ code, severity }) => `${severity} ${code}`,
    ),
  ).toEqual(["error work_after_review"]);
});

it("a contract that does not load is not migrated", () => {
  expect(() =>
    migrateContract(changed(ORIGINAL, ['severity: "blocking"', 'severity: "bloking"']), "c.yaml"),
  ).toThrow(ContractError);
});

describe("the drawing", () => {
  it("as text has every phase with its tools and artifacts, and every transition with its gate", () => {
    const text = graphText(parseContract(migrated.text, "c.yaml"));
    for (const part of readCases<string>(import.meta, "texts")) {
      expect(text).toContain(part);
    }
  });

  it("as Mermaid has a node for each phase and an arrow for each transition, dotted after a rejection", () => {
    expect(graphMermaid(parseContract(migrated.text, "c.yaml")).split("\n")).toEqual([
      "flowchart TD",
      '  p0(["PLAN<br/>Planning #38; Approval"])',
      '  p1["TDD<br/>Write Tests (RED phase)"]',
      '  p2["IMPL<br/>Implementation (GREEN phase)"]',
      '  p3["REVIEW<br/>Multi-Model Code Review"]',
      '  p4(["COMPLETE<br/>Task Complete"])',
      '  p0 -->|"plan_approval (approval)"| p1',
      '  p1 -->|"tests_written"| p2',
      '  p2 -->|"tests_passing"| p3',
      '  p3 -->|"review_approved (approval)"| p4',
      '  p3 -.->|"review_approved rejected"| p2',
      "",
    ]);
  });

  it("escapes names, so that none ends its label or controls the terminal", () => {
    const contract = parseContract(
      changed(CLEAN, ["name: Plan\n", 'name: "x\\"] --> evil;<script>\\u001b[2J\\u202e"\n']),
      "c.yaml",
    );
    expect(graphMermaid(contract).split("\n")[1]).toMatch(/^ {2}p0\(\["PLAN<br\/>[^"<>\]]*"\]\)$/);
    expect(graphText(contract)).not.toMatch(/[\u001b\u202e]/);
  });
});
