import { isJsonObject, type Json, type ToolCall } from "@bylaw/kernel";
import { readLine, suspectParts, unreadable, type LineFacts, type LinePart } from "./shell-line.ts";
import { carriedLines } from "./carried-lines.ts";
import { identify, type Identity } from "./mcp.ts";
import { sameFolder } from "../paths/path-text.ts";
import { pathFacts, type PathFacts } from "../paths/path-facts.ts";
import { HARMLESS_BESIDE_A_LINE, WORKING_FOLDERS, type ToolTable } from "../compile/tool-table.ts";

/** The name of the plugin that stamps the paths of a call, where nobody says another. */
const PATHS_FACT = "@bylaw/plugin-policy";

const OFF: ReadonlySet<Json> = new Set<Json>([false, null, 0, ""]);

const NONE: readonly CallFacts[] = [];

interface CallContext {
  /** See {@link CallFacts.pathsFact}. */
  readonly pathsFact?: string | undefined;
  /** The arguments that rules name. */
  readonly namedArguments?: ReadonlySet<string> | undefined;
  readonly identity?: Identity;
  readonly part?: LinePart | null;
  readonly moment?: Moment;
}

/** What the call and its commands share. */
interface Moment {
  /** The run before the call, set by the policy pool. */
  past?: unknown;
}

/** What the rules ask about one call; each answer is worked out once, and only when a rule asks. */
export class CallFacts {
  readonly call: ToolCall;
  readonly tools: ToolTable;
  readonly identity: Identity;
  /** The fact of the call under which the host says where its paths lead. */
  readonly pathsFact: string;
  /** The command of the line that the rules are asked about; null for a call that runs no line, and for the call as a whole. */
  readonly part: LinePart | null;
  readonly moment: Moment;
  readonly #named: ReadonlySet<string> | undefined;
  #line: LineFacts | null | undefined = undefined;
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

  /** The arguments by name; an array has none. */
  get args(): { readonly [name: string]: Json } | undefined {
    const { args } = this.call;
    return isJsonObject(args) ? args : undefined;
  }

  /** The shell line of a shell tool; null for any other tool. */
  get line(): LineFacts | null {
    if (this.#line === undefined) this.#line = this.#readLine();
    return this.#line;
  }

  /** The facts of each command of the line. */
  get commands(): readonly CallFacts[] {
    return (this.line?.parts ?? []).map((part) => this.#of(part));
  }

  #of(part: LinePart): CallFacts {
    const { call, tools, pathsFact, identity, moment } = this;
    return new CallFacts(call, tools, {
      ...{ pathsFact, namedArguments: this.#named, identity, part, moment },
    });
  }

  /**
   * Commands in the arguments of a tool that is not known as a shell, or whose line is a list of words. Denies and asks are about them, and
   * nothing has to allow them.
   */
  get carried(): readonly CallFacts[] {
    const { args, line } = this;
    if (args === undefined || (line !== null && line.unknown === undefined)) return NONE;
    const lines = carriedLines(args);
    if (lines.length === 0) return NONE;
    return lines.flatMap((text) => suspectParts(text).map((part) => this.#of(part)));
  }

  /** What the rules are asked about: each command of the line, or the call itself where it runs none. */
  get perCommand(): readonly CallFacts[] {
    return this.line === null ? [this] : this.commands;
  }

  /** The files that the call names, or this command of it. */
  get paths(): PathFacts {
    this.#paths ??= pathFacts(this);
    return this.#paths;
  }

  #readLine(): LineFacts | null {
    const argument = this.tools.shell.get(this.identity.bare);
    if (argument === undefined) return null;
    const { args } = this;
    const line: Json | undefined =
      args !== undefined && Object.hasOwn(args, argument) ? args[argument] : undefined;
    return typeof line === "string"
      ? readLine(line, this.#besideLine(argument))
      : unreadable(`argument \`${argument}\` that is not text`);
  }

  // What else a shell tool is told: an environment, an input or another folder changes what the same words do.
  #besideLine(line: string): string | undefined {
    const { args = {} } = this;
    // Without a list of pairs: nearly every call has the line alone.
    for (const name in args) {
      if (name === line || !Object.hasOwn(args, name)) continue;
      const value = args[name] ?? null;
      if (HARMLESS_BESIDE_A_LINE.has(name) && (typeof value !== "object" || value === null))
        continue;
      // A switch that a rule knows by name, and that is off.
      if (this.#named?.has(name) === true && OFF.has(value) && !WORKING_FOLDERS.includes(name))
        continue;
      if (!WORKING_FOLDERS.includes(name))
        return "argument beside the command that may change what it does";
      if (!sameFolder(value, this.call)) return "working directory beside the command";
    }
    return undefined;
  }
}
