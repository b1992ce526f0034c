import type { GroupSpec } from "../command-line/command.ts";

export const command: GroupSpec = {
  help: `
Examples:
  $ bylaw experiment replay --a .bylaw/policy.toml --b candidate.toml`,
  commands: {
    "replay [options] [file...]": [
      "Decide recorded calls and transitions under two versions and compare them",
      () => import("./experiment-replay.ts"),
    ],
  },
};
