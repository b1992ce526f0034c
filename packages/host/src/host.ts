import type { JsonObject, ToolCall } from "@bylaw/kernel";
import type { HostCapabilities } from "./capabilities.ts";
import type { Reply } from "./lower.ts";
import type { SessionEvent } from "./session-event.ts";

/** The environment in which a hook runs. */
export interface HostPlace {
  /** Absolute path of the user's home folder. */
  readonly home: string;
  /** Absolute path of the folder in which the hook runs. Unlike the folder of a call, the model cannot choose it. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A host's event in Bylaw's terms. `name` is the host's own name for it. */
export type HostEvent =
  | { readonly kind: "tool_call"; readonly name: string; readonly call: Omit<ToolCall, "hook"> }
  | ToolReturn
  | SessionEvent
  | { readonly kind: "settings_change"; readonly name: string; readonly file?: string }
  | {
      readonly kind: "stop";
      readonly name: string;
      readonly session: string;
      /** The sub-agent that stops. Undefined for the agent of the session. */
      readonly agent?: string;
      readonly text?: string;
      /** Whether the agent is continuing because a stop was refused. */
      readonly again: boolean;
    }
  | { readonly kind: "other"; readonly name: string };

/** A call that returned or failed. The id of the call is the host's, if it has one. */
export interface ToolReturn {
  readonly kind: "tool_result";
  readonly name: string;
  readonly call: Omit<ToolCall, "hook">;
  readonly ok: boolean;
  /** The exit code of a command, only if the host itself reports it. The output of a command could claim any. */
  readonly exit_code?: number;
}

/** The output and exit code of a hook. */
export interface HostOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Null if a signal ended the process. */
  readonly exit: number | null;
}

/** A file from which a host reads its hooks. */
export interface SettingsFile {
  readonly scope: "user" | "project" | "managed";
  /** Absolute path. */
  readonly file: string;
  /** Whether `bylaw install` writes the hook for this scope here. */
  readonly target: boolean;
  /** Whether the file holds only hooks, which replace those for the same event in the other files of its scope. */
  readonly only_hooks?: boolean;
}

/** What the installer adds to a settings file under `hooks`: one entry per event of the host. */
export type HookEntries = Readonly<Record<string, JsonObject>>;

/** How a host is started with hooks that no file of a project can switch off. */
export interface HostStart {
  /** The name of its program, looked up in the PATH. */
  readonly program: string;
  readonly args: (hooks: HookEntries) => readonly string[];
  /** Settings that it gets with the hooks. They win over the files of the user and the project. */
  readonly settings: JsonObject;
  /** Options of its own that replace or skip these hooks. */
  readonly refused: readonly string[];
}

/** The formats of one coding agent. It contains no rules. */
export interface Host {
  /** The name in `bylaw hook NAME`. */
  readonly name: string;
  readonly title: string;
  readonly capabilities: HostCapabilities;
  /** Reads one event. `named`: its name on the command line. Throws BYLAW_HOST_EVENT_INVALID for a call that is not valid. */
  readonly read: (input: JsonObject, place: HostPlace, named?: string) => HostEvent;
  /** Formats the answer for the host. */
  readonly answer: (event: HostEvent, reply: Reply) => HostOutput;
  /** The answer to input that could not be judged. It must block a tool call. */
  readonly fault: (reason: string) => HostOutput;
  /** Whether the host blocks the tool call, or asks a person, after this output of its hook. */
  readonly blocks: (output: HostOutput) => boolean;
  /** The input that the host would send before it runs a shell line. */
  readonly shellCall: (line: string, cwd: string) => JsonObject;
  /** All files that can switch hooks on or off, for a project folder. */
  readonly files: (place: HostPlace, project: string) => readonly SettingsFile[];
  /**
   * The entries to install so that the host runs this shell command. The command gets the name of the event if the host's input
   * does not have it. `wait_s`: how many seconds the command may wait for a person, beyond the time for deciding.
   */
  readonly hooks: (command: (event?: string) => string, wait_s?: number) => HookEntries;
  /** Whether a hook may wait for a person: the host waits as long as `hooks` says, and blocks the call when that time is over. */
  readonly holds?: boolean;
  /** Undefined if the host takes no hooks on its command line. */
  readonly start?: HostStart;
  /** The whole text of a file that only Bylaw writes, such as a plugin. Undefined for settings in JSON. */
  readonly ownFile?: (file: string, command: string) => string | undefined;
  /** Keys for the top of a new settings file. */
  readonly top?: JsonObject;
  /** Settings that the hooks need. They are added if they are missing, and removed with the hooks. */
  readonly settings?: JsonObject;
  /** Settings and files of a project that run commands no hook judges, besides other hooks. */
  readonly unjudged?: { readonly settings: readonly string[]; readonly files: readonly string[] };
  /** What a person has to do in addition. */
  readonly note?: string;
  /**
   * The setting that switches hooks off or replaces their command. Undefined if there is none. A `.env` file is given as
   * `{ env }` without the values, and any other file that is not JSON as `{ text }`.
   */
  readonly switchedOff: (settings: JsonObject, scope: SettingsFile["scope"]) => string | undefined;
}
