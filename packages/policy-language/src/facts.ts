import { isJsonObject, type Json, type ToolCall } from "@bylaw/kernel";
import { baseName, readCommand, type CommandReading } from "./command.ts";
import { identify, type Identity } from "./mcp.ts";
import { pathFacts, sameFolder, type PathFacts } from "./paths.ts";
import { HARMLESS_BESIDE_A_LINE, WORKING_FOLDERS, type ToolTable } from "./tools.ts";
import { bareName } from "./words.ts";

/** A line with what the matchers need of it, made once. */
export interface CommandFacts {
  readonly reading: CommandReading;
  /** Positions from which a denied command may start. */
  readonly starts: number;
}

// So much text, all starts together, that a long line of many words stays cheap. The line itself is asked about anyway.
const MAX_TEXTS = 131_072;

/** What the rules ask about one call; each answer is worked out once, and only when a rule asks. */
export class CallFacts {
  readonly call: ToolCall;
  readonly tools: ToolTable;
  readonly identity: Identity;
  #command: CommandFacts | null | undefined = undefined;
  #paths: PathFacts | undefined = undefined;
  #line: string | undefined = undefined;
  #lines: readonly string[] | undefined = undefined;

  constructor(call: ToolCall, tools: ToolTable) {
    this.call = call;
    this.tools = tools;
    this.identity = identify(call);
  }

  /** The arguments by name; an array has none. */
  get args(): { readonly [name: string]: Json } | undefined {
    const { args } = this.call;
    return isJsonObject(args) ? args : undefined;
  }

  /** The shell line of a shell tool; null for any other tool. */
  get command(): CommandFacts | null {
    if (this.#command === undefined) this.#command = this.#readCommand();
    return this.#command;
  }

  /** The files that the call names. */
  get paths(): PathFacts {
    this.#paths ??= pathFacts(this);
    return this.#paths;
  }

  /** The canonical text of the line, for an allow. */
  get line(): string {
    const argv = this.command?.reading.argv ?? [];
    this.#line ??= [bareName(argv[0] ?? ""), ...argv.slice(1)].join(" ");
    return this.#line;
  }

  /** The texts that a denied command could have: from each word that may start one, with its path and without. */
  get lines(): readonly string[] {
    if (this.#lines !== undefined) return this.#lines;
    const lines: string[] = [];
    const { command } = this;
    const argv = command?.reading.argv ?? [];
    let size = 0;
    for (let from = 0; from < (command?.starts ?? 0) && size < MAX_TEXTS; from++) {
      const words = argv.slice(from);
      const text = words.join(" ");
      lines.push(text);
      size += text.length;
      const [program = "", ...rest] = words;
      if (program.includes("/")) lines.push([baseName(program), ...rest].join(" "));
    }
    this.#lines = lines;
    return lines;
  }

  #readCommand(): CommandFacts | null {
    const argument = this.tools.shell.get(this.identity.bare);
    if (argument === undefined) return null;
    const { args } = this;
    const line: Json | undefined = args !== undefined && Object.hasOwn(args, argument) ? args[argument] : undefined;
    const reading: CommandReading =
      typeof line === "string" ? readCommand(line) : { unknown: `an argument \`${argument}\` that is not text` };
    const argv = reading.argv ?? [];
    const alone = "risky" in reading && !reading.carries;
    const beside = "unknown" in reading ? undefined : this.#besideLine(argument);
    return { reading: beside === undefined ? reading : { unknown: beside, argv }, starts: alone ? Math.min(1, argv.length) : argv.length };
  }

  // What else a shell tool is told: an environment, an input or another folder changes what the same words do.
  #besideLine(line: string): string | undefined {
    for (const [name, value] of Object.entries(this.args ?? {})) {
      if (name === line || (HARMLESS_BESIDE_A_LINE.has(name) && (typeof value !== "object" || value === null))) continue;
      if (!WORKING_FOLDERS.includes(name)) return "argument beside the command that may change what it does";
      if (!sameFolder(value, this.call)) return "working directory beside the command";
    }
    return undefined;
  }
}
