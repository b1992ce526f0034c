import type { Json } from "@bylaw/kernel";
import { reach } from "./args.ts";
import type { CallFacts } from "./facts.ts";
import { foldPath } from "./fold.ts";
import type { PathGlob } from "./path-glob.ts";
import { PrefixMap } from "./prefix-map.ts";
import { ProgramRules } from "./program-rules.ts";
import type { Rule } from "./rule.ts";
import type { Entry, Tally } from "./tally.ts";

type Scalar = string | number | boolean | null;

interface ArgumentIndex {
  readonly path: readonly string[];
  readonly values: Map<Scalar, Entry[]>;
  readonly prefixes: PrefixMap<Entry[]>;
  /** All of them: for a value that only its matchers can read. */
  readonly all: Entry[];
}

type Folders = Readonly<Record<PathGlob["base"], FolderTree>>;

/** The rules about one tool, by the one further thing that tells them best apart. */
export class Bucket {
  readonly #plain: Entry[] = [];
  // By the name in small letters: a deny is of all spellings.
  #programs: Map<string, ProgramRules> | undefined = undefined;
  #programPrefixes: PrefixMap<Entry[]> | undefined = undefined;
  #arguments: Map<string, Map<string, ArgumentIndex>> | undefined = undefined;
  #folders: Folders | undefined = undefined;
  #agents: Map<string, Entry[]> | undefined = undefined;
  #phases: Map<string, Entry[]> | undefined = undefined;

  add(entry: Entry): void {
    const { rule } = entry;
    if (this.#addByProgram(entry)) return;
    const lists = this.#byArgument(rule) ?? this.#byFolder(rule) ?? this.#byAgent(rule) ?? this.#byPhase(rule) ?? [this.#plain];
    for (const list of lists) if (list.at(-1) !== entry) list.push(entry);
  }

  #addByProgram(entry: Entry): boolean {
    const { words, regex } = entry.rule;
    if (words !== undefined) {
      if (words.some(({ program }) => program === undefined)) return false;
      for (const { program = "" } of words) this.#program(program).add(entry);
      return true;
    }
    const prefixes = regex?.prefixes ?? [];
    if (prefixes.length === 0 || prefixes.some((prefix) => prefix === "" || prefix.startsWith(" "))) return false;
    for (const prefix of prefixes) {
      const blank = prefix.indexOf(" ");
      if (blank > 0) this.#program(prefix.slice(0, blank)).add(entry);
      else {
        const list = (this.#programPrefixes ??= new PrefixMap()).at(prefix, () => []);
        if (list.at(-1) !== entry) list.push(entry);
      }
    }
    return true;
  }

  #program(name: string): ProgramRules {
    this.#programs ??= new Map();
    const lower = name.toLowerCase();
    let rules = this.#programs.get(lower);
    if (rules === undefined) this.#programs.set(lower, (rules = new ProgramRules(lower)));
    return rules;
  }

