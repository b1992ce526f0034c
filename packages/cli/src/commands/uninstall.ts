import { uninstallHooks } from "@bylaw/host";
import type { CommandSpec, OptionsOf } from "../command-line/command.ts";
import { hostNamed } from "../hosts/known-hosts.ts";
import { HOST_ARGUMENT, SCOPE_OPTIONS, scopeOf, targetOf } from "../hosts/scope.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { plain } from "../io/text.ts";

export const command: CommandSpec = {
  arguments: HOST_ARGUMENT,
  options: SCOPE_OPTIONS,
  help: `
Exit code: 0 removed, or it was not there; 2 usage error, or a file that cannot be read or written.

Examples:
  $ bylaw uninstall claude-code --project
  $ bylaw uninstall claude-code --project --json`,
  run: uninstall,
};

/** Removes the hook from the settings of a host. */
async function uninstall(
  name: string,
  { json = false, ...options }: OptionsOf<typeof SCOPE_OPTIONS>,
): Promise<void> {
  const host = hostNamed(name);
  const change = uninstallHooks(host, targetOf(host, scopeOf(options)));
  const what = change.state === "removed" ? "Removed the hook for" : "There is no hook for";
  await write(json ? jsonLine(change) : `${plain(`${what} ${host.title} in ${change.file}`)}\n`);
  conclude(0);
}
