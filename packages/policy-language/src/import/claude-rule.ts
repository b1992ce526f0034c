import type { Effect } from "@bylaw/kernel";
import { EDITORS, pathCandidates, READERS } from "./claude-path.ts";
import type { Candidate } from "./draft.ts";
import type { ImportInput } from "./finding.ts";
import {
  coveringPrefix,
  literal,
  NETWORK_TOOLS,
  plainWords,
  SHELL_TOOLS,
  starred,
  starRegex,
} from "./literal.ts";

type Read = { readonly rules: readonly (readonly Candidate[])[] } | { readonly lost: string };

const one = (...candidates: readonly Candidate[]): Read => ({ rules: [candidates] });

/** Translates one entry of `allow`, `ask` or `deny` into rules. Each rule has its candidates, most exact first. */
export function claudeCandidates(
  text: string,
  effect: Effect,
  scope: NonNullable<ImportInput["scope"]>,
): Read {
  const allow = effect === "allow";
  const parsed = /^([^\s()]+)(?:\(([^]*)\))?$/.exec(text);
  const [, tool = "", content] = parsed ?? [];
  if (parsed === null)
    return allow
      ? { lost: "it does not have the form `Tool` or `Tool(specifier)`" }
      : { lost: "it cannot be read" };
  const specifier =
    content === undefined || content === "*" || content === ":*" ? undefined : content;
  if (tool.startsWith("mcp__")) return ofServer(tool, specifier, effect);
  if (specifier === "" || specifier?.trim() !== specifier) {
    return allow
      ? { lost: "the text between the parentheses is empty, or begins or ends with a space" }
      : wholeTool(tool);
  }
  if (specifier === undefined) return bare(tool, effect);
  switch (tool) {
    case "Bash":
      return ofShell(specifier, effect);
    case "Read":
    case "Edit": {
      const candidates = pathCandidates(
        tool === "Read" ? "read" : "edit",
        specifier,
        effect,
        scope,
      );
      return typeof candidates === "string" ? { lost: candidates } : { rules: [candidates] };
    }
    case "Write":
    case "MultiEdit":
    case "NotebookEdit": {
      if (allow)
        return {
          lost: `Claude Code checks paths with \`Edit(…)\` and never consults \`${tool}(…)\``,
        };
      const candidates = pathCandidates("edit", specifier, effect, scope);
      const note = `Claude Code ignores \`${tool}(…)\` with a path; the imported rule holds, for every tool that writes`;
      return typeof candidates === "string"
        ? wholeTool(tool)
        : one(...candidates.map((candidate) => ({ note, ...candidate })));
    }
    case "WebFetch":
      return ofHost(specifier, effect);
    case "Agent":
    case "Task":
      return one({ keys: { tool: "Agent|Task", args: { subagent_type: { eq: specifier } } } });
    default:
      return allow ? { lost: `Bylaw does not know what \`${tool}(…)\` compares` } : wholeTool(tool);
  }
}

const FAMILIES: Readonly<Record<string, string>> = {
  Bash: SHELL_TOOLS,
  Edit: EDITORS,
  Read: READERS,
  Agent: "Agent|Task",
  Task: "Agent|Task",
};

function wholeTool(tool: string): Read {
  return one({
    keys: { tool: FAMILIES[tool] ?? literal(tool) },
    note: "Bylaw does not know what it compares, so the rule holds for every call of the tool",
  });
}

function bare(tool: string, effect: Effect): Read {
  if (effect !== "allow") return one({ keys: { tool: FAMILIES[tool] ?? starred(tool) } });
  if (tool.includes("*"))
    return { lost: "Claude Code ignores an allow with a `*` in the name of the tool" };
  return one({
    keys: { tool: tool === "Bash" || tool === "Agent" ? (FAMILIES[tool] ?? tool) : tool },
  });
}

function ofServer(name: string, specifier: string | undefined, effect: Effect): Read {
  const allow = effect === "allow";
  if (specifier !== undefined && allow)
    return { lost: "Claude Code has no specifiers for MCP tools" };
  const note =
    specifier === undefined
      ? {}
      : {
          note: "the specifier cannot be carried over, so the rule holds for every call of the tool",
        };
  const [server = "", ...rest] = name.slice("mcp__".length).split("__");
  const tool = rest.join("__");
  if (server === "" || server.includes("*")) {
    if (allow) return { lost: "Claude Code ignores an allow that does not spell out the server" };
    return one(
      {
        keys: {
          tool: `${starred(name)}|mcp_${starred(name.slice("mcp__".length)).replace("__", "_")}`,
        },
        ...note,
      },
      { keys: { tool: "mcp_*" }, ...note },
    );
  }
  const all = tool === "" || tool === "*";
  if (allow)
    return one({ keys: { server: literal(server), ...(all ? {} : { tool: starred(tool) }) } });
  if (all) return one({ keys: { server: literal(server) }, ...note });
  // Deny the full name, wherever it is split into server and tool.
  return one({ keys: { tool: starred(name) }, ...note });
}

function ofHost(specifier: string, effect: Effect): Read {
  const allow = effect === "allow";
  const host = /^domain:(\S+)$/.exec(specifier)?.[1]?.toLowerCase();
  const whole: Candidate = {
    keys: { tool: NETWORK_TOOLS },
    note: "Bylaw knows only the specifier `domain:`, so the rule holds for every call that opens a URL",
  };
  if (host === undefined)
    return allow ? { lost: "Bylaw knows only the specifier `domain:`" } : one(whole);
  if (allow) return one({ keys: { tool: "WebFetch", network: [starred(host)] } });
  const hosts = host.startsWith("*.") ? [host, host.slice(2)] : [host, `*.${host}`];
  return one({ keys: { tool: NETWORK_TOOLS, network: hosts.map(starred) } }, whole);
}

function ofShell(specifier: string, effect: Effect): Read {
  const allow = effect === "allow";
  const colon = specifier.endsWith(":*");
  const text = colon ? `${specifier.slice(0, -2).trimEnd()} *` : specifier;
  const open = text.endsWith(" *");
  const body = open ? text.slice(0, -2).trimEnd() : text;
  const { words, all } = plainWords(body);
  const inner = body.includes("*");
  if (words.length === 0)
    return allow
      ? { lost: "it begins with shell syntax that no pattern can contain" }
      : one(...coveringPrefix(body));
  if (!all)
    return allow
      ? { lost: "it contains shell syntax, and an allow can cover only plain words" }
      : one(...coveringPrefix(body.split("*")[0] ?? ""));
  // In a prefix that ends inside a word, a `*` after it continues that word. Older versions of Claude Code let `:*`
  // match any text, so such a prefix can be told by its last character.
  const goesOn = colon && !allow && /[^A-Za-z0-9*]$/.test(body) ? "*" : "";
  const shown = `${words.map(starred).join(" ")}${goesOn}${open || body.endsWith("*") ? " *" : ""}`;
  if (!inner) return one({ keys: { command: shown } }, ...(allow ? [] : coveringPrefix(body)));
  if (allow) {
    const stays =
      words.slice(0, -1).every((word) => !word.includes("*")) &&
      /^[^*]+\*$/.test(words.at(-1) ?? "");
    return one(
      stays
        ? { keys: { command: shown } }
        : {
            keys: { command: shown },
            note: "a `*` between words matches exactly one word in a policy; in Claude Code it may match several",
          },
    );
  }
  const regex = `${starRegex(body)}${open ? "( .*)?" : ""}`;
  return one({ keys: { command_regex: regex } }, ...coveringPrefix(body.split("*")[0] ?? ""));
}
