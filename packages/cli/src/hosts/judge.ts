import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  STOP_CAP,
  findFault,
  forgetStops,
  inspectSettings,
  nextStop,
  type Host,
  type HostPlace,
  type Judge,
} from "@bylaw/host";
import { messageOf, omitUndefined, type Kernel } from "@bylaw/kernel";
import { askRun, decideHere, isSilent } from "../decide/ask-run.ts";
import { hookCommands, type HookSetup } from "./hook-command.ts";

/** The hook whose events are judged. */
interface Bench {
  readonly setup: HookSetup;
  /** Absolute path of the project folder. */
  readonly project: string;
  readonly place: HostPlace;
  /** The kernel of the configuration that the hook was installed with. Any other could come from the agent. */
  readonly kernel: () => Promise<Kernel>;
}

/** Decides by the configuration that the hook was installed with. */
export function judgeOf(host: Host, { setup, project, place, kernel }: Bench): Judge {
  const { config } = setup;
  const records = join(dirname(config), ".bylaw");
  return {
    decide: async (call) => decideHere(await kernel(), call),

    async record(call) {
      const asked = await askRun(call);
      const silent = asked === undefined || isSilent(asked.decision);
      if (!silent && asked.decision.applied !== "allow") return asked;
      mkdirSync(records, { recursive: true, mode: 0o700 });
      // Loaded late: most calls are no question, and loading the log takes longer than deciding.
      const { recordCall } = await import("./record-call.ts");
      return await recordCall(await kernel(), call, {
        store: join(records, "store.db"),
        run: host.name,
        config,
      });
    },

    async result() {},

    settingsFault(changed) {
      const reports = inspectSettings(host, place, project);
      const faults = hookCommands(setup).map((command) => findFault(host, reports, command));
      if (faults.includes(undefined)) return undefined;
      const [fault = ""] = faults;
      const file = changed === undefined ? "" : ` to ${changed}`;
      return `This change${file} would switch Bylaw off. ${fault}. Change it outside of this session.`;
    },

    async stop({ session, text, again }) {
      const attempt = countStop(records, session, again);
      // It was refused often enough, or the count is unreadable.
      if (attempt === undefined) return undefined;
      try {
        const loaded = await kernel();
        const { applied, message, reason } = await loaded.decide({
          hook: "onEnforcement",
          session,
          attempt,
          max_attempts: STOP_CAP,
          host: { name: host.name },
          ...omitUndefined({ text }),
        });
        if (applied !== "allow") return message ?? reason;
        forgetStops(records, session);
        return undefined;
      } catch (error) {
        return `Bylaw could not judge whether you are done: ${messageOf(error)}`;
      }
    },
  };
}

function countStop(folder: string, session: string, again: boolean): number | undefined {
  try {
    return nextStop(folder, { session, again });
  } catch {
    return undefined;
  }
}
