import type { Word } from "../analysis.ts";
import type { CommandNode, ParsedScript } from "../parse/syntax.ts";

const BRANCH = "(?:HEAD|@|main|master|develop|trunk)[~^\\d]*";
const REF = "[A-Za-z0-9_@][\\w./~^-]*";
const FORMAT = "--(?:format|pretty)=(?:format:)?%[hH]";
const CHECKED = `git (?:rev-parse(?: --short(?:=\\d+)?| --verify)+ ${BRANCH}|merge-base ${REF} ${REF}|log -1 ${FORMAT})`;
// With a file of this name, git prints the name instead of an id.
const UNCHECKED = `git rev-parse ${BRANCH}`;
// Git refuses names of branches that begin with a dash only in some commands, so these need text before them.
const NAMED = `git (?:rev-parse --abbrev-ref HEAD|branch --show-current)`;
const CHECKED_ID = `\\$\\( ?${CHECKED} ?\\)`;
const ID = `\\$\\( ?(?:${CHECKED}|${UNCHECKED}) ?\\)`;
const NAME = `\\$\\( ?${NAMED} ?\\)`;
const RANGE = "\\.\\.\\.?";
// An id or a range of commits. The groups: a quote, what comes before the substitution, and what comes after it.
const COMMIT = new RegExp(
  `^(")?(?:(${REF}${RANGE})(?:${ID}|${NAME}|"(?:${ID}|${NAME})")|(?:${ID}|"${ID}")(${RANGE}(?:${REF})?)?)\\1$`,
);
const IS_CHECKED = new RegExp(`^"?${CHECKED_ID}`);
const LISTED = `(?: (?:-\\d{1,4}|-n ?\\d{1,4}|--(?:no-merges|first-parent|reverse|all|max-(?:count|parents)=\\d{1,4})|${REF}))`;
const COMMITS = new RegExp(
  `^\\$\\( ?git (?:rev-list${LISTED}+|log${LISTED}* ${FORMAT}${LISTED}*) ?\\)$`,
);
// None of them prints a wildcard of the shell.
const PLAIN = new RegExp(
  `^(?:${ID}|${NAME}|\\$\\( ?(?:date(?: -u)?(?: (?:\\+[\\w%:.-]+|"\\+[\\w%:. -]+"|'\\+[\\w%:. -]+'))?|nproc|pwd) ?\\))$`,
);
// All letters, so that nothing takes it for a number.
const SOME_ID = "a".repeat(40);

/** Whether a program compares its words. */
export const isTest = (program: Word | undefined): boolean =>
  /^(?:test|\[)$/.test(program?.text ?? "");

/** Whether a program only prints its words. */
export const isEcho = (program: Word | undefined): boolean => program?.text === "echo";

/** Whether what a substitution prints has no wildcard of the shell. */
export const isPlainText = (text: string): boolean => PLAIN.test(text);

/** A substitution that prints a single id of a commit, if this one prints nothing but such ids. */
export const eachCommit = (text: string): string | undefined =>
  COMMITS.test(text) ? "$(git rev-parse --short HEAD)" : undefined;

/**
 * The value of an argument such as `$(git merge-base main HEAD)..HEAD`, in which a substitution prints the id of a commit. The program is
 * `git`, `test` or `echo`; a branch may follow `..`. Undefined for any other word.
 */
export function commitIn(text: string, [program, ...words]: readonly Word[]): Word | undefined {
  const [word, , from = "", to = ""] = COMMIT.exec(text) ?? [];
  const isQuoted = text.startsWith('"');
  const sub = words.find((other) => other.text !== "--no-pager")?.text ?? "";
  // After these options it is the name of a file or folder.
  const isGit =
    program?.text === "git" &&
    /^[a-z]/.test(sub) &&
    !NAMES_FILE.test(words.at(-1)?.text ?? "") &&
    (from !== "" || IS_CHECKED.test(text) || LOOKS.test(sub));
  const isData = isEcho(program) || (isQuoted && isTest(program));
  if (word === undefined || !(isGit || isData)) return undefined;
  const id = from + SOME_ID + to;
  const known: Word = { text: id, pieces: [id], single: true };
  return isQuoted || id !== SOME_ID ? known : { ...known, optional: true };
}

// `-C`, `-F`, `-o`, `--output`, `--file` and their like. Git also accepts the start of a long option.
const NAMES_FILE = /^-(?:[A-Zfo]|-(?:ou|fil).*)$/;

// Subcommands that do nothing to a file of that name.
const LOOKS = /^(?:branch|cat-file|describe|diff|log|rev-list|show|tag)$/;

/** The value of a word of `kill` or `wait` that is `$!`: a job of this shell. */
export function lastJobIn(text: string, [program]: readonly Word[]): Word | undefined {
  if (!/^(?:kill|wait)$/.test(program?.text ?? "") || !/^(?:\$!|"\$!")$/.test(text))
    return undefined;
  const job: Word = { text: "%1", pieces: ["%1"], single: true };
  return text.startsWith('"') ? job : { ...job, optional: true };
}

const JOBS = /^(-j|--jobs=|--parallel=)?(?:"\$\( ?nproc ?\)"|\$\( ?nproc ?\))$/;

/** The value of a word of a build tool that says how many jobs may run at once: `-j$(nproc)`. */
export function jobCountIn(text: string, before: readonly Word[]): Word | undefined {
  const [program] = before;
  const [word, option = ""] = JOBS.exec(text) ?? [];
  if (option === "" && !/^(?:-j|--jobs|--parallel)$/.test(before.at(-1)?.text ?? ""))
    return undefined;
  const isBuild = /^(?:g?make|ninja|ctest|cmake|cargo|meson)$/.test(program?.text ?? "");
  if (word === undefined || !isBuild) return undefined;
  const jobs = `${option}2`;
  const known: Word = { text: jobs, pieces: [jobs], single: true };
  return option === "" && !text.startsWith('"') ? { ...known, optional: true } : known;
}

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
  if (name?.text === "nproc") return words.length === 0;
  if (name?.text === "date") return words.length === 1 && words[0] === "+%s";
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
