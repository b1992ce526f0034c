import type { Effect, Unknown, Word } from "./analysis.ts";
import type { Draft } from "./context.ts";
import { placed, type Folder } from "./folder.ts";
import { OPENED, linkless, plainText, withoutLinks } from "./linkless.ts";
import { everyPlace, type Passage } from "./places.ts";
import { behind, climbs, found, pathOf, type Path } from "./ways.ts";
import { tidy } from "./written.ts";

type Target = { readonly text?: string | undefined; readonly pattern?: string; readonly below?: boolean };

/** How a command makes something lead elsewhere. */
type Makes = "link" | "move" | "copy" | "unpack";

const LINKS: ReadonlySet<string> = new Set(["ln", "gln", "link", "symlink"]);
const MOVES: ReadonlySet<string> = new Set(["mv", "gmv"]);
const COPIES: ReadonlySet<string> = new Set(["cp", "gcp", "rsync"]);
// Copies of links, and links in the place of copies.
const AS_LINKS = /^-(?:[a-zA-Z]*[rRadPslK]|-(?:r|a|no-d|sy|li|p))/;
// Copies that are put where their own folders are named like those of the sources.
const WITH_FOLDERS = /^--pa/;
// What is in a folder is put into the one that is there.
const AS_TARGET = /^-[a-zA-Z]*T|^--no-t/;
const RELATIVE = /^-[a-zA-Z]*R|^--rel/;
// What comes out of them may be links.
const UNPACKS: ReadonlySet<string> = new Set("tar gtar bsdtar unzip cpio pax 7z 7za 7zr rar unrar patch gpatch".split(" "));
// They may put a link in the place of a file that is named.
const REPLACES = /^(?:git|g?patch)$/;
const GIT_UNPACKS: ReadonlySet<string> = new Set("checkout restore switch clone worktree".split(" "));
// A place for things to be put into, and a folder whose contents are meant.
const INTO = /(?:^|\/)\.{0,2}$/;
/** As many of them are followed in a line, and as many effects come of them for a command. */
const MOST = 64;
const MORE = 16;

/** Finds them in a command, whose effects are still as seen from its own folder. */
export function passagesOf(draft: Draft, folder: Folder): readonly Passage[] {
  const makes = kindOf(draft);
  if (makes === undefined) return [];
  const from = readFrom(draft);
  const passages: Passage[] = [];
  const sources = makes === "unpack" ? [] : sourcesOf(draft, makes);
  // More than are followed: what they lead to nobody looks at.
  if (sources.length > MOST) {
    const one = { by: draft, base: "", ups: 0, names: [], to: undefined, again: false, within: false, deep: false, moved: false };
    return Array.from({ length: MOST + 1 }, () => one);
  }
  const unpacks = makes === "unpack";
  const again = makes !== "link" || from === undefined || !isSymbolic(draft);
  const moved = folder.some((base) => base.startsWith(".."));
  const add = (target: string, source: string | undefined, within = false): void => {
    const above = target.slice(0, target.lastIndexOf("/") + 1);
    const away = source !== undefined && above !== "" && !/^[/~]/.test(source);
    const leads =
      !away || makes !== "link" ? [source] : from === "link" ? [above + source] : from === "line" ? [source] : [above + source, source];
    for (const place of seenFrom(target, folder)) {
      const { base, ups, names, raw } = pathOf(place);
      // A folder is not replaced by what is put into it.
      if (names.length === 0 && !within && !unpacks) continue;
      const way = { base, ups, names, within, deep: within || unpacks, moved };
      for (const lead of leads)
        // What a folder above is called nobody knows here.
        for (const to of lead === undefined || (names.length === 0 && raw.length > 0) ? [undefined] : seenFrom(lead, folder))
          passages.push({ by: draft, ...way, to, again });
    }
  };
  // What is read besides is no source, but nobody tells here which it is.
  const single = sources.length - draft.redirections.length <= 1 || nameOf(draft) === "rsync";
  const bases = new Set(sources.flatMap((source) => (source === undefined ? [] : [lastOf(source)])));
  for (const { text: target, pattern, below } of targetsOf(draft, makes)) {
    if (passages.length > MOST) break;
    // A path that is not known is said to be.
    if (target === undefined) continue;
    // Some folder below it.
    if (pattern !== undefined) {
      add(target, undefined, true);
      continue;
    }
    const into = INTO.test(target);
    const folderOf = into ? tidy(target) || "." : target;
    // Where nothing stands yet, it is what the path with a slash behind it says.
    const mayBe = target.endsWith("/") && !/^\.{0,2}$/.test(lastOf(target)) && !sources.includes(undefined);
    if (makes === "unpack") add(folderOf, undefined, into || !replaces(draft, below));
    else if (makes === "copy") {
      copied(folderOf, into);
      if (mayBe) copied(folderOf, false);
    } else if (!into) named(target);
    else if (mayBe) named(folderOf);
    // What has a name gets it there, which is a target of its own.
    else if (sources.includes(undefined)) add(folderOf, undefined, true);
  }
  return passages;

  function named(target: string): void {
    const last = lastOf(target);
    for (const source of sources) {
      const base = source === undefined ? undefined : lastOf(source);
      if (base === undefined || base === last) add(target, source);
      else if (!bases.has(last) || single) {
        // Several things go into a folder; one may be what is there then.
        if (single) add(target, source);
        if (!/^\.{0,2}$/.test(base)) add(`${target}/${base}`, source);
      }
    }
  }

  function copied(target: string, into: boolean): void {
    const many = into || !single;
    const relative = has(draft, nameOf(draft) === "rsync" ? RELATIVE : WITH_FOLDERS);
    for (const source of sources) {
      if (source === undefined || relative) {
        add(target, undefined, many || relative);
        continue;
      }
      const contents = INTO.test(source);
      // It is what is there then, or is put into what is there.
      if (contents || !many) add(target, source, contents);
      // Even a folder that is there is filled with what is in the source, then.
      if (!contents && has(draft, AS_TARGET)) add(target, source, true);
      const base = lastOf(source);
      if (!/(?:^|\/)\.{1,2}$/.test(source) && !/^\.{0,2}$/.test(base)) add(`${target}/${base}`, source);
    }
  }
}

