import type { Word } from "@bylaw/shell";
import { textDenies } from "./call-urls.ts";
import type { LinePart } from "./shell-line.ts";
import type { NetworkPattern } from "./hosts.ts";
import { baseName } from "../compile/program-name.ts";

/** Programs that treat a URL like any other text. */
const DATA: ReadonlySet<string> = new Set(
  (
    "echo printf : true false test [ grep egrep fgrep zgrep rg ag ack sed awk gawk mawk cat ls wc head tail jq yq tr cut sort uniq diff cmp " +
    "basename dirname seq expr export alias read mkdir touch rm cp mv chmod man less more logger figlet cowsay"
  ).split(" "),
);

/** Subcommands of git that treat a URL like any other text, such as messages and search terms. */
const GIT_DATA: ReadonlySet<string> = new Set(
  "commit log tag notes grep show diff blame merge shortlog stash cherry-pick revert am branch rebase reflog".split(
    " ",
  ),
);

/** Whether an argument of a command is a URL whose host a deny names, whatever the program does with it. */
export function argumentsDeny(network: NetworkPattern, part: LinePart): boolean {
  return (
    !takesText(part) &&
    part.words.some(
      (word, at) => at > 0 && isUrl(startOf(word)) && textDenies(network, startOf(word)),
    )
  );
}

/** Whether an argument is a URL whose host is known only to bash. */
export function argumentsMayDeny(part: LinePart): boolean {
  return !takesText(part) && part.words.some((word, at) => at > 0 && hidesHost(word));
}

// The known start of a word, if its host ends within it.
function startOf(word: Word): string {
  if (word.text !== undefined) return word.text;
  const [first] = word.pieces;
  return typeof first !== "string" || hidesHost(word) ? "" : first;
}

const isUrl = (text: string): boolean =>
  /^[^\s]*:[\\/]{2}|^\S*(?:https?|wss?|ftps?):\S/i.test(text);

function hidesHost({ text, pieces }: Word): boolean {
  if (text !== undefined) return false;
  const [first] = pieces;
  return typeof first === "string" && /^\S*:[\\/]{2}[^\s\\/?#]*$/.test(first);
}

function takesText({ words }: LinePart): boolean {
  const program = baseName(words[0]?.text ?? "");
  if (DATA.has(program)) return true;
  if (program !== "git") return false;
  for (let at = 1; at < words.length; at++) {
    const text = words[at]?.text ?? "-";
    if (text === "-c" || text === "-C") at += 1;
    else if (!text.startsWith("-")) return GIT_DATA.has(text);
  }
  return false;
}
