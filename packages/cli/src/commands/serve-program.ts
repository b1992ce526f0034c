import type { Command } from "commander";
import { pathOf, pathsOf, valueOf } from "../usage.ts";

/** The command that serves agents over HTTP, wired as `bylaw serve`. */
export function addServeCommand(program: Command): void {
  const serve = program.command("serve").description("Serve agents over HTTP: they work under the contract, and cannot get round it.");
  const value = (flags: string, description: string): Command => serve.option(flags, description, valueOf(flags));
  const path = (flags: string, description: string): Command => serve.option(flags, description, pathOf(flags));
  value("--host <address>", "the address that it listens on (default: 127.0.0.1)");
  value("--port <number>", "the port; 0 takes any that is free (default: 8000)");
  path("--contract <file>", "the contract (default: agent_workflow.yaml, or the one of the configuration)");
  path("--data <dir>", "where the store is, and secrets that are made on the first start (default: .bylaw)");
  value(
    "--store <url>",
    "where the run is kept: sqlite:PATH, a path that ends in .db or .sqlite, or postgres://… (default: store.db in --data)",
  );
  value("--run <name>", "the name of the run; servers that share it share their tasks (default: main)");
  path("--workspace <dir>", "the folder that agents work in (default: the working directory)");
  path("--config <file>", "a bylaw.config.* whose plugins decide instead of the usual ones");
  serve.option("--policy <file...>", "policy files of the operator, beside the usual plugins", pathsOf("--policy <file...>"));
  path("--settings <file>", "a file with any setting (default: bylaw.serve.json, if any)");
  path("--tls-cert <file>", "serve HTTPS: the certificate chain in PEM");
  path("--tls-key <file>", "its private key in PEM");
  serve
    .option("--print-config", "print every setting, where it comes from and where the secrets are, and serve nothing")
    .option("--json", "print where it listens as JSON")
    .addHelpText("after", HELP)
    .action(async (options) => {
      const { serve: run } = await import("./serve.ts");
      await run(options);
    });
}

const HELP = `
A setting comes from its option, else from its variable (BYLAW_PORT), else from the file of settings.
Secrets come from BYLAW_JWT_SECRET (tokens), BYLAW_ENROL_SECRET (agents) and BYLAW_OPERATOR_TOKEN (operators), or from files.
Exit code: 0 it was told to end and did, or the settings were printed; 2 it could not start, or was told\nto end a second time.

Examples:
  $ bylaw serve --print-config
  $ bylaw serve --port 8443 --workspace . --run release-7 --print-config`;