const pathsOf = ({ effects }: Draft, kind: "read" | "write", all: boolean): readonly Target[] =>
  effects.flatMap((effect) =>
    "path" in effect && effect.kind === kind && (all || effect.below === true) ? [{ ...effect.path, below: effect.below === true }] : [],
  );

// `find -exec` puts names in the place of `{}`, and what comes from elsewhere has none here.
const sourcesOf = (draft: Draft, makes: Makes): readonly (string | undefined)[] => [
  ...pathsOf(draft, "read", true).map(({ text, pattern }) => (pattern !== undefined || text?.includes("{}") === true ? undefined : text)),
  ...(makes === "copy" && draft.effects.some(({ kind }) => kind === "network") ? [undefined] : []),
];

function targetsOf(draft: Draft, makes: Makes): readonly Target[] {
  if (makes !== "unpack") return pathsOf(draft, "write", true);
  // Files that are made are archives.
  return nameOf(draft) === "pax" ? [{ text: "." }] : pathsOf(draft, "write", REPLACES.test(nameOf(draft)));
}

// Whether it may put a link in the place of a file; the rest is put into a folder.
const replaces = (draft: Draft, below = false): boolean =>
  nameOf(draft) === "git" ? has(draft, /^(?:checkout|restore|switch|mv)$/) : REPLACES.test(nameOf(draft)) && !below;

const lastOf = (path: string): string => tidy(path).split("/").at(-1) ?? "";

function kindOf(draft: Draft): Makes | undefined {
  const name = nameOf(draft);
  if (LINKS.has(name)) return "link";
  if (MOVES.has(name)) return "move";
  if (UNPACKS.has(name)) return "unpack";
  if (name === "git")
    return draft.argv.some(({ text }) => text !== undefined && GIT_UNPACKS.has(text)) ? "unpack" : has(draft, /^mv$/) ? "move" : undefined;
  return COPIES.has(name) && (has(draft, AS_LINKS) || draft.argv.some(mayBeOption)) ? "copy" : undefined;
}

function nameOf({ argv }: Draft): string {
  const program = argv[0]?.text ?? "";
  return program.slice(program.lastIndexOf("/") + 1);
}

// A glob finds files that are named like options, too.
function mayBeOption({ text, pieces: [first, ...rest] }: Word): boolean {
  if (text !== undefined || first === undefined) return false;
  if (typeof first === "string") return first.startsWith("-");
  return first.hole === "any" || rest.every((piece) => typeof piece !== "string" || /^[a-zA-Z]*$/.test(piece));
}

// What a link says is read from where the link stands; what makes another name of a file, or a link that is worked out, is told from where the line is.
function readFrom(draft: Draft): "link" | "line" | undefined {
  if (draft.argv.some(({ text }) => text === undefined || /^-[a-zA-Z]*[tS]./.test(text))) return undefined;
  return isSymbolic(draft) && !has(draft, /^-[a-zA-Z]*r|^--r/) ? "link" : "line";
}

const isSymbolic = (draft: Draft): boolean => has(draft, /^-[a-zA-Z]*s|^--sy/) || has(draft, /^(?:.*\/)?symlink$/);

