import { baseName, bareName } from "../compile/program-name.ts";
import type { LinePart } from "../match/shell-line.ts";
import { readFilters, readNames } from "./name-glob.ts";
import { addPatch, UNREAD_PATCH } from "./patch-paths.ts";
import {
  MAX_PATHS,
  filesOf,
  movedPaths,
  questionKey,
  type Args,
  type CollectedPathRefs,
  type FileEffect,
  type PathRef,
} from "./path-refs.ts";

// Agents run it like a program. The input that it may read instead is unknown here.
function addPatchCommand(wanted: PathRef[], words: LinePart["words"]): string | undefined {
  if (!/^apply_?patch$/.test(baseName(words[0]?.text ?? ""))) return undefined;
  const text = words.length === 2 ? words[1]?.text : undefined;
  return text === undefined ? UNREAD_PATCH : addPatch(wanted, text);
}

const MAX_REGIONS = 32;
const MAX_NAMES = 64;

// Preparing and deciding a call both ask for the paths of the same commands.
const pathRefsOf = new WeakMap<LinePart, CollectedPathRefs>();

/** The paths that one command of a line uses. */
export function pathsOfCommand(part: LinePart, args: Args): CollectedPathRefs {
  const found = pathRefsOf.get(part) ?? fromEffects(part);
  pathRefsOf.set(part, found);
  const moved = movedPaths(found.wanted, args);
  return moved.length === 0 ? found : { ...found, wanted: [...found.wanted, ...moved] };
}

function fromEffects({ effects, remote, words, named }: LinePart): CollectedPathRefs {
  const wanted: PathRef[] = [];
  let unknown = remote ? undefined : addPatchCommand(wanted, words);
  let regions = 0;
  for (const effect of effects) {
    if (!("path" in effect)) continue;
    const { path, kind, below, only, follows, visible = false, exact = false, needs } = effect;
    const access = kind === "write" || kind === "delete" ? "write" : "read";
    if (path.text === undefined) {
      // A file on another machine is not covered by rules about files here.
      if (!remote) unknown ??= path.why;
      continue;
    }
    if (wanted.length > MAX_PATHS) break;
    const { pattern, globbed = false, splits, namesOf } = path;
    let region: PathRef["region"];
    if (pattern !== undefined || below === true) {
      const names = pattern === undefined ? undefined : readNames(path.text, pattern);
      regions += 1;
      if (!remote && names?.some((name) => name !== "**" && name.climbs === true) === true) {
        unknown ??= "a glob may match the parent folder";
      }
      if (regions <= MAX_REGIONS && Math.max(names?.length ?? 0, only?.length ?? 0) <= MAX_NAMES)
        region = {
          names,
          below: below === true && names !== undefined,
          visible,
          globbed,
          ...(only === undefined ? {} : { only: readFilters(only) }),
        };
      else unknown ??= "the command has too many globs and folders";
    }
    const deletesAll =
      access === "write" &&
      region !== undefined &&
      only === undefined &&
      named.names.has("delete-below");
    const deletesBelow = deletesAll && region?.names === undefined;
    wanted.push({
      text: path.text,
      access,
      executes: kind === "project" || (kind === "execute" && !isProgram(effect, words)),
      guessed: !remote && (kind === "project" || isProgram(effect, words)),
      region,
      deletesBelow,
      ignoredKey:
        deletesBelow || (deletesAll && globbed && below === true)
          ? questionKey(pattern ?? path.text, "ignored")
          : undefined,
      follows,
      pattern: region === undefined || effect.found !== undefined ? undefined : pattern,
      ...{ namesOf, splits, exact, remote },
      found: remote ? undefined : filesOf(effect, path),
      needs: pattern === undefined ? needs : undefined,
    });
  }
  return { wanted, unknown, from: "shell" };
}

// A program run by its path in a system folder counts as the program, and not as a file that an allow must list.
const isProgram = ({ kind, path }: FileEffect, words: LinePart["words"]): boolean =>
  kind === "execute" &&
  path.text !== undefined &&
  path.pattern === undefined &&
  path.text === words[0]?.text &&
  bareName(path.text) !== path.text;
