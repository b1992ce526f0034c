import { ARCHIVES } from "./archives.ts";
import { CHECKERS } from "./checkers.ts";
import { CLOUDS } from "./clouds.ts";
import { CONTAINERS } from "./containers.ts";
import { FILES } from "./files.ts";
import { GIT } from "./git.ts";
import { plainName } from "./gnu-names.ts";
import { INTERPRETERS } from "./interpreters.ts";
import { NETWORK } from "./network.ts";
import { PACKAGES } from "./packages.ts";
import { SEARCH } from "./search.ts";
import { SHELLS } from "./shells.ts";
import type { Spec } from "./program-spec.ts";
import { SYSTEM } from "./system.ts";
import { TEXT } from "./text.ts";
import { WRAPPERS } from "./wrappers.ts";

type Table = Readonly<Record<string, Spec>>;

const TABLES: readonly Table[] = [
  FILES,
  TEXT,
  SEARCH,
  ARCHIVES,
  WRAPPERS,
  SHELLS,
  INTERPRETERS,
  GIT,
  PACKAGES,
  CHECKERS,
  CLOUDS,
  NETWORK,
  CONTAINERS,
  SYSTEM,
];

let tables: Map<string, Table> | undefined;

/** The spec of a program, by its base name. */
export function specOf(name: string): Spec | undefined {
  tables ??= tablesByName();
  const spec = tables.get(name)?.[name];
  if (spec !== undefined) return spec;
  const plain = plainName(name);
  if (plain !== undefined) return tables.get(plain)?.[plain];
  const last = name.charCodeAt(name.length - 1);
  // Only versioned names end in a digit or a dot.
  if (last > 57 || last < 46) return undefined;
  const version = VERSIONED.exec(name);
  return version?.[1] === undefined ? undefined : specOf(version[1]);
}

/** The name under which the tables list a program: without a version, and without the `g` of a GNU tool. */
export function plainProgram(name: string): string {
  const plain = plainName(name) ?? name;
  return VERSIONED.exec(plain)?.[1] ?? plain;
}

// The roles of their operands and options describe these programs completely.
const TOLD_BY_ROLES: readonly (Table | undefined)[] = [FILES, TEXT, SEARCH, ARCHIVES];

/** Whether a program only works on files or text, so that its operands and options describe it completely. */
export function isFileTool(name: string): boolean {
  tables ??= tablesByName();
  return TOLD_BY_ROLES.includes(tables.get(name));
}

export function tabledPrograms(): Iterable<string> {
  tables ??= tablesByName();
  return tables.keys();
}

function tablesByName(): Map<string, Table> {
  const all = new Map<string, Table>();
  // If two tables have the same name, the first wins.
  for (const table of TABLES.toReversed())
    for (const name of Object.keys(table)) all.set(name, table);
  return all;
}

// Matches names such as python3.12, node-20 and gcc-13.
const VERSIONED =
  /^(python|pypy|perl|ruby|lua|luajit|php|node|nodejs|gcc|g\+\+|clang|clang\+\+|tclsh|wish|pip|bash|zsh|ksh|guile|julia|erl|gdb|lldb|make)-?\d[\d.]*$/;
