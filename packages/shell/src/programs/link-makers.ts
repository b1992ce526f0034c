import type { Effect, Word } from "../analysis.ts";
import { DPKG, DPKG_LOOKS } from "./dpkg.ts";
import { isGitCommand } from "./git.ts";
import { isPythonUnpacking } from "./python-modules.ts";
import { parseArgs, hasOption } from "./parsed-args.ts";
import type { Spec, ParsedArgs, UsedOption } from "./program-spec.ts";
import { specOf } from "./program-table.ts";
import { baseName, mayBeOption, prefix } from "./word-text.ts";

/**
 * How a command may make links. `moves`: it moves or copies links to the paths that it writes. `fills`: it puts links into a
 * directory, which is no link itself. `tree`: it checks out another revision. `any`: in any other way.
 */
export type LinkMaker = "moves" | "fills" | "tree" | "any";

/** Whether a git subcommand with these arguments may put links into the working tree. */
type MayLink = (use: ParsedArgs) => boolean;

const names = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));

const always: MayLink = () => true;
// All nested subcommands except these.
const allBut =
  (list: string, alone: boolean): MayLink =>
  ({ operands: [first] }) =>
    first === undefined ? alone : !names(list).has(first.word.text ?? "");
const open = ({ operands, unknownOptions }: ParsedArgs): boolean =>
  unknownOptions.length > 0 ||
  operands.some(({ word }) => word.text === undefined && mayBeOption(word));

const CREATES = names("b B create force-create");
const QUIET = names("q quiet progress no-track");

// Creating a branch at the current commit changes no files. Every other use may.
function moves({ operands, options, unknownOptions }: ParsedArgs): boolean {
  if (operands.length > 0 || unknownOptions.length > 0) return true;
  const created = options.filter(({ option }) => CREATES.has(option.name));
  return (
    created.length !== 1 ||
    created[0]?.value?.text === undefined ||
    options.some(({ option: { name } }) => !CREATES.has(name) && !QUIET.has(name))
  );
}

function namesFiles({ operands }: ParsedArgs, argv: readonly Word[]): boolean {
  const dash = argv.findIndex(({ text }) => text === "--");
  return dash >= 0
    ? operands.some(({ at }) => at > dash)
    : operands.length > 1 || operands[0]?.word.text === ".";
}

/** Git subcommands that may put links into the working tree. */
const GIT_MAKERS: ReadonlyMap<string, MayLink> = new Map<string, MayLink>([
  ...[
    ..."merge rebase pull cherry-pick revert am read-tree checkout-index merge-index merge-one-file mergetool restore clone mv".split(
      " ",
    ),
    ..."filter-branch filter-repo svn p4 cvsimport quiltimport annex".split(" "),
  ].map((name): [string, MayLink] => [name, always]),
  ["switch", moves],
  ["checkout", moves],
  ["worktree", allBut("list lock move prune remove repair unlock", false)],
  // A template is copied into `.git`.
  ["init", (use) => hasOption(use, "template") || open(use)],
  ["reset", (use) => hasOption(use, "hard merge keep") || open(use)],
  ["stash", allBut("list show drop clear create store", true)],
  [
    "apply",
    (use) =>
      open(use) || !hasOption(use, "check stat numstat summary cached") || hasOption(use, "apply"),
  ],
  ["bisect", allBut("log view visualize terms help", false)],
  ["submodule", allBut("status summary init sync foreach set-branch set-url", false)],
  ["sparse-checkout", allBut("list check-rules", false)],
  ["subtree", allBut("split push", false)],
]);

const LOOKS = names(
  "status st stat diff log show help version blame annotate cat ls list info files manifest heads tip branches tags root add commit ci push",
);
const HOST_BRINGS = names("checkout co merge clone fork sync develop");

// Programs that make, unpack or deploy links at any path.
const ALWAYS =
  "ln gln link symlink rename prename pax patch gpatch unar unsquashfs 7zz dpkg-deb ditto stow chezmoi yadm rcup sshfs bindfs";

