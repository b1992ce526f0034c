import type { Effect } from "@bylaw/kernel";
import type { Draft } from "./draft.ts";
import type { ImportInput, SourcePlace } from "./finding.ts";
import type { RawGeminiRule } from "../compat/gemini/gemini-schema.ts";
import { SHELL } from "../compat/gemini/gemini-tool.ts";
import { geminiRule, type GeminiImport } from "./gemini-rule.ts";
import { member, readJson, shown, type Node } from "./json.ts";

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
export function readGeminiSettings(
  { file, text }: ImportInput,
  draft: Draft,
): readonly GeminiImport[] {
  const root = readJson(text, file);
  const rules: GeminiImport[] = [];
  const add = (
    rule: Omit<RawGeminiRule, "priority">,
    priority: number,
    place: SourcePlace,
  ): void => {
    const read = geminiRule({ ...rule, priority }, place, draft);
    if (typeof read !== "string") return void (read === undefined ? undefined : rules.push(read));
    if (rule.decision === "allow") draft.find("lost", place, read);
    else draft.doubt(place, read);
  };
  const placeOf = (node: Node, source: string): SourcePlace => ({
    file,
    line: node.line,
    column: node.column,
    source,
  });
  for (const [group, key, effect, priority] of LISTS) {
    const list = member(member(root, group), key);
    if (list === undefined) continue;
    const name = `${group}.${key}`;
    const names = list.kind === "array" ? list.items : [];
    let narrowed = false;
    for (const node of names) {
      const place = placeOf(node, `${name}: ${shown(node)}`);
      if (node.kind !== "text" || node.text === "") {
        if (effect === "allow") draft.find("lost", place, "a name must be a string");
        else draft.doubt(place, "a name must be a string");
        continue;
      }
      if (group === "mcp")
        add({ toolName: "*", mcpName: node.text, decision: effect }, priority, place);
      else narrowed = addTool(node.text, effect, priority, place, { add, draft }) || narrowed;
    }
    if (list.kind !== "array") {
      draft.doubt(placeOf(list, `${name}: ${shown(list)}`), `\`${name}\` is not a list`);
      continue;
    }
    // gemini-cli adds these rules itself: it denies the rest of the shell, or all other tools.
    const rest = placeOf(list, name);
    if (narrowed && key === "allowed")
      add({ toolName: SHELL, decision: "deny" }, priority - 10, rest);
    if (key === "core") add({ toolName: "*", decision: "deny" }, priority - 10, rest);
  }
  const servers = member(root, "mcpServers");
  for (const [name, server] of servers?.kind === "object" ? servers.entries : []) {
    const trust = member(server, "trust");
    if (trust?.kind !== "other" || trust.value !== true) continue;
    add(
      { toolName: "*", mcpName: name, decision: "allow" },
      200,
      placeOf(trust, `mcpServers.${name}.trust: true`),
    );
  }
  return rules;
}

interface Sink {
  readonly add: (
    rule: Omit<RawGeminiRule, "priority">,
    priority: number,
    place: SourcePlace,
  ) => void;
  readonly draft: Draft;
}

// Adds an entry of a list. Returns whether it allows only part of the shell.
function addTool(
  text: string,
  effect: Effect,
  priority: number,
  place: SourcePlace,
  { add, draft }: Sink,
): boolean {
  const [, tool = text, prefix] = /^([^()]+)\(([^]*)\)$/.exec(text) ?? [];
  const isShell = tool === SHELL || tool === "ShellTool";
  if (prefix === undefined) {
    add({ toolName: isShell ? SHELL : tool, decision: effect }, priority, place);
    return false;
  }
  if (!isShell) {
    if (effect === "allow")
      draft.find(
        "lost",
        place,
        "gemini-cli compares the whole text with the name of a tool, so it never allowed anything",
      );
    else {
      draft.find(
        "stricter",
        place,
        "gemini-cli compares the whole text with the name of a tool; the imported rule holds for every call of the tool",
      );
      add({ toolName: tool, decision: effect }, priority, place);
    }
    return false;
  }
  if (effect !== "allow")
    draft.find(
      "stricter",
      place,
      "gemini-cli compares the whole text with the name of a tool, so it never blocked anything; the imported rule does",
    );
  const words = prefix.trim();
  if (words === "") {
    if (effect === "allow")
      draft.find("lost", place, "there is no command between the parentheses");
    else draft.doubt(place, "there is no command between the parentheses");
    return effect === "allow";
  }
  add({ toolName: SHELL, commandPrefix: words, decision: effect }, priority, place);
  return effect === "allow";
}
