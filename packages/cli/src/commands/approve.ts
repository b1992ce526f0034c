import type { Command } from "commander";
import type { CommandSpec, GroupSpec, OptionSpec } from "../command-line/command.ts";
import { JSON_OPTION, STORE_OPTION } from "../command-line/shared-options.ts";
import type { AnswerOptions, WaiverOptions } from "./approve-answer.ts";
import type { WatchOptions } from "./approve-watch.ts";
import type { ApproveOptions } from "../approve/session.ts";

const ASKED: readonly OptionSpec[] = [
  STORE_OPTION,
  ["--run <run>", "the run in the store (default: the one that asks)"],
  ["--url <address>", "a server to answer instead, with an operator's token"],
  [
    "--config <file>",
    "the configuration of the agent's host (default: the nearest bylaw.config.* upwards)",
  ],
  JSON_OPTION,
];
const BY: OptionSpec = ["--by <name>", "who answers; not needed with an operator's token"];
const AS: OptionSpec = ["--as <role>", "your role, for a gate with several approvers"];
const FOR: OptionSpec = [
  "--for <span>",
  "how long the approval of a tool call holds: 30s, 15m, 2h (default: 15m)",
];
const ID = { id: ["the id that `bylaw approve list` prints"] } as const;
const WHO = `
Run it at a terminal, where you confirm with yes, or set BYLAW_OPERATOR_TOKEN to the token of an operator in .bylaw/operators.json.
Exit code: 0 recorded, 1 refused and nothing was recorded, 2 usage error, or a configuration or store that cannot be used.`;

const LIST: CommandSpec = {
  options: ASKED,
  help: `
Exit code: 0 printed, even if nothing waits; 2 usage error, or a configuration or store that cannot be used.

Examples:
  $ bylaw approve list
  $ bylaw approve list --url https://bylaw.example.org
  $ bylaw approve list --store sqlite:runs.db --run main --json`,
  run: async (options: ApproveOptions) => (await import("./approve-list.ts")).listOpen(options),
};

const SHOW: CommandSpec = {
  arguments: ID,
  options: ASKED,
  help: `
Exit code: 0 printed; 2 usage error, an unknown id, or a configuration or store that cannot be used.

Examples:
  $ bylaw approve show 0a1b2c3d4e5f6071 --store runs.db --run main
  $ bylaw approve show 0a1b2c3d4e5f6071 --store runs.db --run main --json`,
  run: async (id: string, options: ApproveOptions) =>
    (await import("./approve-list.ts")).showOpen(id, options),
};

const YES: CommandSpec = {
  arguments: ID,
  options: [
    ...ASKED,
    BY,
    AS,
    ["--reason <text>", "why, for a gate"],
    FOR,
    [
      "--always",
      "add the smallest rule that allows this tool call to .bylaw/policy.toml beside the configuration",
    ],
  ],
  help: `${WHO}
With --always the policy changes, so other open questions have to be asked again.

Examples:
  $ bylaw approve yes 0a1b2c3d4e5f6071 --by ada --always
  $ bylaw approve yes 0a1b2c3d4e5f6071 --store runs.db --run main --by ada --as lead
  $ bylaw approve yes 0a1b2c3d4e5f6071 --store runs.db --run main --for 5m --json`,
  run: async (id: string, options: AnswerOptions) =>
    (await import("./approve-answer.ts")).answer("approved", id, options),
};

const NO: CommandSpec = {
  arguments: ID,
  options: [...ASKED, BY, AS, ["--reason <text>", "what has to change; the agent reads it"]],
  help: `${WHO}

Examples:
  $ bylaw approve no 0a1b2c3d4e5f6071 --store runs.db --run main --by ada --reason 'The plan leaves out the migration.'
  $ bylaw approve no 0a1b2c3d4e5f6071 --store runs.db --run main --reason 'Split it in two.' --json`,
  run: async (id: string, options: AnswerOptions) =>
    (await import("./approve-answer.ts")).answer("rejected", id, options),
};

const WAIVE: CommandSpec = {
  options: [
    ...ASKED,
    BY,
    ["--task <id>", "the task", { required: true }],
    ["--gate <gate>", "the gate", { required: true }],
    ["--check <check>", "the check", { required: true }],
    ["--reason <text>", "why, in at least 50 characters", { required: true }],
    ["--for <span>", "how long: 30m, 2h, 7d", { required: true }],
    AS,
  ],
  help: `${WHO}

Examples:
  $ bylaw approve waive --task T1 --gate tests_passing --check coverage_meets_threshold --for 2h --by ada --as lead --store runs.db --run main --reason 'The generated client has no tests of its own; it is covered by the contract tests.'
  $ bylaw approve waive --task T1 --gate tests_passing --check coverage_meets_threshold --for 2h --store runs.db --run main --json --reason 'The generated client has no tests of its own; it is covered by the contract tests.'`,
  run: async (options: WaiverOptions) => (await import("./approve-answer.ts")).waive(options),
};

const CLEAR: CommandSpec = {
  arguments: { mark: ["the name of a mark in a policy"] },
  options: [...ASKED, BY],
  help: `${WHO}

Examples:
  $ bylaw approve clear read-a-secret --store runs.db --run main --by ada
  $ bylaw approve clear read-a-secret --url https://bylaw.example.org --json`,
  run: async (mark: string, options: AnswerOptions) =>
    (await import("./approve-answer.ts")).clear(mark, options),
};

export const command: GroupSpec = {
  help: `
With --watch it runs at a terminal until interrupted.
Exit code: 0 done, 1 refused and nothing was recorded, 2 usage error, or a configuration or store that cannot be used.

Examples:
  $ bylaw approve --watch --by ada
  $ bylaw approve --watch --url https://bylaw.example.org
  $ bylaw approve list --store runs.db --run main
  $ bylaw approve show 0a1b2c3d4e5f6071 --store runs.db --run main
  $ bylaw approve yes 0a1b2c3d4e5f6071 --store runs.db --run main --by ada --as lead`,
  alone: {
    options: [
      ["--watch", "show each question as it comes, and record your answers"],
      ...ASKED.filter((option) => option !== JSON_OPTION),
      BY,
      AS,
      FOR,
    ],
    run: async ({ watch, ...options }: WatchOptions & { watch?: boolean }, group: Command) =>
      watch === true
        ? (await import("./approve-watch.ts")).watch(options)
        : group.help({ error: true }),
  },
  commands: {
    "list [options]": ["List the gates and tool calls that wait for a person", LIST],
    "show [options] <id>": [
      "Show one question in full, and what changed since it was last asked",
      SHOW,
    ],
    "yes [options] <id>": ["Approve the gate or tool call with this id", YES],
    "no [options] <id>": [
      "Reject the gate or tool call with this id. A rejected gate sends the task back.",
      NO,
    ],
    "clear [options] <mark>": ["Clear a mark of a run, as if no call had set it", CLEAR],
    "waive [options]": ["Waive a check of a gate for a while", WAIVE],
  },
};
