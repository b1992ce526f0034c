import { ARCHIVES } from "./archives.ts";
import { CHECKERS } from "./checkers.ts";
import { CLOUDS } from "./clouds.ts";
import { CONTAINERS } from "./containers.ts";
import { FILES } from "./files.ts";
import { GIT } from "./git.ts";
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

let specs: Map<string, Spec> | undefined;

/** The spec of a program, by its base name. */
export function specOf(name: string): Spec | undefined {
  const spec = (specs ??= allSpecs()).get(name);
  if (spec !== undefined) return spec;
  const last = name.charCodeAt(name.length - 1);
  // Only versioned names end in a digit or a dot.
  if (last > 57 || last < 46) return undefined;
  const version = VERSIONED.exec(name);
  return version?.[1] === undefined ? undefined : specOf(version[1]);
}

function allSpecs(): Map<string, Spec> {
  const all = new Map<string, Spec>();
  // If two tables have the same name, the first wins.
  for (const table of TABLES.toReversed())
    for (const name of Object.keys(table)) all.set(name, table[name] as Spec);
  for (const name of GNU) {
    const spec = all.get(name);
    if (spec !== undefined && !all.has(`g${name}`)) all.set(`g${name}`, spec);
  }
  return all;
}

// GNU tools, which have a `g` prefix on systems with their own tools.
const GNU: ReadonlySet<string> = new Set(
  `base32 base64 basename basenc cat chcon chgrp chmod chown chroot cksum comm cp csplit cut date dd df dir dircolors dirname du echo env expand expr factor false fmt fold groups
  head hostid id install join kill link ln logname ls md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk pinky pr printenv printf ptx pwd readlink
  realpath rm rmdir runcon seq sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split stat stdbuf stty sum sync tac tail tee test timeout touch tr true truncate
  tsort tty uname unexpand uniq unlink uptime users vdir wc who whoami yes sed awk tar grep egrep fgrep find xargs make time which locate updatedb diff cmp indent patch m4`.split(
    /\s+/,
  ),
);

/** The name of a GNU tool without its `g` prefix. Undefined for other names. */
export function plainName(name: string): string | undefined {
  return name.startsWith("g") && GNU.has(name.slice(1)) ? name.slice(1) : undefined;
}

/** Whether a program is known to accept abbreviated long options. */
export function abbreviates(name: string): boolean {
  return name === "git" || GNU.has(name) || plainName(name) !== undefined;
}

// python3.12, node-20, gcc-13
const VERSIONED =
  /^(python|pypy|perl|ruby|lua|luajit|php|node|nodejs|gcc|g\+\+|clang|clang\+\+|tclsh|wish|pip|bash|zsh|ksh|guile|julia|erl|gdb|lldb|make)-?\d[\d.]*$/;
