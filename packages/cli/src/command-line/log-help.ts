/** What the help of each command about logs says below its options. */
export const LOG_EXAMPLES = {
  log: `
Exit code: 0 done, 1 the log has errors, 2 usage error, or a log or a store that cannot be used.

Examples:
  $ bylaw log verify events.jsonl
  $ bylaw log tail --follow events.jsonl
  $ bylaw log query events.jsonl --type 'tool_*' --since 2h`,
  verify: `
Exit code: 0 no errors, 1 errors were found, 2 usage error or a log that cannot be read.

Examples:
  $ bylaw log verify events.jsonl
  $ bylaw log verify events.000000000001-000000000002.jsonl events.jsonl
  $ bylaw log verify events.jsonl --profile coordinator --json
  $ bylaw log verify events.jsonl --heads events.jsonl.heads --key public.pem
  $ bylaw log verify --store runs.db --run main --chained`,
  tail: `
Exit code: 0 printed, also when interrupted; 2 usage error or a log that cannot be read.

Examples:
  $ bylaw log tail --follow events.jsonl
  $ bylaw log tail -n 100 --json events.jsonl
  $ bylaw log tail --store runs.db --run main`,
  query: `
Exit code: 0 printed, 1 printed but some lines are not events, 2 usage error or a log that cannot be read.

Examples:
  $ bylaw log query events.jsonl --agent dev-1 --type 'tool_*' --since 2026-01-17T09:00:00Z
  $ bylaw log query events.jsonl --reason rule_denied --limit 10 --json
  $ bylaw log query --store runs.db --run main --format csv`,
  stats: `
Exit code: 0 printed, 1 printed but some lines are not events, 2 usage error or a log that cannot be read.

Examples:
  $ bylaw log stats events.jsonl
  $ bylaw log stats --store runs.db --run main --json`,
  runs: `
Exit code: 0 printed, even if there are none; 2 usage error, or a store that cannot be used.

Examples:
  $ bylaw log runs --store runs.db
  $ bylaw log runs --store sqlite:runs.db --json`,
  export: `
Exit code: 0 written, 1 written but the run does not verify, 2 usage error, or a store or file that cannot be used.

Examples:
  $ bylaw log export --store runs.db --run main
  $ bylaw log export --store sqlite:runs.db --run main --to main.jsonl --json`,
  import: `
Exit code: 0 imported, 2 usage error, a log that does not verify, a run that holds other events, or a store that cannot
be used.

Examples:
  $ bylaw log import events.jsonl --store archive.db --run main
  $ bylaw log import - --store archive.db --run main --json < events.jsonl`,
} as const;
