import type { OptionSpec, OptionsOf } from "./command.ts";
import { STORE_TEXT } from "./shared-options.ts";

export const SERVE_OPTIONS = [
  ["--host <address>", "the address to listen on (default: 127.0.0.1)"],
  ["--port <number>", "the port; 0 picks a free one (default: 8000)"],
  [
    "--contract <file>",
    "the contract (default: agent_workflow.yaml, or that of the configuration)",
  ],
  ["--data <dir>", "the folder of the store and of secrets made on first start (default: .bylaw)"],
  ["--store <url>", `the store that holds the run: ${STORE_TEXT} (default: store.db in --data)`],
  ["--run <name>", "the name of the run; servers that share it share their tasks (default: main)"],
  [
    "--workspace <dir>",
    "the folder that agents work in; the server runs nothing from it (default: work)",
  ],
  ["--config <file>", "a bylaw.config.* whose plugins replace the default ones"],
  ["--policy <file...>", "policy files of the operator, beside the default plugins"],
  ["--status <file>", "keep the status of the run in this file, such as status.json"],
  ["--settings <file>", "a settings file (default: bylaw.serve.json, if any)"],
  ["--tls-cert <file>", "the certificate chain in PEM, to serve HTTPS"],
  ["--tls-key <file>", "its private key in PEM"],
  [
    "--consensus",
    "let agents answer and vote: judge their responses, and record what they agree on",
  ],
  ["--allow-root", "start as root even if programs of agents then run as root"],
  [
    "--allow-plain-http",
    "allow other machines to connect without TLS, such as behind a proxy that adds TLS",
  ],
  ["--allow-no-operator", "allow other machines to connect even though there is no operator"],
  ["--print-config", "print every setting, its origin and where the secrets are, then exit"],
  ["--json", "print the address as JSON"],
] as const satisfies readonly OptionSpec[];

/** The options that are only for `bylaw serve --local`. */
export const LOCAL_OPTIONS = [
  ["--local", "serve the hooks of this user's coding agents instead; hooks start this themselves"],
  ["--engine <dir>", "with --local: the folder of the socket (default: ~/.bylaw/run)"],
  [
    "--idle <seconds>",
    "with --local: end after this time without an event (default: 1800)",
    { least: 1 },
  ],
] as const satisfies readonly OptionSpec[];

export type ServeOptions = OptionsOf<typeof SERVE_OPTIONS> & OptionsOf<typeof LOCAL_OPTIONS>;
