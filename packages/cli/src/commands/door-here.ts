import { BylawError } from "@bylaw/kernel";
import type { DoorKey } from "@bylaw/host-mcp";
import { quote } from "@bylaw/wording";

/** Whom a command line names. */
interface Named {
  readonly store?: string;
  readonly run?: string;
  readonly agent?: string;
}

/**
 * The door of the step that this process works in; `undefined` outside of one. Inside of one no other door is open: throws
 * BYLAW_MCP_FOREIGN for another run or agent, and where the step has none. Who somebody is, the key says, and not these names.
 */
export function doorHere({ store, run, agent }: Named): DoorKey | undefined {
  const { BYLAW_MCP_URL: url = "", BYLAW_MCP_KEY: key = "", BYLAW_RUN: own = "", BYLAW_AGENT: self = "" } = process.env;
  if (url === "" && own === "") return undefined;
  if (url === "" || key === "")
    throw foreign(
      "step that no agent does, expected an agent's",
      "what is no agent writes its control file: BYLAW_CONTROL_FILE says where",
    );
  if (run !== undefined && run !== own) throw foreign(`run ${quote(run)}, expected ${quote(own)}, in which this process works`);
  if (agent !== undefined && agent !== self) throw foreign(`agent ${quote(agent)}, expected ${quote(self)}, which is at work here`);
  if (store !== undefined) throw foreign("store in a step, expected the run of the step alone", "leave `--store` out");
  return { url, key };
}

const foreign = (what: string, fix = "leave it out: a step reaches its own run, as its own agent"): BylawError =>
  new BylawError({ code: "BYLAW_MCP_FOREIGN", message: `Unexpected ${what}`, fix });
