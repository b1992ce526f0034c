import type { Word } from "../analysis.ts";
import type { CommandNode, ParsedScript } from "../parse/syntax.ts";

const BRANCH = "(?:HEAD|@|main|master|develop|trunk)[~^\\d]*";
const REF = "[A-Za-z0-9_@][\\w./~^-]*";
const CHECKED = `git (?:rev-parse(?: --short(?:=\\d+)?| --verify)+ ${BRANCH}|merge-base ${REF} ${REF}|log -1 --(?:format|pretty)=(?:format:)?%[hH])`;
// If a file has this name, it prints the name instead of an id.
const UNCHECKED = `git rev-parse ${BRANCH}`;
const ID = `\\$\\( ?(?:${CHECKED}|(${UNCHECKED})) ?\\)`;
const COMMIT = new RegExp(`^(?:${ID}|"${ID}")(\\.\\.\\.?[A-Za-z][\\w./~^-]*)?$`);
// All letters, so that nothing takes it for a number.
const SOME_ID = "a".repeat(40);

/** Whether a program compares its words. */
export const isTest = (program: Word | undefined): boolean =>
  /^(?:test|\[)$/.test(program?.text ?? "");

/**
 * The value of a word of `git` or `test` in which a substitution prints the id of a commit, such as `$(git merge-base main HEAD)..HEAD`.
 * Undefined for any other word.
 */
export function commitIn(text: string, [program, sub]: readonly Word[]): Word | undefined {
  const [word, open, quoted, range = ""] = COMMIT.exec(text) ?? [];
  const isQuoted = text.startsWith('"');
  const isChecked = open === undefined && quoted === undefined;
  const isGit = program?.text === "git" && (isChecked || LOOKS.test(sub?.text ?? ""));
  if (word === undefined || !(isGit || (isQuoted && isTest(program)))) return undefined;
  const id = SOME_ID + range;
  const known: Word = { text: id, pieces: [id], single: true };
  return isQuoted || range !== "" ? known : { ...known, optional: true };
}

// Subcommands that do nothing to a file of that name.
const LOOKS = /^(?:branch|cat-file|describe|diff|log|rev-list|show|tag)$/;

const NAMES = /^(?:\$\(|`) ?ls(?: -1)?(?: -d ([\w*][\w*./-]*))? ?[)`]$/;

/** The glob that finds what a substitution prints, if `ls` prints names of the working directory or those of a glob. */
export function globIn(text: string): string | undefined {
  const [word, glob = "*"] = NAMES.exec(text) ?? [];
  return word === undefined ? undefined : glob;
}

/** Whether a substitution prints one number and nothing else, as `$(… | wc -l)` does. `isFile`: whether a word is the name of a file. */
export function printsNumber(
  script: ParsedScript | undefined,
  isFile: (text: string) => boolean,
): boolean {
  const [statement, ...more] = script?.commands ?? [];
  const command = statement?.command;
  if (command === undefined || more.length > 0) return false;
  const last = command.type === "Pipeline" ? command.commands.at(-1) : command;
  return last?.type === "Command" && last.prefix.length === 0 && counts(last, isFile);
}

function counts({ name, suffix }: CommandNode, isFile: (text: string) => boolean): boolean {
  const words = suffix.flatMap((item) => (item.type === "Word" ? item.text : []));
  if (!suffix.every((item) => item.type === "Word" || leavesOutput(item))) return false;
  if (name?.text === "wc") return words.length === 1 && /^-[lcmw]$/.test(words[0] ?? "");
  const first = words.findIndex((word) => !word.startsWith("-"));
  const operands = words.slice(first);
  const isCount = /^(?:-[iEFvwx]*)*-[iEFvwx]*c[iEFvwx]*(?:-[iEFvwx]*)*$/;
  // Of several files, grep prints the names too.
  return (
    name?.text === "grep" &&
    first > 0 &&
    operands.length <= 2 &&
    isCount.test(words.slice(0, first).join("")) &&
    operands.every((word) => OPERAND.test(word) || isFile(word))
  );
}

// One word that is no option.
const OPERAND = /^(?:'(?!-)[^']*'|"(?![-$`\\])[^"@*]*"|[\w./:^][\w./:^-]*)$/;

function leavesOutput(item: CommandNode["suffix"][number]): boolean {
  if (item.type !== "Redirect") return false;
  const { operator, descriptor, target } = item;
  const isError = descriptor?.type === "FileDescriptor" && descriptor.value === 2;
  return operator === "<" || (operator === ">" && isError && target?.text === "/dev/null");
}
