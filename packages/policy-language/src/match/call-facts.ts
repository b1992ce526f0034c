import { isJsonObject, type Json, type ToolCall } from "@bylaw/kernel";
import { readLine, suspectParts, unreadable, type LineFacts, type LinePart } from "./shell-line.ts";
import { embeddedLines } from "./embedded-lines.ts";
import { identify, type Identity } from "./mcp.ts";
import { sameFolder } from "../paths/path-text.ts";
import { pathFacts, type PathFacts } from "../paths/path-facts.ts";
import { stampOf, topOf } from "../paths/stamp.ts";
import { withTop } from "./repository-top.ts";
import { own, type Args } from "../paths/path-refs.ts";
import {
  AGENT_SHELLS,
  HARMLESS_BESIDE_A_LINE,
  WORKING_FOLDERS,
  type AgentShell,
  type ToolTable,
} from "../compile/tool-table.ts";

/** The plugin that stamps the paths of a call, by default. */
const PATHS_FACT = "@bylaw/plugin-policy";

const OFF: ReadonlySet<Json> = new Set<Json>([false, null, 0, ""]);

// An agent may expand `~` and variables, which `cd` in quotes does not.
const PLAIN_FOLDER = /^(?![-~])[^'\0$%\\`]+$/;

const NONE: readonly string[] = [];
const BESIDE = "another argument may change what the command does";

interface CallContext {
  /** See {@link CallFacts.pathsFact}. */
  readonly pathsFact?: string | undefined;
  /** The arguments that rules name. */
  readonly namedArguments?: ReadonlySet<string> | undefined;
  readonly identity?: Identity;
  readonly part?: LinePart | null;
  readonly moment?: Moment;
}

/** The state that a call shares with its commands. */
interface Moment {
  /** The marks of the run before the call. Set by the policy pool. */
  earlierMarks?: unknown;
}

/** Everything that rules need to know about one call. Each answer is computed on first use. */
export class CallFacts {
  readonly call: ToolCall;
  readonly tools: ToolTable;
  readonly identity: Identity;
  /** The name of the fact in which the host says where the call's paths lead. */
  readonly pathsFact: string;
  /** The command of the line that rules are evaluated for. Null for the call as a whole, and for a call without a line. */
  readonly part: LinePart | null;
  readonly moment: Moment;
  readonly #named: ReadonlySet<string> | undefined;
  #line: LineFacts | null | undefined = undefined;
  #readText: string | undefined = undefined;
  #paths: PathFacts | undefined = undefined;

  constructor(
    call: ToolCall,
    tools: ToolTable,
    {
      pathsFact = PATHS_FACT,
      namedArguments,
      identity = identify(call),
      part = null,
      moment = {},
    }: CallContext = {},
  ) {
    this.#named = namedArguments;
    this.call = call;
    this.pathsFact = pathsFact;
    this.tools = tools;
    this.identity = identity;
    this.part = part;
    this.moment = moment;
  }

  /** The arguments by name. Undefined if they are an array. */
  get args(): { readonly [name: string]: Json } | undefined {
    const { args } = this.call;
    return isJsonObject(args) ? args : undefined;
  }

  /** The shell line of the call. Null if the tool is no shell. */
  get line(): LineFacts | null {
    if (this.#line === undefined) this.#line = this.#readLine();
    return this.#line;
  }

  /** The facts of each command of the line. */
  get commands(): readonly CallFacts[] {
    return (this.line?.parts ?? []).map((part) =>
      this.#of(part.settled ? this.#lookUp(part) : part),
    );
  }

  // The host lists the names of a glob only if none of them can be an option.
  #lookUp(part: LinePart): LinePart {
    const matches = stampOf(this.call, this.pathsFact)?.matches;
    return part.lookedUp((glob) => matches?.has(glob) === true);
  }

  #of(part: LinePart): CallFacts {
    const { call, tools, pathsFact, identity, moment } = this;
    return new CallFacts(call, tools, {
      ...{ pathsFact, namedArguments: this.#named, identity, part, moment },
    });
  }

  /**
   * Commands in the arguments of a tool that is not known as a shell, or whose line is a list of words. They concern
   * only denies and asks; no rule has to allow them.
   */
  get embedded(): readonly CallFacts[] {
    return this.#embeddedTexts().flatMap((text) =>
      suspectParts(text).map((part) => this.#of(part)),
    );
  }

  /** The line of the call with its commands, or else those in its arguments. One word may also say what a tool should do. */
  get lines(): readonly {
    readonly unknown: string | undefined;
    readonly commands: readonly CallFacts[];
  }[] {
    const { line, commands } = this;
    if (line !== null) return [{ unknown: line.unknown, commands }];
    const others = Object.entries(this.args ?? {});
    const beside = others.some(([name, value]) => /env/i.test(name) && !OFF.has(value));
    return this.#embeddedTexts()
      .filter((text) => !/^'?\w*'?$/.test(text.trim()))
      .map((text) => readLine(text, { beside: beside ? BESIDE : undefined, cwd: this.call.cwd }))
      .map(({ unknown, parts }) => ({ unknown, commands: parts.map((part) => this.#of(part)) }));
  }

  #embeddedTexts(): readonly string[] {
    const { args, line } = this;
    if (args === undefined || (line !== null && line.unknown === undefined)) return NONE;
    const tool = line === null ? this.call.tool : "";
    // The text of the line was read already.
    return embeddedLines(tool, args).filter((text) => text !== this.#readText);
  }

  /** The parts that rules are evaluated for: each command of the line, or the call itself if it has no line. */
  get perCommand(): readonly CallFacts[] {
    return this.line === null ? [this] : this.commands;
  }

  /** The files that the call, or this command of it, names. */
  get paths(): PathFacts {
    this.#paths ??= pathFacts(this);
    return this.#paths;
  }

  /** Whether a rule may be about the call, although that is not certain. */
  get doubtful(): boolean {
    return this.part?.doubtful ?? this.paths.known.some(({ maybe }) => maybe.length > 0);
  }

  #readLine(): LineFacts | null {
    const argument = this.tools.shell.get(this.identity.bare);
    if (argument === undefined) return null;
    const { args } = this;
    const line = own(args, argument);
    if (typeof line !== "string") return unreadable(`the argument \`${argument}\` is not text`);
    const agent = AGENT_SHELLS.get(String(this.call.host?.["name"]));
    const folder = folderOf(args, agent);
    const start = folder === undefined ? "" : `cd '${folder}'\n`;
    const top = start === "" ? topOf(this.call, this.pathsFact) : undefined;
    this.#readText = top === undefined ? start + line : withTop(line, top);
    return readLine(this.#readText, {
      beside: this.#besideLine(argument, folder && agent?.folder, agent),
      cwd: this.call.cwd,
    });
  }

  // Finds another argument of a shell tool that can change what the line does, such as an environment, an input or a folder.
  #besideLine(
    line: string,
    heeded: string | undefined,
    agent: AgentShell | undefined,
  ): string | undefined {
    const { args = {} } = this;
    // Iterates without allocating, because nearly every call has no argument but the line.
    for (const name in args) {
      if (name === line || name === heeded || !Object.hasOwn(args, name)) continue;
      const value = args[name] ?? null;
      const known = HARMLESS_BESIDE_A_LINE.has(name) || agent?.harmless?.has(name) === true;
      if (known && (typeof value !== "object" || value === null)) continue;
      // A flag that a rule names, or that only adds a danger, and that is off.
      const isFlag = this.#named?.has(name) === true || name.startsWith("dangerously");
      if (isFlag && OFF.has(value) && !WORKING_FOLDERS.includes(name)) continue;
      if (!WORKING_FOLDERS.includes(name)) return BESIDE;
      if (!sameFolder(value, this.call)) return "an argument sets another working directory";
    }
    return undefined;
  }
}

// The folder in which an agent runs the line, if it is known to heed the argument, and the text means the same to `cd`.
function folderOf(args: Args, agent: AgentShell | undefined): string | undefined {
  const folder = own(args, agent?.folder ?? "");
  return typeof folder === "string" && PLAIN_FOLDER.test(folder) ? folder : undefined;
}
