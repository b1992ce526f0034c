import { baseName } from "../../compile/program-name.ts";
import { OPENS_URLS } from "../../match/command-words.ts";
import { readUrlWord, type UrlWord } from "../../match/word-cover.ts";
import type { LintCheck } from "../check.ts";
import { isLiteral, literalPrefix } from "../glob-cover.ts";

/** Finds allows with a wildcard that covers something else than it seems to. */
export const misplacedWildcard: LintCheck = {
  code: "misplaced_wildcard",
  severity: "error",
  check(pool, report) {
    for (const rule of pool.rules) {
      const { commands = [] } = rule.shape;
      if (rule.source.effect !== "allow") continue;
      const listed = commands.length > 1 && rule.source.command?.length === commands.length;
      for (const [at, pattern] of commands.entries()) {
        const [program = "", ...words] = pattern.split(" ");
        for (const [index, word] of words.entries()) {
          if (isLiteral(word) || /^\*+$/.test(word)) continue;
          const [why, fix] =
            ofPath(word) ??
            ofRefspec(baseName(program), words, index) ??
            ofUrl(word, OPENS_URLS.has(baseName(program))) ??
            [];
          if (why === undefined) continue;
          const key = listed ? ["command", at] : ["command"];
          report(rule, key, `\`${pattern}\` in \`${rule.source.name}\` ${why}`, fix);
        }
      }
    }
  },
};

type Misplaced = readonly [why: string, fix: string];

// The folder that `..` leaves is unknown if a wildcard stands for it, and a link may lead elsewhere.
function ofPath(word: string): Misplaced | undefined {
  const climb = /[^/=]*[^./=][^/]*\/+\.\.(?:\/|$)/.exec(word);
  if (climb === null) return undefined;
  return [
    `has a \`..\` after a folder, so \`${word}\` names a different path than it seems`,
    `Write the path without \`..\`: \`${word.replace(climb[0], "")}\``,
  ];
}

const REFSPEC = /^(?:\+|[^:]*:)/;

function ofRefspec(
  program: string,
  words: readonly string[],
  index: number,
): Misplaced | undefined {
  const [subcommand = ""] = words;
  const word = words[index] ?? "";
  const remote = words.findIndex((one, at) => at > 0 && !one.startsWith("-"));
  if (program !== "git" || !/^(?:push|fetch|pull)$/.test(subcommand)) return undefined;
  if (index <= remote || word.startsWith("-") || !REFSPEC.test(word)) return undefined;
  const plain = word.replace(/^\+/, "").replace(/:.*$/s, "") || "*";
  return [
    `covers nothing with \`${word}\`: a refspec that forces, deletes or renames has no wildcard`,
    `Write \`${plain}\`, or each refspec in full`,
  ];
}

function ofUrl(word: string, url: boolean): Misplaced | undefined {
  const parts = readUrlWord(word, { url });
  if (parts === undefined || parts.authority === "*") return undefined;
  return openEnd(parts) ?? openStart(parts);
}

// A wildcard may stand for a port or for the last number of an address.
function openEnd({ option, scheme, authority, rest }: UrlWord): Misplaced | undefined {
  if (!/[*?\]]$/.test(authority) || /(?:[\d.]\.|:)\*$/.test(authority)) return undefined;
  const host = authority.replace(/[*?]+$|\[[^\]]*\]$/, "").replace(/\.$/, "");
  return [
    `leaves the end of the host \`${authority}\` open, but the host must be complete`,
    `Write \`${option}${scheme}${host}${rest === "" ? "/*" : rest}\``,
  ];
}

// Anyone can register a name with the same ending.
function openStart({ option, scheme, authority, rest }: UrlWord): Misplaced | undefined {
  const host = authority.replace(/^.*@/, "").replace(/:[^:]*$/, "");
  const labels = host.split(".");
  const open = labels
    .slice(-2)
    .find((label) => label !== "*" && !isLiteral(label) && literalPrefix(label) !== label);
  if (open === undefined || labels.length < 2) return undefined;
  const name = open.replaceAll(/^[*?]+/g, "");
  return [
    `leaves the start of the name in \`${host}\` open, so it also covers \`${host.replaceAll("*", "evil").replaceAll("?", "x")}\``,
    `Write \`${option}${scheme}${authority.replace(open, name)}${rest}\`, or \`*.${host.replace(open, name)}\` for the hosts below it`,
  ];
}
