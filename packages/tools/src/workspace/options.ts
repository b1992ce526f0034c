import type { Json } from "@bylaw/kernel";
import type { Limits } from "@bylaw/process";
import { z } from "zod";
import type { CallContext } from "../tool.ts";

/** The settings of the workspace tools. All are optional. */
export interface WorkspaceToolsOptions {
  /**
   * Paths that no file tool may write, and no contained program if they exist. Absolute, or relative to the workspace. File tools never
   * write `.git`, `.bylaw`, `bylaw.config.*` and `bylaw.serve.json` either.
   */
  readonly protect?: readonly string[];
  /** Paths that file tools neither read, list nor write, such as the folder of the service. */
  readonly hidden?: readonly string[];
  /** Texts that are removed from answers: the secrets of the service. Texts under eight characters are ignored. */
  readonly secrets?: readonly string[];
  /** Removes secrets from an answer by their form. */
  readonly redact?: (answer: Json) => Json;
  /** How programs of agents run. */
  readonly programs?: ProgramOptions;
  /** Runs the tests of the contract and records the result. If left out, there is no `run_tests`. */
  readonly runTests?: (context: CallContext) => Promise<Json>;
  /** Asks a person. If left out, there is no `ask_user_question`. */
  readonly ask?: (question: Question, context: CallContext) => Promise<Json>;
  /** The hosts that `web_fetch` may reach. If left out, there is no `web_fetch`. */
  readonly web?: WebOptions;
  /** The limits of file tools. */
  readonly limits?: Partial<FileLimits>;
}

/** How programs of agents run: `bash` and `git_commit`. */
export interface ProgramOptions {
  /** Names of variables of this process to pass on. Default: only PATH, HOME and the like. */
  readonly env?: readonly string[];
  /** The longest time that a call may ask for, in seconds. Default: 600. */
  readonly maxTimeout?: number;
  /** Bytes of output after which a program is ended. Default: 64 MiB. */
  readonly maxOutput?: number;
  /** The limits of each process, if the system supports them. Default: 4 GiB of memory, files of 1 GiB, 4,096 processes. */
  readonly limits?: Limits;
  /**
   * Whether programs run contained in Linux namespaces: they see no other process and no `hidden` place, and can write only to the
   * workspace. Default: `possible`, if the system supports it. With `always`, nothing runs uncontained. If this process is root, they run
   * as the owner of the workspace, and only contained.
   */
  readonly contain?: "always" | "possible" | "never";
  /** Whether programs may run as root if this process is root and no other user is available. Default: false. */
  readonly allowRoot?: boolean;
  /** Changes the command that is started, for example to run it in a container. */
  readonly wrap?: (argv: readonly string[], context: CallContext) => readonly string[];
  /** Whether `git_commit` runs hooks of the repository. Agents may have written them. Default: false. */
  readonly gitHooks?: boolean;
}

/** A question of an agent to a person. */
export interface Question {
  readonly question: string;
  readonly options: readonly string[];
}

/** The limits of file tools. */
export interface FileLimits {
  /** The largest file that is read or edited, in bytes. Default: 16 MiB. */
  readonly file: number;
  /** The longest answer, in characters. Default: 200,000. */
  readonly answer: number;
  /** The most files that one search reads. Default: 50,000. */
  readonly files: number;
  /** The most bytes that one search reads. Default: 256 MiB. */
  readonly searched: number;
  /** The longest time of one search, in milliseconds. Default: 10,000. */
  readonly search_ms: number;
}

export const limitsOf = ({ limits }: WorkspaceToolsOptions): FileLimits => ({
  file: 16 * 1024 ** 2,
  answer: 200_000,
  files: 50_000,
  searched: 256 * 1024 ** 2,
  search_ms: 10_000,
  ...limits,
});

/** The limits of `web_fetch`. */
export interface WebOptions {
  /** The allowed hosts, such as `docs.example.org`, `*.example.org` or `localhost:8080`. Without a port, only the default port is allowed. */
  readonly hosts: readonly string[];
  /** Whether private networks and this machine may be reached. Default: false. */
  readonly private?: boolean;
  /** The largest page, in bytes. Default: 1 MiB. */
  readonly maxBytes?: number;
  /** The longest time of a call, in milliseconds. Default: 20,000. */
  readonly timeoutMs?: number;
  /** Resolves a host name to addresses. Default: the system's resolver. */
  readonly addresses?: (name: string) => Promise<readonly string[]>;
}

/** A path argument: relative to the workspace, or absolute and inside it. */
export const path = z.string().min(1).max(4_096);

/** The argument with the path to search. */
export const searched = path.default(".").describe("A folder or file to search in");
