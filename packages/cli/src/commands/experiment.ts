import type { GroupSpec } from "../command-line/command.ts";

export const command: GroupSpec = {
  help: `
Examples:
  $ bylaw experiment replay --a .bylaw/policy.toml --b candidate.toml
  $ bylaw experiment compare`,
  commands: {
    "compare [options] [name]": [
      "Compare the tasks that ran under two versions",
      () => import("./experiment-compare.ts"),
    ],
    "replay [options] [file...]": [
      "Decide recorded calls and transitions under two versions and compare them",
      () => import("./experiment-replay.ts"),
    ],
  },
};
