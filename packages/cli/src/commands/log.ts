import type { GroupSpec } from "../command-line/command.ts";

export const command: GroupSpec = {
  help: `
Exit code: 0 done, 1 the log has errors, 2 usage error, or a log or a store that cannot be used.

Examples:
  $ bylaw log verify events.jsonl
  $ bylaw log tail --follow events.jsonl
  $ bylaw log query events.jsonl --type 'tool_*' --since 2h`,
  commands: {
    "verify [options] [file...]": [
      "Verify a log: its format, order and hash chain, and that its events are possible",
      () => import("./log-verify.ts"),
    ],
    "tail [options] [file]": [
      "Print the last events of a log, and follow it",
      () => import("./log-tail.ts"),
    ],
    "query [options] [file...]": [
      "Print the events of a log that match. A value that ends in * matches every name with that prefix.",
      () => import("./log-query.ts"),
    ],
    "stats [options] [file...]": [
      "Count the events of a log by type, agent, decision and rule, and list its sessions",
      () => import("./log-stats.ts"),
    ],
    "runs [options]": [
      "List the runs of a store, the most recent last",
      () => import("./log-runs.ts"),
    ],
    "export [options]": [
      "Export a run of a store as a log, one event per line",
      () => import("./log-export.ts"),
    ],
    "append [options] [file]": [
      "Record what a coordinator did. An event that cannot have happened is refused.",
      () => import("./log-append.ts"),
    ],
    "import [options] <file...>": [
      "Import a log into a store unchanged. It must verify as a whole; an interrupted import continues.",
      () => import("./log-import.ts"),
    ],
  },
};
