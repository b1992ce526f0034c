import { omitUndefined } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { usageError } from "../io/report-error.ts";
import type { CommandSpec } from "../command-line/command.ts";
import { LOCAL_OPTIONS, SERVE_OPTIONS, type ServeOptions } from "../command-line/serve-options.ts";

export const command: CommandSpec = {
  options: [...SERVE_OPTIONS, ...LOCAL_OPTIONS],
  help: `
A setting comes from its option, else from its variable (BYLAW_PORT), else from the settings file.
Secrets come from BYLAW_JWT_SECRET (tokens), BYLAW_ENROL_SECRET (agents) and BYLAW_OPERATOR_TOKEN (operators), or from files.
Exit code: 0 stopped by a signal, or the settings were printed; 2 could not start, or was stopped by a second signal.

Examples:
  $ bylaw serve --print-config
  $ bylaw serve --port 8443 --workspace ../my-project --run release-7 --print-config`,
  run: serve,
};

const IDLE_S = 1_800;

/** Serves agents, or the hooks of this user, until a signal ends it. */
async function serve({ local = false, engine, idle, ...options }: ServeOptions): Promise<void> {
  const [other] = Object.keys(local ? options : omitUndefined({ engine, idle }));
  if (other !== undefined) {
    const flag = `--${other.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw usageError(
      `${quote(flag)} ${local ? "cannot be given with" : "needs"} \`--local\``,
      local ? "Remove one" : undefined,
    );
  }
  if (local) {
    const { serveLocal } = await import("../hosts/serve-local.ts");
    return await serveLocal({ engine, idle: idle ?? IDLE_S });
  }
  const { serveAgents } = await import("./serve-agents.ts");
  await serveAgents(options);
}
