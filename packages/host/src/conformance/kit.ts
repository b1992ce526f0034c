import type { Decision, JsonObject } from "@bylaw/kernel";
import { answerEvent, type Judge } from "../answer-event.ts";
import type { Host, HostOutput, HostPlace } from "../host.ts";
import type { SessionEvent } from "../session-event.ts";

/** The two functions of a test runner that {@link describeHost} needs. Those of vitest, jest and node:test fit. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

/** A payload after a shell call. */
export interface ReturnCase {
  readonly payload: JsonObject;
  readonly named?: string | undefined;
  readonly ok: boolean;
  /** Left out if the host does not report it. */
  readonly exit_code?: number;
}

/** A payload of a session, and what it says. */
export interface SessionCase extends Pick<SessionEvent, "type" | "session" | "agent"> {
  readonly payload: JsonObject;
  readonly named?: string;
  readonly prompt?: string;
}

/** The facts about a host that the suite needs. */
export interface HostCase {
  readonly host: Host;
  /** A real payload before a tool call, exactly as the host wrote it. */
  readonly payload: JsonObject;
  /** The name of the event on the command line, if the payload has none. */
  readonly named?: string;
  /** The keys of the payload for the tool, its arguments and the working folder. */
  readonly keys: { readonly tool: string; readonly args: string; readonly cwd: string };
  /** Real payloads after shell calls, and their results. */
  readonly returned: readonly ReturnCase[];
  /** Real payloads of a session: one of each event that the host reports. */
  readonly session: readonly SessionCase[];
  /** The payload of an event that the adapter does not know, and its name on the command line. */
  readonly unknown: JsonObject;
  readonly unknownNamed?: string;
  /** What the real host does after this output of its hook before a tool call. */
  readonly outcome: (output: HostOutput) => "blocks" | "asks" | "allows" | "goes on";
  /** The arguments with which the real host runs the call after this output, if they are not the model's. */
  readonly changed: (output: HostOutput) => JsonObject | undefined;
}

/** A test: its title and its body. */
export type Proof = readonly [name: string, body: () => Promise<void>];

export const PLACE: HostPlace = { home: "/home/u", cwd: "/home/u/project", env: {} };

export const DECISION: Decision = {
  ...{ hook: "beforeToolCall", effect: "allow", applied: "allow", code: "rule_allowed" },
  ...{ reason: "A reason", votes: [], policy: {}, enforcement_mode: "strict" },
};

const fails = (): never => {
  throw new Error("the engine is gone");
};

interface AskOptions {
  readonly input?: string;
  readonly strict?: boolean;
  readonly named?: string | undefined;
}

/** Makes a function that asks a host about its payload. The judge throws in each method that a test does not give. */
export const askOf =
  ({ host, payload, named: own }: HostCase) =>
  (
    judge: Partial<Judge>,
    { input = JSON.stringify(payload), strict = false, named = own }: AskOptions = {},
  ): Promise<HostOutput> =>
    answerEvent(input, {
      ...{ host, place: PLACE, strict, named },
      judge: {
        ...{ decide: fails, record: async () => fails(), settingsFault: fails },
        ...{ result: async () => fails(), stop: async () => fails() },
        sessionEvent: async () => fails(),
        ...judge,
      },
    });

/** A judge that always decides the same. */
export const decided = (change: Partial<Decision>): Partial<Judge> => ({
  decide: () => ({ ...DECISION, applied: change.effect ?? "allow", ...change }),
});