type Program =
  | "git"
  | "other"
  | "host"
  | "always"
  | "containers"
  | "deb"
  | "move"
  | "copy"
  | "sync"
  | "unpack";

const PROGRAMS: ReadonlyMap<string, Program> = new Map<string, Program>(
  (
    [
      ["git", "git hub"],
      ["other", "hg svn jj sl fossil bzr brz cvs pijul darcs got repo"],
      ["host", "gh glab tea"],
      ["containers", "docker podman nerdctl"],
      ["deb", "dpkg"],
      ["always", ALWAYS],
      ["move", "mv gmv"],
      ["copy", "cp gcp"],
      ["sync", "rsync"],
      ["unpack", "tar gtar bsdtar unzip cpio 7z 7za 7zr rar unrar"],
    ] as const
  ).flatMap(([kind, list]) => list.split(" ").map((name): [string, Program] => [name, kind])),
);

/** How a command may make links, according to its words and effects. Undefined if it makes none. */
export function linkMakerOf(
  argv: readonly Word[],
  effects: readonly Effect[],
): LinkMaker | undefined {
  const name = baseName(argv[0]?.text ?? "");
  const program =
    PROGRAMS.get(name) ??
    (/[A-Z.]/.test(name) ? PROGRAMS.get(name.toLowerCase().replace(/\.exe$/, "")) : undefined);
  const any = (makes: boolean): LinkMaker | undefined => (makes ? "any" : undefined);
  switch (program) {
    case undefined:
      return any(isPythonUnpacking(argv));
    case "git":
      return gitMaker(argv);
    case "host":
      return argv.some(({ text }, at) => (text === undefined ? at < 3 : HOST_BRINGS.has(text)))
        ? "tree"
        : undefined;
    case "containers":
      return any(argv.some(({ text }) => text === "cp"));
    case "deb": {
      const use = parseArgs(DPKG, argv, 1, { posix: false });
      return any(
        hasOption(use, "extract vextract control install unpack") ||
          (open(use) && !hasOption(use, DPKG_LOOKS)),
      );
    }
    case "always":
      return "any";
    case "move":
      return known(argv, "moves");
    case "copy":
      return keepsLinks(argv) ? known(argv, "moves") : undefined;
    case "sync":
      return any(keepsLinks(argv));
    case "unpack":
      // An unknown first word may be the mode that extracts.
      if (argv[1] === undefined || isUnknown(argv[1])) return "any";
      return effects.some((effect) => effect.kind === "write" && effect.below === true)
        ? "fills"
        : undefined;
    case "other": {
      const spec = specOf(name);
      const first =
        spec === undefined ? argv[1] : parseArgs(spec, argv, 1, { posix: true }).operands[0]?.word;
      return LOOKS.has(first?.text ?? "") ? undefined : "tree";
    }
  }
}

/** Whether a command is `mv` or `git mv`, which move a link itself and not what it leads to. */
export const isMove = ([program, sub]: readonly Word[]): boolean =>
  /^g?mv$/.test(program?.text ?? "") || (program?.text === "git" && sub?.text === "mv");

const isUnknown = ({ text }: Word): boolean => text === undefined;

// `find -exec` and `xargs` replace `{}`.
const known = (argv: readonly Word[], kind: LinkMaker): LinkMaker =>
  argv.some(({ text }) => text === undefined || text.includes("{}")) ? "any" : kind;

// Options of `cp` and `rsync` that keep links, or make links instead of copies.
const AS_LINKS = /^-(?:[a-zA-Z]*[rRadPslK]|-(?:r|a|no-d|sy|li|k|p))/;

const keepsLinks = (argv: readonly Word[]): boolean =>
  argv.some((word) => (word.text === undefined ? mayBeLetters(word) : AS_LINKS.test(word.text)));

// A glob may match files that are named like options.
function mayBeLetters({ pieces: [first, ...rest] }: Word): boolean {
  if (typeof first === "string") return first.startsWith("-");
  return (
    first?.hole === "any" ||
    rest.every((piece) => typeof piece !== "string" || /^[a-zA-Z]*$/.test(piece))
  );
}

