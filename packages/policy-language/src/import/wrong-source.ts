import { BylawError } from "@bylaw/kernel";
import { withoutMark } from "../load/byte-order-mark.ts";
import type { ImportInput, ImportSource } from "./finding.ts";

type Kind = ImportSource | "bylaw" | "json";

const NAMES: Readonly<Record<Kind, string>> = {
  claude: "settings of Claude Code",
  gemini: "rules of gemini-cli",
  codex: "rules of Codex",
  bylaw: "policy of Bylaw",
  json: "JSON",
};

const ADVICE: { readonly [kind in Kind]?: string } = {
  bylaw: "It needs no import: name it in a configuration, or with `--policy`",
  json: "Name a file that the tool itself reads",
};

/** Throws `BYLAW_IMPORT_INVALID` for a file that is plainly one of another tool: read as this one it would come to nothing, rule by rule. */
export function refuseOthers(source: ImportSource, inputs: readonly ImportInput[]): void {
  for (const { file, text } of inputs) {
    const kinds = kindsOf(withoutMark(text));
    const [kind] = kinds;
    if (kind === undefined || kinds.includes(source)) continue;
    throw new BylawError({
      code: "BYLAW_IMPORT_INVALID",
      message: `The file has ${NAMES[kind]}, not ${NAMES[source]}`,
      fix: ADVICE[kind] ?? `Run \`bylaw import ${kind}\``,
      source: { file },
    });
  }
}

// What a text has that only one of the tools writes. Several, where it has marks of several.
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
    // gemini-cli reads such a file too, and drops it in silence.
    ...(/^\s*\[\[rules\]\]/m.test(text) ? (["bylaw", "gemini"] as const) : []),
  ];
}
