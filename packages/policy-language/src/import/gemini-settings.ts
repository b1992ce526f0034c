import type { Effect } from "@bylaw/kernel";
import type { Draft } from "./draft.ts";
import type { ImportInput, SourcePlace } from "./finding.ts";
import type { RawGeminiRule } from "../compat/gemini/gemini-schema.ts";
import { SHELL } from "../compat/gemini/gemini-tool.ts";
import { geminiRule, type GeminiImport } from "./gemini-rule.ts";
import { member, placeOf, readJson, shown, type Node } from "./json.ts";

// The rank that gemini-cli gives each list among the user's rules, in thousandths.
const LISTS: readonly (readonly [group: string, key: string, effect: Effect, priority: number])[] =
  [
    ["mcp", "excluded", "deny", 900],
    ["tools", "exclude", "deny", 400],
    ["tools", "confirmationRequired", "ask_user", 350],
    ["tools", "allowed", "allow", 300],
    ["tools", "core", "allow", 250],
    ["mcp", "allowed", "allow", 100],
  ];

/** Reads the lists of tools and servers of gemini-cli's settings.json. */
export const readGeminiSettings = (
  { file, text }: ImportInput,
  draft: Draft,
): readonly GeminiImport[] => new SettingsReader(file, draft).read(readJson(text, file));

type Entry = Omit<RawGeminiRule, "priority">;

class SettingsReader {
  readonly #file: string;
  readonly #draft: Draft;
  readonly #rules: GeminiImport[] = [];

  constructor(file: string, draft: Draft) {
    this.#file = file;
    this.#draft = draft;
  }

  read(root: Node): readonly GeminiImport[] {
    for (const list of LISTS) this.#readList(root, list);
    const servers = member(root, "mcpServers");
    for (const [name, server] of servers?.kind === "object" ? servers.entries : []) {
      const trust = member(server, "trust");
      if (trust?.kind !== "other" || trust.value !== true) continue;
      const place = placeOf(this.#file, trust, `mcpServers.${name}.trust: true`);
      this.#add({ toolName: "*", mcpName: name, decision: "allow" }, 200, place);
    }
    return this.#rules;
  }

  #readList(root: Node, [group, key, effect, priority]: (typeof LISTS)[number]): void {
    const list = member(member(root, group), key);
    if (list === undefined) return;
    const name = `${group}.${key}`;
    if (list.kind !== "array") {
      const place = placeOf(this.#file, list, `${name}: ${shown(list)}`);
      return this.#draft.doubt(place, `\`${name}\` is not a list`);
    }
    let narrowed = false;
    for (const node of list.items) {
      const place = placeOf(this.#file, node, `${name}: ${shown(node)}`);
      if (node.kind !== "text" || node.text === "")
        this.#draft.lose(effect, place, "a name must be a string");
      else if (group === "mcp")
        this.#add({ toolName: "*", mcpName: node.text, decision: effect }, priority, place);
      else narrowed = this.#addTool(node.text, effect, priority, place) || narrowed;
    }
    // gemini-cli adds these rules itself: it denies the rest of the shell, or all other tools.
    const rest = placeOf(this.#file, list, name);
    if (narrowed && key === "allowed")
      this.#add({ toolName: SHELL, decision: "deny" }, priority - 10, rest);
    if (key === "core") this.#add({ toolName: "*", decision: "deny" }, priority - 10, rest);
  }

  #add(rule: Entry, priority: number, place: SourcePlace): void {
    const read = geminiRule({ ...rule, priority }, place, this.#draft);
    if (typeof read === "string") this.#draft.lose(rule.decision, place, read);
    else if (read !== undefined) this.#rules.push(read);
  }

  // Adds an entry of a list. Returns whether it allows only part of the shell.
  #addTool(text: string, effect: Effect, priority: number, place: SourcePlace): boolean {
    const [, tool = text, prefix] = /^([^()]+)\(([^]*)\)$/.exec(text) ?? [];
    const isShell = tool === SHELL || tool === "ShellTool";
    const allow = effect === "allow";
    const compared = "gemini-cli compares the whole text with the name of a tool";
    if (prefix !== undefined && !isShell && allow) {
      this.#draft.find("lost", place, `${compared}, so it never allowed anything`);
      return false;
    }
    if (prefix !== undefined && !allow) {
      const result = isShell
        ? ", so it never blocked anything; the imported rule does"
        : "; the imported rule holds for every call of the tool";
      this.#draft.find("stricter", place, `${compared}${result}`);
    }
    if (prefix === undefined || !isShell) {
      this.#add({ toolName: isShell ? SHELL : tool, decision: effect }, priority, place);
      return false;
    }
    const words = prefix.trim();
    if (words === "")
      this.#draft.lose(effect, place, "there is no command between the parentheses");
    else this.#add({ toolName: SHELL, commandPrefix: words, decision: effect }, priority, place);
    return allow;
  }
}
