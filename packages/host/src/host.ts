import type { JsonObject, ToolCall } from "@bylaw/kernel";
import type { HostCapabilities } from "./capabilities.ts";
import type { Reply } from "./lower.ts";

/** Where a hook runs. */
export interface HostPlace {
  /** Absolute path of the user's home folder. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A host's event in Bylaw's terms. `name` is the host's own name for it. */
export type HostEvent =
  | { readonly kind: "tool_call"; readonly name: string; readonly call: Omit<ToolCall, "hook"> }
  | ToolReturn
  | { readonly kind: "settings_change"; readonly name: string; readonly file?: string }
  | {
      readonly kind: "stop";
      readonly name: string;
      readonly session: string;
      readonly text?: string;
      /** Whether the agent goes on because a stop was refused. */
      readonly again: boolean;
    }
  | { readonly kind: "other"; readonly name: string };

/** A call returned, or failed. The host's id of it, where there is one, is the id of the call. */
export interface ToolReturn {
  readonly kind: "tool_result";
  readonly name: string;
  readonly call: Omit<ToolCall, "hook">;
  readonly ok: boolean;
  /** Of a command, where the host itself tells it. The output of a command could say anything. */
  readonly exit_code?: number;
}

/** What a hook process prints and ends with. */
export interface HostOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** `null`: a signal ended it. */
  readonly exit: number | null;
}

/** A file from which a host reads its hooks. */
export interface SettingsFile {
  readonly scope: "user" | "project" | "managed";
  /** Absolute path. */
  readonly file: string;
  /** Whether `bylaw install` puts the hook here for this scope. */
  readonly target: boolean;
}

/** What the installer adds to a settings file: under `hooks`, one entry per event of the host. */
export type HookEntries = Readonly<Record<string, JsonObject>>;

/** The shapes of one coding agent. It holds no rules. */
export interface Host {
  /** As `bylaw hook NAME` calls it. */
  readonly name: string;
  readonly title: string;
  readonly capabilities: HostCapabilities;
  /** Reads one event. `named`: the event as the command line names it. Throws BYLAW_HOST_EVENT_INVALID for a call that is not one. */
  readonly read: (input: JsonObject, place: HostPlace, named?: string) => HostEvent;
  /** The answer in the host's shape. */
  readonly answer: (event: HostEvent, reply: Reply) => HostOutput;
  /** The answer to input that could not be judged. It must block a tool call. */
  readonly fault: (reason: string) => HostOutput;
  /** Whether the host keeps a tool call from running, or asks a person, after this output of its hook. */
  readonly blocks: (output: HostOutput) => boolean;
  /** What the host would send before it runs a shell line. */
  readonly shellCall: (line: string, cwd: string) => JsonObject;
  /** Every file that can switch hooks on or off, for a project folder. */
  readonly files: (place: HostPlace, project: string) => readonly SettingsFile[];
  /** What to install so that the host runs this shell command, with the event's name where the host's input lacks it. */
  readonly hooks: (command: (event?: string) => string) => HookEntries;
  /** The whole text of a file that belongs to Bylaw alone, such as a plugin; `undefined` for settings in JSON. */
  readonly ownFile?: (file: string, command: string) => string | undefined;
  /** Keys to put at the top of a file that holds nothing else. */
  readonly top?: JsonObject;
  /** What a person has to do besides. */
  readonly note?: string;
  /** Which setting of a file switches hooks off, or what runs beside them; `undefined` for none. A file that is not JSON is given as `{ text }`. */
  readonly switchedOff: (settings: JsonObject, scope: SettingsFile["scope"]) => string | undefined;
}
