import { BylawError } from "@bylaw/kernel";
import { withoutMark } from "../load/byte-order-mark.ts";
import type { ImportInput, ImportSource } from "./finding.ts";

type Kind = ImportSource | "bylaw" | "json";

const NAMES: Readonly<Record<Kind, string>> = {
  claude: "settings for Claude Code",
  gemini: "rules for gemini-cli",
  codex: "rules for Codex",
  bylaw: "rules for Bylaw",
  json: "JSON",
};

const ADVICE: { readonly [kind in Kind]?: string } = {
  bylaw: "It needs no import: name it in a configuration, or with `--policy`",
  json: "Name a file that the tool itself reads",
};

/**
 * Throws `BYLAW_IMPORT_INVALID` for a file that clearly belongs to another tool. Without this check, its import is
 * empty, or loses every rule.
 */
export function refuseOthers(source: ImportSource, inputs: readonly ImportInput[]): void {
  for (const { file, text } of inputs) {
    const kinds = kindsOf(withoutMark(text));
    const [kind] = kinds;
    if (kind === undefined || kinds.includes(source)) continue;
    throw new BylawError({
      code: "BYLAW_IMPORT_INVALID",
      message: `The file contains ${NAMES[kind]}, not ${NAMES[source]}`,
      fix: ADVICE[kind] ?? `Run \`bylaw import ${kind}\``,
      source: { file },
    });
  }
}

// The tools whose unmistakable syntax the text contains. May be several.
function kindsOf(text: string): readonly Kind[] {
  if (/^\s*[{/]/.test(text)) {
    const claude = /"permissions"\s*:\s*\{/.test(text);
    const gemini = /"(?:tools|mcp)"\s*:\s*\{/.test(text);
    const known = [
      ...(claude ? (["claude"] as const) : []),
      ...(gemini ? (["gemini"] as const) : []),
    ];
    return known.length > 0 || !/^\s*\{/.test(text) ? known : ["json", "claude", "gemini"];
  }
  return [
    ...(/^(?:prefix_rule|host_executable)\s*\(/m.test(text) ? (["codex"] as const) : []),
    ...(/^\s*\[\[rule\]\]/m.test(text) ? (["gemini"] as const) : []),
    // gemini-cli accepts such a file too, but silently ignores its rules.
    ...(/^\s*\[\[rules\]\]/m.test(text) ? (["bylaw", "gemini"] as const) : []),
  ];
}
