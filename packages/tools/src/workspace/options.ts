import type { Json } from "@bylaw/kernel";
import type { Limits } from "@bylaw/process";
import { z } from "zod";
import type { CallContext } from "../tool.ts";

/** What the tools of a workspace are given by their carrier. Everything may be left out. */
export interface WorkspaceToolsOptions {
  /**
   * Places that no file tool writes, and no contained program where they exist: absolute, or from the workspace. File tools write no
   * `.git`, `.bylaw`, `bylaw.config.*` and `bylaw.serve.json` either.
   */
  readonly protect?: readonly string[];
  /** Places that file tools neither read, list nor write, such as the folder of the service. */
  readonly hidden?: readonly string[];
  /** Texts that no answer holds: the secrets of the service. Those of fewer than eight characters are not looked for. */
  readonly secrets?: readonly string[];
  /** Takes secrets out of an answer by their form. */
  readonly redact?: (answer: Json) => Json;
  /** Programs that agents start. */
  readonly programs?: ProgramOptions;
  /** Runs the tests of the contract and records what was seen. Without it there is no `run_tests`. */
  readonly runTests?: (context: CallContext) => Promise<Json>;
  /** Asks a person. Without it there is no `ask_user_question`. */
  readonly ask?: (question: Question, context: CallContext) => Promise<Json>;
  /** Hosts that `web_fetch` may go to. Without it there is no `web_fetch`. */
  readonly web?: WebOptions;
  /** How much is read and looked at. */
  readonly limits?: Partial<FileLimits>;
}

/** How programs of agents run: `bash` and `git_commit`. */
export interface ProgramOptions {
  /** Variables of this process that are handed on by name. Default: none but PATH, HOME and the like. */
  readonly env?: readonly string[];
  /** Longest time a call may ask for, in seconds. Default: 600. */
  readonly maxTimeout?: number;
  /** Bytes of output, after which a program is ended. Default: 64 MiB. */
  readonly maxOutput?: number;
  /** What each process may take, where the system can limit it. Default: 4 GiB of memory, files of 1 GiB, 4,096 processes. */
  readonly limits?: Limits;
  /**
   * Whether programs run contained by namespaces of Linux: they see no other process and nothing of what is `hidden`, and write only the
   * workspace. Default: `possible`, which is where the system allows it; with `always` nothing runs elsewhere. Where this process is root
   * they run as the owner of the workspace, and not at all where they cannot be contained.
   */
  readonly contain?: "always" | "possible" | "never";
  /** Lets programs run as root where this process is root and no other user can run them. Default: false. */
  readonly allowRoot?: boolean;
  /** What really starts, such as the same line in a container of yours, instead. */
  readonly wrap?: (argv: readonly string[], context: CallContext) => readonly string[];
  /** Whether hooks of the repository run with `git_commit`: agents may have written them. Default: false. */
  readonly gitHooks?: boolean;
}

/** What an agent asks a person. */
export interface Question {
  readonly question: string;
  readonly options: readonly string[];
}

/** How much file tools read and look at. */
export interface FileLimits {
  /** Bytes of a file that is read or edited. Default: 16 MiB. */
  readonly file: number;
  /** Characters of an answer. Default: 200,000. */
  readonly answer: number;
  /** Files that one search looks at. Default: 50,000. */
  readonly files: number;
  /** Bytes that one search reads. Default: 256 MiB. */
  readonly searched: number;
  /** Milliseconds of one search. Default: 10,000. */
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

/** Where `web_fetch` may go. */
export interface WebOptions {
  /** Hosts, such as `docs.example.org`, `*.example.org` or `localhost:8080`. A port that is not named is the usual one. */
  readonly hosts: readonly string[];
  /** Whether addresses of private networks and of this machine may be reached. Default: false. */
  readonly private?: boolean;
  /** Bytes of a page. Default: 1 MiB. */
  readonly maxBytes?: number;
  /** Milliseconds of a whole call. Default: 20,000. */
  readonly timeoutMs?: number;
  /** Asks for the addresses of a name. Default: as the system does. */
  readonly addresses?: (name: string) => Promise<readonly string[]>;
}

/** A path of an argument: from the workspace, or absolute and in it. */
export const path = z.string().min(1).max(4_096);

/** A path to search in. */
export const searched = path.default(".").describe("A folder or file to search in");
