import { join, relative } from "node:path";
import { defineExamples } from "@bylaw/testing";
import { phases } from "./src/index.ts";

const contract = relative(
  process.cwd(),
  join(import.meta.dirname, "test/fixtures/agent_workflow.yaml"),
);
const options = { contract, elsewhere: ["artifacts", "gates", "tokens"] } satisfies Parameters<
  typeof phases
>[0];
const call = {
  hook: "beforeToolCall",
  task: "t1",
  cwd: "/project",
  workspace: "/project",
} as const;
const move = { hook: "onTransition", task: "t1", artifacts: {} } as const;

export const examples = defineExamples(phases, [
  {
    name: "allows a tool that the phase names",
    options,
    subject: { ...call, phase: "PLAN", tool: "read_files", args: { path: "src/a.ts" } },
    expect: "allow",
  },
  {
    name: "denies a tool that the phase forbids",
    options,
    subject: { ...call, phase: "PLAN", tool: "bash", args: { command: "ls" } },
    expect: "deny",
    code: "phase_tool_forbidden",
  },
  {
    name: "denies a tool that the phase does not name",
    options,
    subject: { ...call, phase: "PLAN", tool: "deploy", args: {} },
    expect: "deny",
    code: "phase_tool_not_allowed",
  },
  {
    name: "restricts a path to the patterns of the phase",
    options,
    subject: { ...call, phase: "TDD", tool: "edit_files", args: { path: "src/a.ts" } },
    expect: "deny",
    code: "phase_path_forbidden",
  },
  {
    name: "restricts a line to the commands of the phase",
    options,
    subject: {
      ...call,
      phase: "TDD",
      tool: "bash",
      args: { command: "npm test && git commit -am done" },
    },
    expect: "deny",
    code: "phase_command_forbidden",
  },
  {
    name: "treats the output of a line as a write",
    options,
    subject: {
      ...call,
      phase: "REVIEW",
      tool: "bash",
      args: { command: "sed -i s/1/2/ src/a.ts" },
    },
    expect: "deny",
    code: "phase_shell_writes",
  },
  {
    name: "lets a task follow the contract",
    options,
    subject: { ...move, from: "PLAN", to: "TDD" },
    expect: "allow",
  },
  {
    name: "denies a transition that the contract does not have",
    options,
    subject: { ...move, from: "PLAN", to: "IMPL" },
    expect: "deny",
    code: "phase_transition_undeclared",
  },
]);
