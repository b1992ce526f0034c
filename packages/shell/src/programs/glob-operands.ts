import { file, type Findings } from "./findings.ts";
import { startsOneOf } from "./project-operands.ts";
import { known } from "./word-text.ts";

// Programs that look for the files of a quoted glob themselves, and print or run what is in them.
const EXPANDERS: ReadonlySet<string> = new Set(
  `ava cfn-lint cspell deno eslint flake8 ktlint markdownlint markdownlint-cli2 mocha oxfmt rubocop standard standardrb stylelint tap tape taplo
  xo`.split(/\s+/),
);

/** Notes the files that a program finds with a quoted glob. */
export function noteQuotedGlobs(out: Findings): void {
  const { argv } = out;
  const runsTests = argv.some(({ text }) => text === "--test") && startsOneOf(NODE, argv);
  if (!runsTests && !startsOneOf(EXPANDERS, argv)) return;
  for (const { text, globbed } of argv.slice(1)) {
    const glob = text?.replace(/^--filename=/, "");
    if (glob === undefined || globbed === true || /^[-!]/.test(glob)) continue;
    const folder = folderOfGlob(glob);
    if (folder !== undefined)
      file(out, "read", known(folder), { below: true, prints: true, only: namesOf(glob) });
  }
}

const NODE: ReadonlySet<string> = new Set(["node"]);

/** The folder below which a program looks for the files of a glob. Undefined if the text is no glob. */
export function folderOfGlob(text: string): string | undefined {
  const folder = /^(?:[^*?[{(!\\/]*\/)*(?=[^/]*[*?[{(!\\])/.exec(text)?.[0];
  return folder === "" ? "." : folder;
}

const ANY: readonly string[] = ["*"];
const MAX_ALTERNATIVES = 32;

// The globs for the names of the files: `*.ts` and `*.tsx` for `src/*.{ts,tsx}`.
function namesOf(glob: string): readonly string[] {
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  const names = [name];
  for (let at = 0; at < names.length && names.length <= MAX_ALTERNATIVES;) {
    const first = names[at] ?? "";
    const [set, list = ""] = /\{([^{}]*,[^{}]*)\}/.exec(first) ?? [];
    if (set === undefined) at += 1;
    else names.splice(at, 1, ...list.split(",").map((one) => first.replace(set, () => one)));
  }
  return names.length > MAX_ALTERNATIVES || names.some((one) => /[(!{}\\]/.test(one)) ? ANY : names;
}