const has = ({ argv }: Draft, option: RegExp): boolean => argv.some(({ text }) => text !== undefined && option.test(text));

// A path as seen from the folder of the line; none where that is not known, which its effects say.
const seenFrom = (text: string, folder: Folder): readonly string[] =>
  placed([{ kind: "read", path: { text } }], folder).flatMap((effect) =>
    "path" in effect && effect.path.text !== undefined ? [effect.path.text] : [],
  );

/** What commands do by way of what other commands of the line make lead elsewhere, they do there too. */
export function notePassages(commands: readonly Draft[], made: readonly Passage[]): void {
  if (made.length === 0) return;
  const passages = everyPlace(made, MOST);
  const own = new Map<Draft, number>();
  for (const { by } of passages) own.set(by, (own.get(by) ?? 0) + 1);
  for (const draft of commands) {
    const effects =
      passages.length - (own.get(draft) ?? 0) > MOST
        ? undefined
        : followed(
            draft.effects,
            passages.filter(({ by }) => by !== draft),
            nameOf(draft) === "git" && has(draft, /^rm$/),
          );
    if (effects === undefined) draft.unknown = [...draft.unknown, UNKNOWN];
    else draft.effects = effects.flatMap((effect) => withoutLinks(effect, { entry: own.has(draft) }));
  }
}

/** Where an effect is looked for. */
interface Found {
  readonly path: Path;
  /** The one that it was found by, and how much of it lay behind that. */
  readonly by: Passage;
  readonly behind: number;
  /** What is deleted is what a link leads to. */
  readonly opened: boolean;
}

// Undefined where it cannot be known what they are, or there are too many.
// `all`: what it deletes is by way of links, too, as `git rm` does.
function followed(given: readonly Effect[], passages: readonly Passage[], all: boolean): readonly Effect[] | undefined {
  const effects = [...given];
  const ways = new Map<Effect, Found>();
  // A list grows while it is walked: a link may lead to a link.
  for (const effect of effects) {
    if (!("path" in effect) || effect.path.text === undefined) continue;
    const from = ways.get(effect);
    const path = from?.path ?? pathOf(effect.path.text);
    const opened = from?.opened ?? OPENED.test(effect.path.pattern ?? effect.path.text);
    // Who deletes a link leaves what it leads to.
    const leaves = effect.kind === "delete" && !all && !opened;
    const add = (by: Passage, to: string, rest: string): void => {
      const plain = by.again ? to + rest : to.replace(/(?<=.)\/+$/, "") + rest;
      const text = by.again ? linkless(plain) : plain;
      if (effects.some((one) => "path" in one && one.kind === effect.kind && one.path.text === text && one.path.pattern === undefined))
        return;
      const one = { ...effect, path: { text } };
      effects.push(one);
      ways.set(one, { path: { ...pathOf(plain), raw: pathOf(text).raw }, by, behind: rest.length, opened });
    };
    for (const passage of passages) {
      const { to, within } = passage;
      // What a link says is no way of whoever made it.
      const way = from?.by.by === passage.by ? { ...passage, moved: false } : passage;
      // Behind a link `..` is the folder above what it leads to.
      if (climbs(path, way) || isApart(path, passage)) return undefined;
      const past = found(effect.path.pattern, passage);
      if (past > 0 && !(leaves && past < (within ? 3 : 2))) {
        if (past > 1 || within || to === undefined || effects.length > given.length + MORE) return undefined;
        add(passage, to, "");
      }
      for (const { text: rest, known } of behind(path, way)) {
        if (within && rest === "" && from?.by.again !== true) continue;
        if (leaves && (within ? !rest.includes("/", 1) : rest === "")) continue;
        // A link that led to itself would lead nowhere.
        if (from?.by === passage && !passage.again && rest.length >= from.behind) continue;
        if (to === undefined || !known || plainText(effect) === undefined || effects.length > given.length + MORE) return undefined;
        // What a link says that was there before is read from where it is now.
        if (from?.by.again === true && !isSame(path, pathOf(to + rest))) return undefined;
        add(passage, to, rest);
      }
    }
  }
  return effects.length === given.length ? given : effects;
}

// Whether nobody knows if one lies in the other.
const isApart = (path: Path, { base, names, deep }: Passage): boolean =>
  path.base !== base && (names.length === 0 || (deep && base !== "" && path.base !== "/"));

const isSame = (one: Path, other: Path): boolean =>
  one.base === other.base && one.ups === other.ups && one.written.join("/") === other.written.join("/");

const UNKNOWN: Unknown = { code: "state", what: "path by way of a link that the line itself makes" };
