import type { Word } from "../analysis.ts";
import { runArgv } from "./apply.ts";
import { file, hazard, runScript, unknown, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { uses, usedOf, type Use } from "./use.ts";
import { after, joined, known, prefix } from "./words.ts";

function trap(use: Use, out: Out): void {
  const [action] = use.operands;
  if (uses(use, "l p P") || action === undefined || use.operands.length === 1) return;
  if (action.word.text === "-" || action.word.text === "") return;
  runScript(out, action.at, action.word);
}

function alias(use: Use, out: Out): void {
  for (const { at, word } of use.operands) {
    const sign = prefix(word).indexOf("=");
    if (sign < 0) continue;
    hazard(out, at, "configure");
    runScript(out, at, after(word, sign + 1));
  }
}

function source(use: Use, out: Out): void {
  const [script] = use.operands;
  if (script === undefined) return;
  hazard(out, script.at, "load");
  file(out, "read", script.word);
  file(out, "execute", script.word);
  unknown(out, "dynamic_script", `script in the file \`${script.word.text ?? "?"}\``);
}

function evaluate(use: Use, out: Out): void {
  const [first] = use.operands;
  if (first !== undefined) runScript(out, first.at, joined(use.operands.map(({ word }) => word)));
}

// Bash evaluates the subscript in the name of a variable, substitutions included.
const names =
  (which: (use: Use) => readonly { readonly at: number; readonly word: Word }[]) =>
  (use: Use, out: Out): void => {
    for (const { at, word } of which(use)) {
      if (word.text === undefined ? !/^[A-Za-z_][A-Za-z0-9_]*=/.test(prefix(word)) : computes(word.text)) {
        hazard(out, at, "run");
        unknown(out, "dynamic_script", "subscript that bash evaluates");
      }
    }
  };

function computes(text: string): boolean {
  const subscript = text.indexOf("[");
  return subscript >= 0 && (text.includes("$", subscript) || text.includes("`", subscript));
}

const operandsOf = names((use) => use.operands);

// `test` is no getopt program: -v takes the next word wherever it stands.
function test(use: Use, out: Out): void {
  const { argv } = out;
  for (let at = 1; at < argv.length; at++) {
    const before = argv[at - 1]?.text;
    const word = argv[at];
    if (word === undefined || at === 1) continue;
    if (before === "-v" || before === "-R") names(() => [{ at, word }])(use, out);
    else if (before !== undefined && /^-[abcdefghkprstuwxGLNOS]$|^-(nt|ot|ef)$/.test(before)) file(out, "read", word);
  }
}

// Without an operand it goes home.
function cd({ operands: [first] }: Use, out: Out): void {
  if (first?.word.text === "-") out.effects.push({ kind: "read", path: { why: "folder that `cd -` goes back to" } });
  else file(out, "read", first?.word ?? known("~"));
}

const DECLARES: Spec = { options: "-a -A -f -F -g -i -I -l -n -p -r -t -u -x", more: operandsOf };

/** Built-ins of the shell. What they change for later commands is not said here. */
export const BUILTINS: Readonly<Record<string, Spec>> = {
  ":": {},
  true: {},
  false: {},
  echo: { posix: true },
  printf: {
    options: "-v=",
    posix: true,
    more: names((use) => usedOf(use, "v").flatMap(({ at, value }) => (value === undefined ? [] : [{ at, word: value }]))),
  },
  pwd: {},
  cd: { options: "-L -P -e -@", posix: true, more: cd },
  pushd: { options: "-n", posix: true, operands: "read" },
  popd: { options: "-n" },
  dirs: {},
  command: { options: "-p -v -V", wrap: 0, inert: "v V" },
  builtin: { wrap: 0 },
  exec: { options: "-a= -c -l", wrap: 0 },
  eval: { posix: true, more: evaluate },
  source: { options: "-p=", posix: true, more: source },
  ".": { options: "-p=", posix: true, more: source },
  trap: { options: "-l -p -P", posix: true, more: trap },
  alias: { options: "-p", posix: true, more: alias },
  unalias: { options: "-a!c" },
  test: { posix: true, more: test },
  "[": { posix: true, more: test },
  type: {},
  which: {},
  whereis: {},
  hash: {
    options: "-d!c -l -p=load -r!c -t",
    more: (use, out) => {
      for (const { at } of usedOf(use, "p")) {
        hazard(out, at, "configure");
        unknown(out, "state", "program that `hash -p` puts behind a name");
      }
    },
  },
  enable: {
    options: "-a -d!c -f=load -n!c -p -s",
    more: (use, out) => {
      if (uses(use, "f")) unknown(out, "dynamic_script", "library that `enable -f` loads");
    },
  },
  let: { posix: true, more: operandsOf },
  read: {
    options: "-a= -d= -e -i= -n= -N= -p= -r -s -t= -u= -E",
    more: names((use) => [
      ...use.operands,
      ...usedOf(use, "a").flatMap(({ at, value }) => (value === undefined ? [] : [{ at, word: value }])),
    ]),
  },
  mapfile: { options: "-d= -n= -O= -s= -t -u= -C=script!r -c=", more: operandsOf },
  readarray: { options: "-d= -n= -O= -s= -t -u= -C=script!r -c=", more: operandsOf },
  complete: { options: "-a -b -c -d -e -f -g -j -k -s -u -v -D -E -I -p -r -o= -A= -G= -W= -F= -C=script!c -X= -P= -S=" },
  compgen: { options: "-a -b -c -d -e -f -g -j -k -s -u -v -o= -A= -G= -W=script!r -F= -C=script!r -X= -P= -S=" },
  bind: { options: "-m= -l -v -p -V -P -s -S -X -f=load -q= -u= -r= -x=script!c" },
  unset: { options: "-f -v -n", more: operandsOf },
  export: { options: "-f -n -p", more: operandsOf },
  readonly: { options: "-a -A -f -p", more: operandsOf },
  declare: DECLARES,
  typeset: DECLARES,
  local: DECLARES,
  getopts: { posix: true },
  set: { posix: true },
  shopt: { posix: true },
  shift: {},
  return: {},
  exit: {},
  logout: {},
  break: {},
  continue: {},
  wait: { options: "-f -n -p=" },
  jobs: { options: "-l -n -p -r -s -x", more: (use, out) => runJobs(use, out) },
  bg: {},
  fg: {},
  disown: {},
  suspend: {},
  caller: {},
  help: {},
  times: {},
  ulimit: {},
  umask: {},
  history: {
    options: "-c!c -d=!c -a!w -n!l -r!l -w!w -p -s!c",
    more: (use, out) => {
      if (uses(use, "a w")) for (const { word } of use.operands) file(out, "write", word);
      if (uses(use, "r n")) for (const { word } of use.operands) file(out, "read", word);
    },
  },
  fc: {
    options: "-e=prog!r -l -n -r -s!r",
    more: (use, out) => {
      if (!uses(use, "l")) unknown(out, "dynamic_script", "earlier command that `fc` runs again");
    },
  },
};

function runJobs(use: Use, out: Out): void {
  const [first] = use.operands;
  if (uses(use, "x") && first !== undefined) runArgv(out, first.at);
}
