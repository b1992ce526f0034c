import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  MAX_REFUSED_STOPS,
  findInstallFault,
  forgetStops,
  inspectSettings,
  countRefusedStop,
  type Host,
  type HostPlace,
  type Judge,
  type SessionEvent,
} from "@bylaw/host";
import { messageOf, omitUndefined, type Kernel, type Response, type ToolCall } from "@bylaw/kernel";
import { askRun, decideHere, isInStep, isSilent, leaveToHost } from "../decide/ask-run.ts";
import { hookCommands, type HookSetup } from "./hook-command.ts";
import { whyForbidden } from "./ran-call.ts";
import { needsRun, runOfSession } from "./session-name.ts";
import type { SessionPlace, SessionRuns } from "./session-runs.ts";

/** How long a question may wait for a person. */
export interface Hold {
  readonly wait_ms: number;
  /** Called before the wait. Returns a signal that is aborted if the host ends the hook. If it throws, so does the judge. */
  readonly begin: () => AbortSignal;
}

/** The hook whose events are judged, and its rules. */
interface Bench {
  readonly setup: HookSetup;
  /** Absolute path of the project folder. */
  readonly project: string;
  readonly place: HostPlace;
  /** Loads the configuration that the hook was installed with. Any other configuration could be the agent's. */
  readonly kernel: () => Promise<Kernel>;
  /** Loads the runs of that kernel. On demand, because most calls need none and loading the log takes longer than deciding. */
  readonly runs: () => Promise<SessionRuns>;
  readonly hold?: Hold | undefined;
}

/** Decides by the configuration that the hook was installed with. */
export function judgeOf(host: Host, bench: Bench): Judge {
  const { setup, kernel, runs, hold } = bench;
  const { config, strict } = setup;
  const records = join(dirname(config), ".bylaw");
  const asks = host.capabilities.ask === "asks";
  // In a step of `bylaw run` the run asks, and its own host waits.
  const held = isInStep() ? undefined : hold;
  const placeOf = (session: string | undefined): SessionPlace => ({
    ...{ host: host.name, run: runOfSession(host.name, session), strict, asks },
    wait_ms: held?.wait_ms,
  });
  const recording = async (): Promise<SessionRuns | undefined> =>
    needsRun(await kernel()) ? await runs() : undefined;
  // Without a state, an answer counts in every session in which the call is repeated.
  const askedIn = (loaded: Kernel, session: string | undefined): SessionPlace =>
    needsRun(loaded) ? placeOf(session) : { ...placeOf(session), run: host.name };
  return {
    async decide(call, options) {
      const loaded = await kernel();
      if (!needsRun(loaded)) return await decideHere(loaded, call, options);
      const asked = await askRun(call);
      // A denied call does not run, so it does not belong to the run of this session, which therefore does not agree to an offer.
      if (asked?.decision.applied === "deny") return { ...asked.decision, instead: undefined };
      const own = await (await runs()).decide(call, placeOf(call.session), options);
      return await leaveToHost(call, own, asked);
    },

    async record(call) {
      const asked = await askRun(call);
      const silent = asked === undefined || isSilent(asked.decision);
      if (!silent && asked.decision.applied !== "allow") return asked;
      const kept = await (await runs()).record(call, askedIn(await kernel(), call.session));
      return { ...kept, decision: await leaveToHost(call, kept.decision, asked) };
    },

    hold: held && holdBy(held, async ({ session }) => askedIn(await kernel(), session), runs),

    async result(returned) {
      const call: ToolCall = { ...returned.call, hook: "beforeToolCall" };
      const loaded = await kernel();
      const reason = needsRun(loaded)
        ? await (await runs()).result(returned, placeOf(call.session))
        : whyForbidden(await loaded.decide(call), { strict, unasked: false });
      // A person may have allowed the call in the host's own dialog. The id tells a call that is on record already.
      if (call.id !== undefined) await askRun(call, { left_to_host: true });
      return reason;
    },

    sessionEvent: async (event) => (await recording())?.sessionEvent(event, placeOf(event.session)),

    settingsFault: (changed) => settingsFault(host, bench, changed),

    stop: (event) => judgeStop(host, event, { records, kernel, recording, placeOf }),
  };
}

function settingsFault(
  host: Host,
  { setup, place, project }: Bench,
  changed: string | undefined,
): string | undefined {
  const reports = inspectSettings(host, place, project);
  const faults = hookCommands(setup).map((command) => findInstallFault(host, reports, command));
  if (faults.includes(undefined)) return undefined;
  const [fault = ""] = faults;
  const file = changed === undefined ? "" : ` to ${changed}`;
  return `This change${file} would switch Bylaw off. ${fault}. Change it outside of this session.`;
}

const holdBy =
  (
    { begin }: Hold,
    placeOf: (call: ToolCall) => Promise<SessionPlace>,
    runs: Bench["runs"],
  ): Judge["hold"] =>
  async (call) => {
    const ended = begin();
    return await (await runs()).hold(call, await placeOf(call), ended);
  };

type Stop = Parameters<Judge["stop"]>[0];

const gaveUp = ({ name, session, agent }: Stop): SessionEvent => ({
  ...{ kind: "session_event", name, type: "stop_gate_gave_up", session, details: {} },
  ...omitUndefined({ agent }),
});

// How long an agent that may stop waits until that is on record.
const GAVE_UP_MS = 3_000;

interface StopBench extends Pick<Bench, "kernel"> {
  readonly records: string;
  /** The runs of the kernel, if it looks back. */
  readonly recording: () => Promise<SessionRuns | undefined>;
  readonly placeOf: (session: string) => SessionPlace;
}

async function judgeStop(
  { name }: Host,
  event: Stop,
  bench: StopBench,
): Promise<string | undefined> {
  const { records, kernel, recording, placeOf } = bench;
  const { session, agent, text } = event;
  const attempt = countStop(records, event);
  if (attempt === undefined) return await letGo(event, bench);
  try {
    const loaded = await kernel();
    const runs = await recording();
    const response: Response = {
      hook: "onEnforcement",
      session,
      attempt,
      max_attempts: MAX_REFUSED_STOPS,
      host: { name },
      ...omitUndefined({ agent, text }),
    };
    const decision = await (runs === undefined
      ? loaded.decide(response)
      : runs.response(response, placeOf(session)));
    const refused = decision !== undefined && decision.applied !== "allow";
    if (refused && decision.recovery !== "end") return decision.message ?? decision.reason;
    forgetStops(records, agent ?? session);
    return refused ? await letGo(event, bench) : undefined;
  } catch (error) {
    return `Bylaw could not judge whether you are done: ${messageOf(error)}`;
  }
}

/** Records that an agent stops without being done. */
async function letGo(event: Stop, { recording, placeOf }: StopBench): Promise<undefined> {
  const recorded = recording().then((runs) =>
    runs?.sessionEvent(gaveUp(event), placeOf(event.session)),
  );
  // Rules that fail or hang have refused eight times too, and cannot record that.
  const waiting = new AbortController();
  await Promise.race([
    recorded.catch(() => {}),
    setTimeout(GAVE_UP_MS, undefined, { signal: waiting.signal }),
  ]);
  waiting.abort();
}

/** Undefined if stopping was refused often enough, or the count is unreadable. */
function countStop(folder: string, { session, agent, again }: Stop): number | undefined {
  try {
    return countRefusedStop(folder, { session: agent ?? session, again });
  } catch {
    return undefined;
  }
}
