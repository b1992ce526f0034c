import type { Word } from "../analysis.ts";
import { DPKG, DPKG_LOOKS } from "./dpkg.ts";
import { isGitCommand } from "./git.ts";
import { isPythonUnpacking } from "./python-modules.ts";
import type { Spec } from "./spec.ts";
import { specOf } from "./tables.ts";
import { readUse, uses, type Use, type Used } from "./use.ts";
import { baseName, mayBeOption, prefix } from "./words.ts";

/** Whether a use of a subcommand changes files that it does not name. */
type Brings = (use: Use, argv: readonly Word[]) => boolean;

const names = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));

const always: Brings = () => true;
// All of its own subcommands but these.
const allBut = (list: string, alone: boolean): Brings => {
  const others = names(list);
  return ({ operands: [first] }) => (first === undefined ? alone : !others.has(first.word.text ?? ""));
};
const open = ({ operands, strange }: Use): boolean =>
  strange.length > 0 || operands.some(({ word }) => word.text === undefined && mayBeOption(word));

const CREATES = names("b B create force-create");
const QUIET = names("q quiet progress no-track");

// All but a new branch where the tree is already.
function moves({ operands, options, strange }: Use): boolean {
  if (operands.length > 0 || strange.length > 0) return true;
  const created = options.filter(({ option }) => CREATES.has(option.name));
  return (
    created.length !== 1 ||
    created[0]?.value?.text === undefined ||
    options.some(({ option: { name } }) => !CREATES.has(name) && !QUIET.has(name))
  );
}

// What is surely a path is named.
function checksOut(use: Use, argv: readonly Word[]): boolean {
  const { operands, strange } = use;
  const dash = argv.findIndex(({ text }) => text === "--");
  const named = dash >= 0 ? operands.some(({ at }) => at > dash) : operands.length > 1 || operands[0]?.word.text === ".";
  return strange.length > 0 || (!named && moves(use));
}

/** Subcommands of git that change files which they do not name. What names them is an effect. */
const BRINGS: ReadonlyMap<string, Brings> = new Map<string, Brings>([
  ...[
    ..."merge rebase pull cherry-pick revert am read-tree checkout-index merge-index merge-one-file mergetool".split(" "),
    ..."filter-branch filter-repo svn p4 cvsimport quiltimport annex".split(" "),
  ].map((name): [string, Brings] => [name, always]),
  ["switch", moves],
  ["checkout", checksOut],
  ["restore", ({ operands }) => operands.length === 0],
  // What a template has comes below `.git`.
  ["init", (use) => uses(use, "template") || open(use)],
  ["clone", (use) => uses(use, "template") || use.strange.length > 0],
  ["reset", (use) => uses(use, "hard merge keep") || open(use)],
  ["stash", allBut("list show drop clear create store", true)],
  ["apply", (use) => open(use) || !uses(use, "check stat numstat summary cached") || uses(use, "apply")],
  ["bisect", allBut("log view visualize terms help", false)],
  ["submodule", allBut("status summary init sync foreach set-branch set-url", false)],
  ["sparse-checkout", allBut("list check-rules", false)],
  ["subtree", allBut("split push", false)],
]);

const LOOKS = names(
  "status st stat diff log show help version blame annotate cat ls list info files manifest heads tip branches tags root add commit ci push",
);
const HOST_BRINGS = names("checkout co merge clone fork sync develop");

// What unpacks or lays out links by rules of its own, wherever it does.
const ALWAYS = "unar unsquashfs 7zz dpkg-deb ditto stow chezmoi yadm rcup sshfs bindfs";

type Kind = "git" | "other" | "host" | "always" | "copies" | "deb";

const PROGRAMS: ReadonlyMap<string, Kind> = new Map<string, Kind>(
  (
    [
      ["git", "git hub"],
      ["other", "hg svn jj sl fossil bzr brz cvs pijul darcs got repo"],
      ["host", "gh glab tea"],
      ["copies", "docker podman nerdctl"],
      ["deb", "dpkg"],
      ["always", ALWAYS],
    ] as const
  ).flatMap(([kind, list]) => list.split(" ").map((name): [string, Kind] => [name, kind])),
);

