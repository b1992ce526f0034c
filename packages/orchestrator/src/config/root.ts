import type { Log } from "../observe/log.ts";
import { BylawError } from "@bylaw/kernel";
import { isRoot, containmentObstacle } from "@bylaw/process";
import type { Settings } from "./settings.ts";

/**
 * Refuses to run as root if programs of agents would be root too. It can be allowed, which is logged. A program that starts them elsewhere
 * (`tools.wrap`) is the operator's responsibility. Throws BYLAW_ROOT_REFUSED.
 */
export function checkRoot(
  { tools, workspace_per_task }: Pick<Settings, "tools" | "workspace_per_task">,
  workspace: string,
  log: Log,
): void {
  if (!isRoot() || tools.wrap.length > 0) return;
  // The folders that this server creates for tasks belong to another user.
  const obstacle =
    tools.contain === "never"
      ? NEVER
      : containmentObstacle(workspace_per_task ? undefined : workspace);
  if (obstacle === undefined) return;
  if (tools.allow_root) {
    log.warn(
      { reason: obstacle.reason },
      "the programs of agents run as root, because `tools.allow_root` is set",
    );
    return;
  }
  throw new BylawError({
    code: "BYLAW_ROOT_REFUSED",
    message: `This server runs as root, and so would the programs of agents: ${obstacle.reason}`,
    fix: `${obstacle.fix}. Or start the server as another user, or accept that programs run as root with \`--allow-root\`.`,
  });
}

const NEVER = { reason: "`tools.contain` is `never`", fix: "Set `tools.contain` to `possible`" };
