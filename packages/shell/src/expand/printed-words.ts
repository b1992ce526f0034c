import type { Word } from "../analysis.ts";
import type { CommandNode, ParsedScript } from "../parse/syntax.ts";

const BRANCH = "(?:HEAD|@|main|master|develop|trunk)[~^\\d]*";
const REF = "[A-Za-z0-9_@][\\w./~^-]*";
const ID = `\\$\\( ?git (?:rev-parse(?: --short(?:=\\d+)?| --verify)* ${BRANCH}|merge-base ${REF} ${REF}|log -1 --(?:format|pretty)=(?:format:)?%[hH]) ?\\)`;
// Nothing may follow that would be a path if git printed nothing.
const COMMIT = new RegExp(`^(?:${ID}|"${ID}")(\\.\\.\\.?[A-Za-z][\\w./~^-]*)?$`);
const SOME_ID = "0".repeat(40);

/**
 * The word of which a substitution prints the id of a commit, as `$(git merge-base main HEAD)..HEAD`. Without quotes there is no word if git
 * prints nothing, which makes no difference to the commands of git that only look at commits. Undefined for any other command.
 */
export function commitIn(text: string, before: readonly Word[]): Word | undefined {
  const [word, range = ""] = COMMIT.exec(text) ?? [];
  const looks = before[0]?.text === "git" && LOOKS.test(before[1]?.text ?? "");
  if (word === undefined || !(looks || text.startsWith('"') || range !== "")) return undefined;
  const id = SOME_ID + range;
  return { text: id, pieces: [id], single: true };
}

const LOOKS = /^(?:diff|log|show)$/;

const NAMES = /^\$\( ?ls(?: -1)?(?: -d ([\w*][\w*./-]*))? ?\)$/;

/** The glob that finds what a substitution prints, if `ls` prints names of the working directory or those of a glob. */
export function globIn(text: string): string | undefined {
  const [word, glob = "*"] = NAMES.exec(text) ?? [];
  return word === undefined ? undefined : glob;
}

/** Whether a substitution prints one number and nothing else, as `$(… | wc -l)` does. */
export function printsNumber(script: ParsedScript | undefined): boolean {
  const [statement, ...more] = script?.commands ?? [];
  const command = statement?.command;
  if (command === undefined || more.length > 0) return false;
  const last = command.type === "Pipeline" ? command.commands.at(-1) : command;
  return last?.type === "Command" && last.prefix.length === 0 && counts(last);
}

function counts({ name, suffix }: CommandNode): boolean {
  const words = suffix.flatMap((item) => (item.type === "Word" ? item.text : []));
  if (!suffix.every((item) => item.type === "Word" || leavesOutput(item))) return false;
  if (name?.text === "wc") return words.length === 1 && /^-[lcmw]$/.test(words[0] ?? "");
  const first = words.findIndex((word) => !word.startsWith("-"));
  const [pattern = "", file = "x", ...files] = words.slice(first);
  const isCount = /^(?:-[iEFvwx]*)*-[iEFvwx]*c[iEFvwx]*(?:-[iEFvwx]*)*$/;
  // Of several files, grep prints the names too.
  return (
    name?.text === "grep" &&
    first > 0 &&
    files.length === 0 &&
    isCount.test(words.slice(0, first).join("")) &&
    [pattern, file].every((word) => ONE_WORD.test(word))
  );
}

const ONE_WORD = /^(?:'[^']*'|"[^"@*]*"|[\w./:^-]+)$/;

function leavesOutput(item: CommandNode["suffix"][number]): boolean {
  if (item.type !== "Redirect") return false;
  const { operator, descriptor, target } = item;
  const isError = descriptor?.type === "FileDescriptor" && descriptor.value === 2;
  return operator === "<" || (operator === ">" && isError && target?.text === "/dev/null");
}
