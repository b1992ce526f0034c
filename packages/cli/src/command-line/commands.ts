import type { Commands } from "./command.ts";

/** All commands of `bylaw`. */
export const COMMANDS: Commands = {
  "check [options] [words...]": [
    "Decide one tool call, or every call of a batch",
    () => import("../commands/check.ts"),
  ],
  "explain [options] [words...]": [
    "Decide one tool call and show how every plugin voted and why",
    () => import("../commands/explain.ts"),
  ],
  "install [options] <host>": [
    "Put Bylaw into a coding agent",
    () => import("../commands/install.ts"),
  ],
  "uninstall [options] <host>": [
    "Take Bylaw out of a coding agent",
    () => import("../commands/uninstall.ts"),
  ],
  "doctor [options] [host]": [
    "Check that a coding agent asks Bylaw and obeys",
    () => import("../commands/doctor.ts"),
  ],
  "hook [options] <host> [event]": [
    "Answer one event of a coding agent; `bylaw install` sets this up",
    () => import("../commands/hook.ts"),
  ],
  "test [options] [file...]": [
    "Test a policy against cases and report what they do not cover",
    () => import("../commands/test.ts"),
  ],
  "lint [options] [file...]": ["Lint policies and contracts", () => import("../commands/lint.ts")],
  "replay [options] [log]": [
    "Decide recorded calls again with another policy and list what would change",
    () => import("../commands/replay.ts"),
  ],
  "status [options]": [
    "Show the status of a run, agent by agent and round by round",
    () => import("../commands/status.ts"),
  ],
  "tasks [options]": ["Show where the tasks of a run stand", () => import("../commands/tasks.ts")],
  "report [options] [file...]": [
    "Report what was decided, asked and enforced in runs",
    () => import("../commands/report.ts"),
  ],
  experiment: ["Compare two versions of the rules", () => import("../commands/experiment.ts")],
  "suggest [options] [file...]": [
    "Suggest rules that would save people questions",
    () => import("../commands/suggest.ts"),
  ],
  log: ["Verify, read and copy the log of a run", () => import("../commands/log.ts")],
  approve: ["Answer what waits for a person", () => import("../commands/approve.ts")],
  contract: ["Show and migrate a workflow contract", () => import("../commands/contract.ts")],
  behavior: ["Evaluate what agents ask of their workflow", () => import("../commands/behavior.ts")],
  "run [options] [template] [words...]": [
    "Run a workflow template step by step, and resume it after a crash",
    () => import("../commands/run.ts"),
  ],
  "mcp [options] [server...]": [
    "Serve the tools of a run to an agent over MCP, or guard an MCP server",
    () => import("../commands/mcp.ts"),
  ],
  constitution: [
    "Read and change the rules of a run. A run has at most 50, and each lasts an hour.",
    () => import("../commands/constitution.ts"),
  ],
  "serve [options]": [
    "Serve agents over HTTP under the contract",
    () => import("../commands/serve.ts"),
  ],
  "ui [options]": ["Show the decisions of a store in a browser", () => import("../commands/ui.ts")],
  "agents [options] <file>": [
    "Start the agents that a contract asks for, and report their verdicts",
    () => import("../commands/agents.ts"),
  ],
  config: ["Show the configuration that decides", () => import("../commands/config.ts")],
  ruleset: ["Make, verify, pack and compare rulesets", () => import("../commands/ruleset.ts")],
  template: ["List, show and validate workflow templates", () => import("../commands/template.ts")],
  "import [options] <source> <file...>": [
    "Convert the rules of another tool into a policy that allows nothing more",
    () => import("../commands/import.ts"),
  ],
  "init [options] [dir]": [
    "Create a working configuration and policy, without overwriting anything",
    () => import("../commands/init.ts"),
  ],
  "completion [options] <shell>": [
    "Print the completion of this command for a shell",
    async () => {
      const { completionOf } = await import("../commands/completion.ts");
      return { command: completionOf(COMMANDS) };
    },
  ],
};