function gitMaker(argv: readonly Word[]): LinkMaker | undefined {
  const next = argv[1]?.text;
  if (next !== undefined && isGitCommand(next) && !GIT_MAKERS.has(next)) return undefined;
  const found = gitUse(argv);
  // An alias or an unknown word may stand for any subcommand.
  if (found === "unknown") return "tree";
  if (
    found === undefined ||
    (GIT_MAKERS.get(found.name)?.(found.use) !== true && !hasTemplate(found))
  )
    return undefined;
  if (found.name === "mv") return known(argv, "moves");
  const { name, use } = found;
  if (name === "clone" || name === "worktree")
    return argv.some(isUnknown) || hasOption(use, "template") || use.unknownOptions.length > 0
      ? "any"
      : "fills";
  return name === "restore" || (name === "checkout" && namesFiles(use, argv)) ? "any" : "tree";
}

// A template set by `-c init.templateDir`.
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
  readonly all: ParsedArgs;
  readonly use: ParsedArgs;
}

function gitUse(argv: readonly Word[]): GitUse | "unknown" | undefined {
  const git = specOf("git");
  if (git?.subs === undefined) return "unknown";
  const all = parseArgs(git, argv, 1, { posix: true });
  const [first] = all.operands;
  if (first === undefined)
    return argv.some(({ text }) => text === undefined) ? "unknown" : undefined;
  const name = first.word.text;
  if (name === undefined || all.unknownOptions.length > 0 || !Object.hasOwn(git.subs, name))
    return "unknown";
  const spec: Spec = git.subs[name] ?? {};
  return {
    name,
    all,
    use: parseArgs(spec, argv, first.at + 1, {
      posix: spec.posix === true || spec.subs !== undefined,
    }),
  };
}

// Not blame, grep, commit, mv and rm: these use the names in the index, which may have a directory where the tree has a link.
const PATHSPECS = names(
  "add stage status restore checkout reset stash log show whatchanged shortlog rev-list reflog ls-files ls-tree diff diff-tree diff-index",
);
const SHOWS = names("no-pager paginate no-optional-locks");

/** Whether git only reads its own tree and follows no link in it. */
export function looksOnlyAtTheTree(argv: readonly Word[], sure: boolean): boolean {
  const found = argv[0]?.text === "git" ? gitUse(argv) : undefined;
  if (found === undefined || found === "unknown" || !PATHSPECS.has(found.name) || !isPlain(found))
    return false;
  const use = found.name === "stash" ? pushOf(found, argv) : found.use;
  if (use === undefined) return false;
  const { operands, options, unknownOptions } = use;
  const opens = ({ option: { role, does, name } }: UsedOption): boolean =>
    role !== "data" || does === "load" || name === "renormalize";
  if (unknownOptions.length > 0 || options.some(opens)) return false;
  // `git diff` of two files outside a repository follows links.
  if (found.name !== "diff" || operands.length < 2) return true;
  return (
    sure &&
    operands.every(
      ({ word }) => word.text !== undefined && !/^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(word.text),
    )
  );
}

// `git stash push` without options before `push`.
function pushOf(
  { use: { operands, options, unknownOptions } }: GitUse,
  argv: readonly Word[],
): ParsedArgs | undefined {
  const [first] = operands;
  const push = specOf("git")?.subs?.["stash"]?.subs?.["push"];
  if (
    push === undefined ||
    first?.word.text !== "push" ||
    options.length + unknownOptions.length > 0
  )
    return undefined;
  return parseArgs(push, argv, first.at + 1, { posix: false });
}

const isPlain = ({ all }: GitUse): boolean =>
  all.options.every(({ option }) => SHOWS.has(option.name));

/** Whether git works on the tree of its working directory. */
export function usesOwnTree(argv: readonly Word[]): boolean {
  const found = argv[0]?.text === "git" ? gitUse(argv) : undefined;
  return found !== undefined && found !== "unknown" && isPlain(found);
}