/** Whether a program may put files into a tree, links among them, that its words do not name. */
export function bringsFiles(argv: readonly Word[]): boolean {
  const name = baseName(argv[0]?.text ?? "");
  const kind = PROGRAMS.get(name) ?? (/[A-Z.]/.test(name) ? PROGRAMS.get(name.toLowerCase().replace(/\.exe$/, "")) : undefined);
  switch (kind) {
    case undefined:
      return isPythonUnpacking(argv);
    case "git":
      return gitBrings(argv);
    case "host":
      return argv.some(({ text }, at) => (text === undefined ? at < 3 : HOST_BRINGS.has(text)));
    case "copies":
      return argv.some(({ text }) => text === "cp");
    case "deb": {
      const use = readUse(DPKG, argv, 1, { posix: false });
      return uses(use, "extract vextract control install unpack") || (open(use) && !uses(use, DPKG_LOOKS));
    }
    case "always":
      return true;
    case "other": {
      const spec = specOf(name);
      const first = spec === undefined ? argv[1] : readUse(spec, argv, 1, { posix: true }).operands[0]?.word;
      return !LOOKS.has(first?.text ?? "");
    }
  }
}

function gitBrings(argv: readonly Word[]): boolean {
  const next = argv[1]?.text;
  if (next !== undefined && isGitCommand(next) && !BRINGS.has(next)) return false;
  const found = gitUse(argv);
  // An alias may be any of them, and so may what only bash knows.
  if (found === "unknown") return true;
  return found !== undefined && (BRINGS.get(found.name)?.(found.use, argv) === true || hasTemplate(found));
}

// A setting says so.
function hasTemplate({ name, all }: GitUse): boolean {
  if (name !== "init" && name !== "clone") return false;
  return all.options.some(
    ({ option, value }) =>
      (option.name === "c" || option.name === "config-env") &&
      /^(?:$|init\.templatedir|include)/i.test(value === undefined ? "" : prefix(value)),
  );
}

interface GitUse {
  readonly name: string;
  readonly all: Use;
  readonly use: Use;
}

function gitUse(argv: readonly Word[]): GitUse | "unknown" | undefined {
  const git = specOf("git");
  if (git?.subs === undefined) return "unknown";
  const all = readUse(git, argv, 1, { posix: true });
  const [first] = all.operands;
  if (first === undefined) return argv.some(({ text }) => text === undefined) ? "unknown" : undefined;
  const name = first.word.text;
  if (name === undefined || all.strange.length > 0 || !Object.hasOwn(git.subs, name)) return "unknown";
  const spec: Spec = git.subs[name] ?? {};
  return { name, all, use: readUse(spec, argv, first.at + 1, { posix: spec.posix === true || spec.subs !== undefined }) };
}

// Not those that go by the names of the index, which may say that there is a folder where the tree has a link: blame, grep, commit, mv, rm.
const PATHSPECS = names(
  "add stage status restore checkout reset stash log show whatchanged shortlog rev-list reflog ls-files ls-tree diff diff-tree diff-index",
);
const SHOWS = names("no-pager paginate no-optional-locks");

/** Whether git looks at what is written there as it stands in the tree, and at nothing behind its links. */
export function staysInTree(argv: readonly Word[], sure: boolean): boolean {
  const found = argv[0]?.text === "git" ? gitUse(argv) : undefined;
  if (found === undefined || found === "unknown" || !PATHSPECS.has(found.name) || !isPlain(found)) return false;
  const use = found.name === "stash" ? pushOf(found, argv) : found.use;
  if (use === undefined) return false;
  const { operands, options, strange } = use;
  const opens = ({ option: { role, does, name } }: Used): boolean => role !== "data" || does === "load" || name === "renormalize";
  if (strange.length > 0 || options.some(opens)) return false;
  // Of two files one of which lies elsewhere, or outside a repository, it reads what links lead to.
  if (found.name !== "diff" || operands.length < 2) return true;
  return sure && operands.every(({ word }) => word.text !== undefined && !/^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(word.text));
}

// `git stash push`, of whose options none stands before its name.
function pushOf({ use: { operands, options, strange } }: GitUse, argv: readonly Word[]): Use | undefined {
  const [first] = operands;
  const push = specOf("git")?.subs?.["stash"]?.subs?.["push"];
  if (push === undefined || first?.word.text !== "push" || options.length + strange.length > 0) return undefined;
  return readUse(push, argv, first.at + 1, { posix: false });
}

const isPlain = ({ all }: GitUse): boolean => all.options.every(({ option }) => SHOWS.has(option.name));

/** Whether git works on the tree of the folder that it is started in. */
export function isHere(argv: readonly Word[]): boolean {
  const found = gitUse(argv);
  return found !== undefined && found !== "unknown" && isPlain(found);
}
