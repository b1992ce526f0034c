import { freezeJson, isJsonObject, messageOf, type Json, type JsonObject } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { digestOfTool, textFault, toolFault } from "./check-tool.ts";
import { MessageFault, RPC } from "./message.ts";
import type { ToolPins } from "./tool-pins.ts";

/** A tool in the server's last list. */
export interface ListedTool {
  readonly name: string;
  readonly definition: JsonObject;
  /** The reason why it is withheld. */
  readonly fault?: string | undefined;
}

export interface Listing {
  /** The server's first answer. Its other parts are passed on. */
  readonly answer: JsonObject;
  readonly tools: ReadonlyMap<string, ListedTool>;
}

/** A tool that appeared or changed after the tools of its server were pinned. */
export interface ToolChange {
  readonly tool: string;
  /** The digest of its definition. */
  readonly digest: string;
  readonly state: "new" | "changed";
  /** Whether the tool is offered nevertheless. */
  readonly offered: boolean;
}

export interface ToolTableOptions {
  /** Requests one page from the server. Rejects with the server's error. */
  readonly fetch: (cursor: string | undefined) => Promise<Json>;
  readonly pins: Pick<ToolPins, "read" | "pin">;
  /** Whether to withhold tools that are not pinned, instead of pinning them. */
  readonly acceptedOnly: boolean;
  /** Receives notes for the person who started the proxy. */
  readonly notice: (text: string) => void;
  /** Receives each change once. */
  readonly changed: (change: ToolChange) => void;
}

const MAX_TOOLS = 1_000;
const MAX_PAGES = 100;
const INSTRUCTIONS = "(instructions)";

/** The tools of a server. It reads them page by page, checks them, and compares them with the pinned ones. */
export class ToolTable {
  readonly #options: ToolTableOptions;
  readonly #warned = new Set<string>();
  #listing: Listing | undefined;
  #loading: Promise<Listing> | undefined;
  #changes = 0;

  constructor(options: ToolTableOptions) {
    this.#options = options;
  }

  /** The last list, unless the server has announced a change since. */
  get current(): Listing | undefined {
    return this.#listing;
  }

  /** Drops the list, because the server announced a change. */
  forget(): void {
    this.#changes += 1;
    this.#listing = undefined;
  }

  /** Loads the list once for all callers that wait. Rejects with the server's error, and with BYLAW_MCP_PINS_INVALID. */
  load(): Promise<Listing> {
    return (this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    }));
  }

  /** Checks a server's instructions like a tool. Undefined if they are withheld. */
  instructions(text: Json): Json | undefined {
    const { pins } = this.#options;
    const digest = digestOfTool({ text });
    const pinned = pins.read().get(INSTRUCTIONS);
    const fault = textFault(text) ?? this.#pinFault(pinned, digest);
    if (fault !== undefined) {
      this.#tell(`The instructions of the server are withheld: ${fault}`);
      return undefined;
    }
    if (pinned !== digest) pins.pin(new Map([[INSTRUCTIONS, digest]]));
    return text;
  }

  async #load(): Promise<Listing> {
    const changes = this.#changes;
    const [answer, definitions] = await this.#pages();
    const listing = { answer, tools: this.#checked(definitions) };
    // If the list changed again meanwhile, the waiting callers get this one, but the next caller loads it again.
    if (changes === this.#changes) this.#listing = listing;
    return listing;
  }

  async #pages(): Promise<readonly [first: JsonObject, definitions: readonly JsonObject[]]> {
    let first: JsonObject | undefined;
    let cursor: string | undefined;
    const definitions: JsonObject[] = [];
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await this.#options.fetch(cursor);
      const { tools, nextCursor } = isJsonObject(answer) ? answer : ({} as Partial<JsonObject>);
      if (!isJsonObject(answer) || !Array.isArray(tools) || !tools.every(isJsonObject))
        throw new MessageFault(RPC.refused, "The server did not answer with a list of tools");
      first ??= answer;
      definitions.push(...(tools as readonly JsonObject[]));
      if (definitions.length > MAX_TOOLS) break;
      if (nextCursor === undefined) return [first, definitions];
      if (typeof nextCursor !== "string" || nextCursor === cursor) break;
      cursor = nextCursor;
    }
    throw new MessageFault(
      RPC.refused,
      `The server lists more than ${MAX_TOOLS} tools, or an endless list`,
    );
  }

  #checked(definitions: readonly JsonObject[]): Listing["tools"] {
    const { pins } = this.#options;
    const pinned = pins.read();
    const names = new Map<string, number>();
    for (const { name } of definitions)
      if (typeof name === "string")
        names.set(name.toLowerCase(), (names.get(name.toLowerCase()) ?? 0) + 1);
    const isFirst = [...pinned.keys()].every((name) => name === INSTRUCTIONS);
    const fresh = new Map<string, string>();
    const tools = new Map<string, ListedTool>();
    for (const given of definitions) {
      const [definition, wrong] = this.#check(given, names);
      const name = String(given["name"]);
      const digest = wrong === undefined ? digestOfTool(definition) : "";
      const before = pinned.get(name);
      const fault = wrong ?? this.#pinFault(before, digest);
      if (fault === undefined && before === undefined) fresh.set(name, digest);
      this.#report({ tool: name, digest, fault, isNew: before === undefined && !isFirst });
      tools.set(name, { name, definition, fault });
    }
    pins.pin(fresh);
    return tools;
  }

  #report({
    tool,
    digest,
    fault,
    isNew,
  }: {
    readonly tool: string;
    readonly digest: string;
    readonly fault: string | undefined;
    readonly isNew: boolean;
  }): void {
    if (fault === undefined && !isNew) return;
    const warned = this.#tell(
      fault === undefined
        ? `The tool ${quote(tool)} is new. It is offered now, and withheld if it changes`
        : `The tool ${quote(tool)} is withheld: ${fault}`,
    );
    const state = fault === CHANGED ? "changed" : isNew ? "new" : undefined;
    if (warned && state !== undefined)
      this.#options.changed({ tool, digest, state, offered: fault === undefined });
  }

  #pinFault(pinned: string | undefined, digest: string): string | undefined {
    if (pinned !== undefined) return pinned === digest ? undefined : CHANGED;
    return this.#options.acceptedOnly ? NOBODY_ACCEPTED : undefined;
  }

  #check(
    given: JsonObject,
    names: ReadonlyMap<string, number>,
  ): readonly [definition: JsonObject, fault: string | undefined] {
    try {
      const definition = freezeJson(given) as JsonObject;
      return [definition, toolFault(definition, names)];
    } catch (error) {
      return [{}, `its definition cannot be read: ${messageOf(error)}`];
    }
  }

  /** Returns whether the text is new. */
  #tell(text: string): boolean {
    if (this.#warned.has(text) || this.#warned.size > MAX_TOOLS) return false;
    this.#warned.add(text);
    this.#options.notice(text);
    return true;
  }
}

const CHANGED = "it changed since a person accepted it";
const NOBODY_ACCEPTED = "no person accepted it";