  #byArgument({ conditions, source }: Rule): readonly Entry[][] | undefined {
    const condition = conditions.find(({ key }) => key?.kind === "values") ?? conditions.find(({ key }) => key !== undefined);
    if (condition?.key === undefined) return undefined;
    const { key, name } = condition;
    const path = name.split(".");
    const paths = path.length > 1 && source.effect !== "allow" ? [path, [name]] : [path];
    return paths.flatMap((steps) => {
      const index = this.#argument(steps);
      const lists =
        key.kind === "values"
          ? key.values.map((value) => listAt(index.values, value))
          : key.prefixes.map((prefix) => index.prefixes.at(prefix, () => []));
      return source.effect === "allow" ? lists : [...lists, index.all];
    });
  }

  #argument(path: readonly string[]): ArgumentIndex {
    this.#arguments ??= new Map();
    const top = path[0] ?? "";
    let below = this.#arguments.get(top);
    if (below === undefined) this.#arguments.set(top, (below = new Map()));
    const name = JSON.stringify(path);
    let index = below.get(name);
    if (index === undefined) below.set(name, (index = { path, values: new Map(), prefixes: new PrefixMap(), all: [] }));
    return index;
  }

  #byFolder({ readPaths, writePaths, words, regex, source }: Rule): readonly Entry[][] | undefined {
    if (readPaths === undefined && writePaths === undefined) return undefined;
    // An allow of a command covers it also where it touches no file.
    if (source.effect === "allow" && (words ?? regex) !== undefined) return undefined;
    const folders = (this.#folders ??= { root: new FolderTree(), home: new FolderTree(), workspace: new FolderTree() });
    const globs = [...(readPaths ?? []), ...(writePaths ?? [])];
    return globs.flatMap(({ base, lead, folded }) => [
      folders[base].at(lead),
      ...(folded === undefined ? [] : [folders[base].at(folded.lead)]),
    ]);
  }

  #byAgent({ agents }: Rule): readonly Entry[][] | undefined {
    if (agents?.every(({ literal }) => literal !== undefined) !== true) return undefined;
    return agents.map(({ literal }) => listAt((this.#agents ??= new Map()), literal ?? ""));
  }

  #byPhase({ phases }: Rule): readonly Entry[][] | undefined {
    if (phases?.every(({ literal }) => literal !== undefined) !== true) return undefined;
    return phases.map(({ literal }) => listAt((this.#phases ??= new Map()), literal ?? ""));
  }

  /** Shows a tally every rule that could match. */
  visit(facts: CallFacts, tally: Tally): void {
    seeAll(this.#plain, facts, tally);
    if (this.#programs !== undefined || this.#programPrefixes !== undefined) this.#visitPrograms(facts, tally);
    if (this.#arguments !== undefined) this.#visitArguments(this.#arguments, facts, tally);
    if (this.#folders !== undefined) visitFolders(this.#folders, facts, tally);
    const { agent, phase } = facts.call;
    if (this.#agents !== undefined && agent !== undefined) seeAll(this.#agents.get(agent), facts, tally);
    if (this.#phases !== undefined && phase !== undefined) seeAll(this.#phases.get(phase), facts, tally);
  }

  #visitPrograms(facts: CallFacts, tally: Tally): void {
    const { part } = facts;
    if (part === null) return;
    const many = part.starts > 1;
    for (const { name, lower, head } of part.programs) {
      // A regular expression reads a name with a blank in it as a program and its argument.
      const once = many || head;
      this.#programs?.get(lower)?.visit(facts, part, tally, once);
      this.#programPrefixes?.visit(name, once ? seeEachOnce : seeAll, facts, tally);
    }
  }

  #visitArguments(index: ReadonlyMap<string, ReadonlyMap<string, ArgumentIndex>>, facts: CallFacts, tally: Tally): void {
    const { args } = facts;
    if (args === undefined) {
      for (const below of index.values()) for (const { all } of below.values()) seeAll(all, facts, tally);
      return;
    }
    if (index.size <= 8) {
      for (const [name, below] of index) if (Object.hasOwn(args, name)) this.#visitArgument(below, args, facts, tally);
      return;
    }
    for (const name of Object.keys(args)) {
      const below = index.get(name);
      if (below !== undefined) this.#visitArgument(below, args, facts, tally);
    }
  }

  #visitArgument(below: ReadonlyMap<string, ArgumentIndex>, args: NonNullable<CallFacts["args"]>, facts: CallFacts, tally: Tally): void {
    for (const { path, values, prefixes, all } of below.values()) {
      const value: Json | undefined = reach(args, path);
      if (value === undefined ? path.length > 1 : typeof value === "object" && value !== null) seeAll(all, facts, tally);
      if (value === undefined || (typeof value === "object" && value !== null)) continue;
      seeAll(values.get(value as Scalar), facts, tally);
      // A deny reads numbers and the like as text.
      if (typeof value !== "string") seeAll(values.get(String(value)), facts, tally);
      prefixes.visit(String(value), seeAll, facts, tally);
    }
  }
}

function visitFolders(folders: Folders, facts: CallFacts, tally: Tally): void {
  const { known, workspace, home } = facts.paths;
  if (known.length === 0) return;
  const exact = { workspace, home };
  const loose = { workspace: workspace && foldPath(workspace), home: home && foldPath(home) };
  const folds = loose.workspace !== workspace || loose.home !== home;
  for (const { places, aliases, region } of known) {
    for (const folder of region?.folders ?? []) {
      visitRegion(folders, folder, exact, facts, tally);
      const other = foldPath(folder);
      if (folds || other !== folder) visitRegion(folders, other, loose, facts, tally);
    }
    for (const place of [...places, ...aliases]) {
      visitPlace(folders, place, exact, facts, tally);
      const other = foldPath(place);
      if (folds || other !== place) visitPlace(folders, other, loose, facts, tally);
    }
  }
}

interface Bases {
  readonly workspace: readonly string[] | undefined;
  readonly home: readonly string[] | undefined;
}

function visitRegion({ root, workspace, home }: Folders, folder: readonly string[], bases: Bases, facts: CallFacts, tally: Tally): void {
  root.visitBelow(folder, facts, tally);
  if (bases.workspace !== undefined) workspace.visitBelow(remainder(folder, bases.workspace), facts, tally);
  if (bases.home !== undefined) home.visitBelow(remainder(folder, bases.home), facts, tally);
}

function visitPlace({ root, workspace, home }: Folders, place: readonly string[], bases: Bases, facts: CallFacts, tally: Tally): void {
  root.visit(place, 0, facts, tally);
  if (bases.workspace !== undefined && begins(place, bases.workspace)) workspace.visit(place, bases.workspace.length, facts, tally);
  if (bases.home !== undefined && begins(place, bases.home)) home.visit(place, bases.home.length, facts, tally);
}

function begins(place: readonly string[], folder: readonly string[]): boolean {
  return place.length >= folder.length && folder.every((segment, at) => place[at] === segment);
}

// What a folder lies at below another; the other itself where that lies in it, and nothing where the two lie apart.
function remainder(folder: readonly string[], above: readonly string[]): readonly string[] | undefined {
  return above.every((segment, at) => at >= folder.length || folder[at] === segment) ? folder.slice(above.length) : undefined;
}

interface Folder {
  readonly children: Map<string, Folder>;
  readonly entries: Entry[];
}

/** Rules by the folders that their globs begin with. */
class FolderTree {
  readonly #root: Folder = { children: new Map(), entries: [] };

  at(segments: readonly string[]): Entry[] {
    let node = this.#root;
    for (const segment of segments) {
      let child = node.children.get(segment);
      if (child === undefined) node.children.set(segment, (child = { children: new Map(), entries: [] }));
      node = child;
    }
    return node.entries;
  }

  visit(place: readonly string[], from: number, facts: CallFacts, tally: Tally): void {
    let node: Folder | undefined = this.#root;
    for (let at = from; node !== undefined; at++) {
      seeEachOnce(node.entries, facts, tally);
      const segment = place[at];
      node = segment === undefined ? undefined : node.children.get(segment);
    }
  }

  /** Shows the rules of a folder, of those above it and of all below it. */
  visitBelow(place: readonly string[] | undefined, facts: CallFacts, tally: Tally): void {
    if (place === undefined) return;
    let node: Folder = this.#root;
    for (const segment of place) {
      seeEachOnce(node.entries, facts, tally);
      const child = node.children.get(segment);
      if (child === undefined) return;
      node = child;
    }
    const open = [node];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      seeEachOnce(next.entries, facts, tally);
      open.push(...next.children.values());
    }
  }
}

function seeAll(entries: readonly Entry[] | undefined, facts: CallFacts, tally: Tally): void {
  if (entries === undefined) return;
  for (const entry of entries) tally.see(entry, facts);
}

function seeEachOnce(entries: readonly Entry[] | undefined, facts: CallFacts, tally: Tally): void {
  if (entries === undefined) return;
  for (const entry of entries) tally.seeOnce(entry, facts);
}

// The list at a key, made when there is none.
function listAt<K>(map: Map<K, Entry[]>, key: K): Entry[] {
  let list = map.get(key);
  if (list === undefined) map.set(key, (list = []));
  return list;
}
