import { isUtf8 } from "node:buffer";
import { answerEvent, answerUnjudged, type HostOutput, type HostPlace } from "@bylaw/host";
import { BylawError, type Kernel } from "@bylaw/kernel";
import { judgeOf, type Hold } from "./judge.ts";
import { hostNamed } from "./known-hosts.ts";
import type { HookSetup } from "./hook-command.ts";
import type { SessionRuns } from "./session-runs.ts";

/** An event of a host, and what is needed to answer it. */
export interface HookEvent {
  readonly setup: HookSetup;
  /** The name of the event on the command line. */
  readonly named: string | undefined;
  readonly input: Uint8Array;
  readonly place: HostPlace;
  /** Loads the kernel, if it is not loaded yet. */
  readonly kernel: () => Promise<Kernel>;
  /** Default: a question is never held. */
  readonly hold?: Hold;
  /** The runs that this process keeps open. Default: a run is opened for each call. */
  readonly runs?: () => Promise<SessionRuns>;
}

/** The runs of the sessions of a configuration. */
export async function sessionRuns(
  kernel: Kernel,
  { config }: Pick<HookSetup, "config">,
  { kept }: { readonly kept: boolean },
): Promise<SessionRuns> {
  const loaded = await import("./session-runs.ts");
  return new loaded.SessionRuns({ kernel, config, kept });
}

/** Answers one event of a host in the host's own format. Throws only BYLAW_USAGE_INVALID, for an unknown host. */
export async function answerHook(event: HookEvent): Promise<HostOutput> {
  const { setup, named, input, place, kernel } = event;
  const host = hostNamed(setup.host);
  if (!isUtf8(input))
    return answerUnjudged(
      host,
      new BylawError({ code: "BYLAW_HOST_EVENT_INVALID", message: "The event is not valid UTF-8" }),
    );
  const project = place.env["CLAUDE_PROJECT_DIR"] ?? place.env["GEMINI_PROJECT_DIR"] ?? place.cwd;
  const { runs = async () => sessionRuns(await kernel(), setup, { kept: false }) } = event;
  const judge = judgeOf(host, { setup, project, place, kernel, runs, hold: event.hold });
  const text = Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString("utf8");
  return await answerEvent(text, { host, place, judge, strict: setup.strict, named });
}
