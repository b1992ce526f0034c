import {
  graphMermaid,
  graphText,
  migrateContract,
  parseContract,
  ContractError,
} from "../src/index.ts";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { changed, CLEAN, ORIGINAL } from "./kit.ts";

const migrated = migrateContract(ORIGINAL, "agent_workflow.yaml");

describe("the migrated original", () => {
  it("has no finding, and says every change", () => {
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
    ]);
  });

  it("WF-118 leads back from REVIEW to IMPL when the review is rejected", () => {
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

  it("allows nothing that the original does not, and asks for all that it asks for", () => {
    const [before, after] = [
      parseContract(ORIGINAL, "c.yaml"),
      parseContract(migrated.text, "c.yaml"),
    ];
    for (const [index, phase] of before.phases.entries()) {
      const { allowedTools, forbiddenTools, artifacts, constraints } = after.phases[index] ?? {
        constraints: [],
      };
      expect(allowedTools).toEqual(phase.allowedTools);
      expect(forbiddenTools).toEqual(phase.forbiddenTools);
      expect(artifacts?.map(({ type, rules, schema }) => [type, rules, schema?.value])).toEqual(
        phase.artifacts.map(({ type, rules, schema }) => [type, rules, schema?.value]),
      );
      expect(constraints).toEqual(expect.arrayContaining([...phase.constraints]));
    }
    expect(after.gates).toEqual(before.gates);
    expect(after.enforcement).toEqual(before.enforcement);
  });

  it("is left as it is by a second migration", () => {
    expect(migrateContract(migrated.text, "c.yaml")).toEqual({
      text: migrated.text,
      changes: [],
      findings: [],
    });
  });

  it("keeps the line ends of the file", () => {
    const { text } = migrateContract(ORIGINAL.replaceAll("\n", "\r\n"), "c.yaml");
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

it("what has more than one repair is left and told", () => {
  const text = changed(ORIGINAL, ['      - "git_commit"  # NOW agents can commit\n', ""]);
  expect(
    migrateContract(text, "c.yaml").findings.map(({ code, severity }) => `${severity} ${code}`),
  ).toEqual(["error work_after_review"]);
});

it("what does not load is not migrated", () => {
  expect(() =>
    migrateContract(changed(ORIGINAL, ['severity: "blocking"', 'severity: "bloking"']), "c.yaml"),
  ).toThrow(ContractError);
});

describe("the drawing", () => {
  it("as text has every phase with what it allows and needs, and every way with its gate", () => {
    const text = graphText(parseContract(migrated.text, "c.yaml"));
    for (const part of readCases<string>(new URL("cases/migrate/texts.jsonl", import.meta.url))) {
      expect(text).toContain(part);
    }
  });

  it("as Mermaid has a node for each phase and an arrow for each transition, dotted for the way back", () => {
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

  it("lets no name end its label or reach the terminal", () => {
    const contract = parseContract(
      changed(CLEAN, ["name: Plan\n", 'name: "x\\"] --> evil;<script>\\u001b[2J\\u202e"\n']),
      "c.yaml",
    );
    expect(graphMermaid(contract).split("\n")[1]).toMatch(/^ {2}p0\(\["PLAN<br\/>[^"<>\]]*"\]\)$/);
    expect(graphText(contract)).not.toMatch(/[\u001b\u202e]/);
  });
});
