import type { Command } from "commander";
import { STORE_TEXT, pathOf, pathsOf, valueOf } from "./options.ts";

/** `bylaw serve` */
export function addServeCommand(program: Command): void {
  const serve = program.command("serve").description("Serve agents over HTTP under the contract");
  const value = (flags: string, description: string): Command =>
    serve.option(flags, description, valueOf(flags));
  const path = (flags: string, description: string): Command =>
    serve.option(flags, description, pathOf(flags));
  value("--host <address>", "the address to listen on (default: 127.0.0.1)");
  value("--port <number>", "the port; 0 picks a free one (default: 8000)");
  path(
    "--contract <file>",
    "the contract (default: agent_workflow.yaml, or that of the configuration)",
  );
  path(
    "--data <dir>",
    "the folder of the store and of secrets made on first start (default: .bylaw)",
  );
  value(
    "--store <url>",
    `the store that holds the run: ${STORE_TEXT} (default: store.db in --data)`,
  );
  value(
    "--run <name>",
    "the name of the run; servers that share it share their tasks (default: main)",
  );
  path(
    "--workspace <dir>",
    "the folder that agents work in; the server runs nothing from it (default: work)",
  );
  path("--config <file>", "a bylaw.config.* whose plugins replace the default ones");
  serve.option(
    "--policy <file...>",
    "policy files of the operator, beside the default plugins",
    pathsOf("--policy <file...>"),
  );
  path("--settings <file>", "a settings file (default: bylaw.serve.json, if any)");
  path("--tls-cert <file>", "the certificate chain in PEM, to serve HTTPS");
  path("--tls-key <file>", "its private key in PEM");
  serve
    .option("--allow-root", "start as root even if programs of agents then run as root")
    .option(
      "--allow-plain-http",
      "allow other machines to connect without TLS, such as behind a proxy that does TLS",
    )
    .option("--allow-no-operator", "allow other machines to connect although there is no operator")
    .option(
      "--print-config",
      "print every setting, its origin and where the secrets are, then exit",
    )
    .option("--json", "print the address as JSON")
    .addHelpText("after", HELP)
    .action(async (options) => {
      const { serve: run } = await import("../commands/serve.ts");
      await run(options);
    });
}

const HELP = `
A setting comes from its option, else from its variable (BYLAW_PORT), else from the settings file.
Secrets come from BYLAW_JWT_SECRET (tokens), BYLAW_ENROL_SECRET (agents) and BYLAW_OPERATOR_TOKEN (operators), or from files.
Exit code: 0 stopped by a signal, or the settings were printed; 2 could not start, or was stopped by a second signal.

Examples:
  $ bylaw serve --print-config
  $ bylaw serve --port 8443 --workspace ../my-project --run release-7 --print-config`;
