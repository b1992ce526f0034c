import { BylawError } from "@bylaw/kernel";
import type { McpAccess } from "@bylaw/host-mcp";
import { quote } from "@bylaw/wording";

/** The options that name a run and an agent. */
interface Named {
  readonly store?: string;
  readonly run?: string;
  readonly agent?: string;
  readonly coordinator?: boolean;
  readonly create?: boolean;
}

/**
 * The address and key of the run whose step this process belongs to. Undefined outside a step. A step reaches only its own run: throws
 * BYLAW_MCP_FOREIGN for another run, agent or store, and in a step without an agent. The key proves who calls; these names do not.
 */
export function stepAccess({
  store,
  run,
  agent,
  coordinator,
  create = false,
}: Named): McpAccess | undefined {
  const {
    BYLAW_MCP_URL: url = "",
    BYLAW_MCP_KEY: key = "",
    BYLAW_RUN: own = "",
    BYLAW_AGENT: self = "",
  } = process.env;
  if (url === "" && own === "") return undefined;
  if (url === "" || key === "")
    throw foreign(
      "This step has no agent, so it cannot use the tools of the run",
      "Write the control file named in BYLAW_CONTROL_FILE instead",
    );
  if (run !== undefined && run !== own)
    throw foreign(`A step reaches only its own run ${quote(own)}, not ${quote(run)}`);
  if (agent !== undefined && agent !== self)
    throw foreign(`A step acts as its own agent ${quote(self)}, not as ${quote(agent)}`);
  if (store !== undefined)
    throw foreign("A step reaches only its own run, in its own store", "Remove `--store`");
  if (coordinator === true)
    throw foreign("A step does not coordinate its run", "Remove `--coordinator`");
  if (create) throw foreign("The run of a step already exists", "Remove `--create`");
  return { url, key };
}

const foreign = (message: string, fix = "Remove the option"): BylawError =>
  new BylawError({ code: "BYLAW_MCP_FOREIGN", message, fix });
