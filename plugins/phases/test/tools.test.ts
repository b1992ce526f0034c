import { linkSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { place } from "./kit.ts";

const here = place();
const { ask, code, line } = here;

describe("a tool", () => {
  it("needs a task that has entered a phase of the contract", async () => {
    expect((await ask(undefined, "read_files", { path: "a" }, { task: undefined })).code).toBe(
      "phase_task_missing",
    );
    expect((await ask(undefined, "read_files", { path: "a" })).code).toBe("phase_not_entered");
    for (const phase of ["plan", "PLAN ", "NOWHERE", "__proto__", "constructor"]) {
      expect(await code(phase, "read_files", { path: "a" }), phase).toBe("phase_unknown");
    }
  });

  it("is forbidden first, then allowed, and denied by default (WF-106)", async () => {
    expect(await code("PLAN", "read_files", { path: "src/a.ts" })).toBe("rule_allowed");
    for (const tool of ["write_files", "edit_files", "git_commit", "run_tests", "bash"]) {
      expect(await code("PLAN", tool, { path: "a", command: "ls" }), tool).toBe(
        "phase_tool_forbidden",
      );
    }
    for (const tool of readCases<string>(import.meta, "order")) {
      expect(await code("PLAN", tool, {}), tool).toBe("phase_tool_not_allowed");
    }
  });

  it("is refused with its phase, the allowed alternatives, and the place in the contract", async () => {
    const decision = await ask("PLAN", "bash", { command: "ls" });
    expect(decision.reason).toBe(
      "The phase `PLAN` forbids `bash` and allows `read_files`, `search_codebase`, `grep`, `glob`, `ask_user_question` and 1 more; `bash` is allowed from `TDD` on",
    );
    const file = join(here.folder, "agent_workflow.yaml");
    const lines = readFileSync(file, "utf8").split("\n");
    expect(decision.rule).toEqual({
      name: "PLAN.forbidden_tools",
      file,
      line: lines.findIndex((text) => text.includes("forbidden_tools")) + 1,
    });
    const second = await ask("TDD", "bash", { command: "git log" });
    const { name, line: number = 0 } = second.rule ?? { name: "" };
    expect([name, lines[number - 1]?.trim()]).toEqual([
      "TDD.tool_constraints.bash.forbidden_commands",
      "forbidden_commands: [git, rm -rf, curl]",
    ]);
    const third = await ask("IMPL", "write_files", { path: "src/a.ts" });
    expect(lines[(third.rule?.line ?? 0) - 1]).toContain("run_tests, deploy]");
    expect((await ask("PLAN", "read_files", { path: "a" })).reason).toContain("`PLAN`");
  });

  it("of an MCP server is not the host's tool of that name", async () => {
    expect(await code("PLAN", "read_files", { path: "a" }, { server: "evil" })).toBe(
      "phase_tool_not_allowed",
    );
    expect(await code("PLAN", "bash", { command: "ls" }, { server: "evil" })).toBe(
      "phase_tool_forbidden",
    );
    expect(
      await code(
        "PLAN",
        "get_issue",
        { id: 1 },
        { server: "tracker", servers: { tracker: ["get_issue"] } },
      ),
    ).toBe("rule_allowed");
  });
});

describe("paths", () => {
  it("must be among those that the phase allows, and none that it forbids", async () => {
    for (const tool of ["write_files", "edit_files"]) {
      expect(await code("TDD", tool, { path: "tests/a.ts" })).toBe("rule_allowed");
      expect(await code("TDD", tool, { path: join(here.folder, "tests/deep/a.ts") })).toBe(
        "rule_allowed",
      );
      expect(await code("TDD", tool, { path: "src/a.ts" })).toBe("phase_path_forbidden");
      expect(await code("TDD", tool, { path: "src/a.test.ts" })).toBe("phase_path_forbidden");
      expect(await code("TDD", tool, { path: "package.json" })).toBe("phase_path_not_allowed");
      expect(await code("TDD", tool, { paths: ["tests/a.ts", "package.json"] })).toBe(
        "phase_path_not_allowed",
      );
    }
  });

  it("do not leave the workspace, in whatever form (WF-142)", async () => {
    const dresses = [
      "../a.test.ts",
      "tests/../../a.test.ts",
      "/etc/a.test.ts",
      "~/a.test.ts",
      "tests/%2e%2e/a.ts",
      "..\\a.test.ts",
      "a\u0000.test.ts",
      "tests/$X.ts",
    ];
    for (const path of dresses) {
      for (const phase of ["TDD", "IMPL"])
        expect((await ask(phase, "write_files", { path })).effect, path).toBe("deny");
      expect((await ask("PLAN", "read_files", { path })).effect, path).toBe("deny");
    }
    expect(await code("TDD", "write_files", { path: "src/../tests/a.ts" })).toBe("rule_allowed");
    expect(await code("TDD", "write_files", { path: "tests/../src/a.ts" })).toBe(
      "phase_path_forbidden",
    );
  });

  it("lead where links lead (WF-143)", async () => {
    symlinkSync("../src", join(here.folder, "tests/linked"));
    symlinkSync("/etc", join(here.folder, "tests/etc"));
    symlinkSync("nowhere", join(here.folder, "tests/dangling.ts"));
    symlinkSync("../agent_workflow.yaml", join(here.folder, "src/innocent.ts"));
    expect(await code("TDD", "write_files", { path: "tests/linked/a.ts" })).toBe(
      "phase_path_forbidden",
    );
    expect((await ask("TDD", "write_files", { path: "tests/etc/a.ts" })).effect).toBe("deny");
    expect((await ask("TDD", "write_files", { path: "tests/dangling.ts" })).effect).toBe("deny");
    expect((await ask("TDD", "write_files", { path: "tests/linked/../a.ts" })).effect).toBe("deny");
    expect(await code("IMPL", "write_files", { path: "src/innocent.ts" })).toBe("phase_protected");
    expect(await line("IMPL", "echo x > src/innocent.ts")).toBe("phase_protected");
    linkSync(join(here.folder, "agent_workflow.yaml"), join(here.folder, "src/second.ts"));
    expect(await code("IMPL", "write_files", { path: "src/second.ts" })).toBe("phase_protected");
    expect(await line("IMPL", "sed -i s/strict/advisory/ src/second.ts")).toBe("phase_protected");
  });

  it("that a phase forbids by name are forbidden in every folder", async () => {
    for (const path of readCases<string>(import.meta, "forbidden-paths")) {
      expect(await code("IMPL", "write_files", { path }), path).toBe("phase_path_forbidden");
    }
    expect(await code("IMPL", "write_files", { path: "src/env.ts" })).toBe("rule_allowed");
  });
});

it.each([".bylaw/policy.toml", "bylaw.config.mjs", "bylaw.serve.json", "Bylaw.Serve.JSON"])(
  "no tool can write a file that configures Bylaw: %s",
  async (path) => {
    for (const tool of ["write_files", "edit_files"]) {
      const { effect, votes } = await ask("IMPL", tool, { path });
      expect([effect, votes.some((vote) => vote.code === "phase_protected")], tool).toEqual([
        "deny",
        true,
      ]);
    }
    const { effect, votes } = await ask("IMPL", "bash", { command: `echo x > ${path}` });
    expect([effect, votes.some((vote) => vote.code === "phase_protected")]).toEqual(["deny", true]);
  },
);

it("no tool can write the contract itself, in any phase", async () => {
  writeFileSync(join(here.folder, "other.txt"), "");
  const file = "agent_workflow.yaml";
  for (const phase of ["PLAN", "TDD", "IMPL", "REVIEW", "COMPLETE"]) {
    for (const tool of ["write_files", "edit_files", "delete_file"]) {
      const { effect, votes } = await ask(phase, tool, { path: file });
      expect(
        [effect, votes.some((vote) => vote.code === "phase_protected")],
        `${phase} ${tool}`,
      ).toEqual(["deny", true]);
    }
  }
  for (const path of [
    `./${file}`,
    `src/../${file}`,
    join(here.folder, file),
    "Agent_Workflow.YAML",
  ]) {
    expect(await code("IMPL", "write_files", { path }), path).toBe("phase_protected");
  }
  const dresses = [
    `echo x > ${file}`,
    `sed -i s/strict/advisory/ ${file}`,
    `mv ${file} x`,
    `rm ${file}`,
    `cp x ${file}`,
    `cd src && tee ../${file}`,
    `git checkout main -- ${file}`,
    `git checkout main -- ':/${file}'`,
    `git restore -s main ':(top)${file}'`,
    "git checkout main src/a.ts 'agent_w?rkflow.yaml'",
    "git rm 'agent_w[o]rkflow.yaml'",
    "git rm -r :/agent_*",
    "git restore -s main ':!src'",
    `cp other/${file} .`,
    "cp -r other/. .",
    "mv x/* .",
    "rm -rf .",
    `truncate -s 0 ./${file}`,
    `bash -c 'echo x > ${file}'`,
  ];
  for (const command of dresses)
    expect((await ask("IMPL", "bash", { command })).effect, command).toBe("deny");
  expect(await code("IMPL", "deploy", { path: file })).toBe("phase_protected");
  expect(await code("PLAN", "read_files", { path: file })).toBe("rule_allowed");
  expect(await line("IMPL", `cat ${file}`)).toBe("rule_allowed");
});

describe("lines", () => {
  const expectCodes = async (phase: string, cases: readonly (readonly [string, string])[]) => {
    for (const [command, wanted] of cases)
      expect([command, await line(phase, command)]).toEqual([command, wanted]);
  };

  it("are restricted to the commands of a phase that lists them", async () => {
    await expectCodes("TDD", readCases(import.meta, "commands"));
    for (const command of [
      "npm test > src/a.ts",
      "pytest > /etc/x",
      "npm test >> agent_workflow.yaml",
      "npm test 2> package.json",
    ])
      expect((await ask("TDD", "bash", { command })).effect, command).toBe("deny");
  });

  it("may write what the tool that writes files may write", () =>
    expectCodes("IMPL", readCases(import.meta, "writes")));

  it("of a phase that writes nothing write nothing, in whatever form", async () => {
    await expectCodes("REVIEW", readCases(import.meta, "reads"));
    for (const command of readCases<string>(import.meta, "forms-of-writing"))
      expect((await ask("REVIEW", "bash", { command })).effect, command).toBe("deny");
  });

  it("may be those of git if the contract says so", async () => {
    expect(await line("COMPLETE", "git add . && git commit -m done")).toBe("rule_allowed");
    expect(await code("COMPLETE", "git_commit", { message: "done" })).toBe("rule_allowed");
    expect(await line("COMPLETE", "git push")).toBe("phase_command_not_allowed");
    expect((await ask("COMPLETE", "bash", { command: "git commit -m x > src/a" })).effect).toBe(
      "deny",
    );
  });

  it("of other tools with a line are read too", async () => {
    expect(await code("IMPL", "run_tests", {})).toBe("rule_allowed");
    expect(await code("IMPL", "run_tests", { command: "npm test" })).toBe("rule_allowed");
    expect(await code("IMPL", "run_tests", { command: "echo x > /etc/x" })).toBe(
      "phase_path_not_allowed",
    );
    expect(await code("IMPL", "bash", {})).toBe("unknown_command");
    expect(await code("IMPL", "bash", { command: ["ls"] })).toBe("unknown_command");
    expect((await ask("IMPL", "bash", { command: "ls", env: { BASH_ENV: "x" } })).effect).toBe(
      "deny",
    );
    expect((await ask("IMPL", "bash", { command: "echo x > a", cwd: "/etc" })).effect).toBe("deny");
    expect((await ask("REVIEW", "bash", { command: "x".repeat(20_000) })).effect).toBe("deny");
  });

  it("are refused with everything that is wrong", async () => {
    const { votes } = await ask("IMPL", "bash", {
      command: "echo x > /etc/x; git commit -m x; echo x > .env; eval $X",
    });
    const codes = new Set(votes.map((vote) => vote.code));
    expect([...codes].sort()).toEqual([
      "phase_path_forbidden",
      "phase_vcs_not_allowed",
      "unknown_command",
    ]);
  });
});
