import type { Word } from "../analysis.ts";
import { runArgv } from "./apply-spec.ts";
import { file, hazard, runScript, unknown, type Findings } from "./findings.ts";
import { optionsNamed, hasOption } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { after, joined, known, prefix } from "./word-text.ts";
import { kind, options, wraps } from "./option-groups.ts";
import { activates } from "./virtual-environments.ts";

function trap(use: ParsedArgs, out: Findings): void {
  const [action] = use.operands;
  if (hasOption(use, "l p P") || action === undefined || use.operands.length === 1) return;
  if (action.word.text === "-" || action.word.text === "") return;
  runScript(out, action.at, action.word);
}

function alias(use: ParsedArgs, out: Findings): void {
  for (const { at, word } of use.operands) {
    const sign = prefix(word).indexOf("=");
    if (sign < 0) continue;
    hazard(out, at, "configure");
    runScript(out, at, after(word, sign + 1));
  }
}

function source(use: ParsedArgs, out: Findings): void {
  const [script] = use.operands;
  if (script === undefined) return;
  file(out, "read", script.word);
  file(out, "execute", script.word);
  if (activates(out.argv)) return;
  hazard(out, script.at, "load");
  unknown(out, "dynamic_script", `script in the file \`${script.word.text ?? "?"}\``);
}

function evaluate(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  if (first !== undefined) runScript(out, first.at, joined(use.operands.map(({ word }) => word)));
}

// Bash evaluates a subscript in a variable name, including substitutions.
const names =
  (which: (use: ParsedArgs) => readonly { readonly at: number; readonly word: Word }[]) =>
  (use: ParsedArgs, out: Findings): void => {
    for (const { at, word } of which(use)) {
      if (
        word.text === undefined
          ? !/^[A-Za-z_][A-Za-z0-9_]*=/.test(prefix(word))
          : computes(word.text)
      ) {
        hazard(out, at, "run");
        unknown(out, "dynamic_script", "a subscript that bash evaluates");
      }
    }
  };

function computes(text: string): boolean {
  const subscript = text.indexOf("[");
  return subscript >= 0 && (text.includes("$", subscript) || text.includes("`", subscript));
}

const operandsOf = names((use) => use.operands);

// zsh evaluates these as arithmetic, including substitutions in subscripts.
function noteNumber({ pieces }: Word, out: Findings): void {
  for (const piece of pieces)
    if (typeof piece === "string" ? !/^[-+\d.]*$/.test(piece) : piece.hole !== "number")
      unknown(
        out,
        "dynamic_script",
        `a number of \`${out.argv[0]?.text ?? "?"}\`, which zsh evaluates`,
      );
}

const COUNTS: Spec = {
  prints: true,
  more: (_, out) => out.argv.slice(1).forEach((word) => noteNumber(word, out)),
};

// `test` does not use getopt: `-v` takes the next word anywhere.
function test(use: ParsedArgs, out: Findings): void {
  const { argv } = out;
  for (let at = 1; at < argv.length; at++) {
    const before = argv[at - 1]?.text;
    const word = argv[at];
    if (word === undefined || at === 1) continue;
    if (before === "-v" || before === "-R") names(() => [{ at, word }])(use, out);
    else if (before === "-t" && word.text !== "]") noteNumber(word, out);
    else if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(word.text ?? "")) {
      for (const number of [argv[at - 1], argv[at + 1]]) if (number) noteNumber(number, out);
    } else if (before !== undefined && /^-[abcdefghkprstuwxGLNOS]$|^-(nt|ot|ef)$/.test(before))
      file(out, "read", word);
  }
}

// Without an operand it goes to the home directory.
function cd({ operands: [first, second] }: ParsedArgs, out: Findings): void {
  // zsh replaces the first word by the second in the path of the working directory.
  if (second !== undefined || /^(?:-|[-+]\d+)$/.test(first?.word.text ?? ""))
    out.effects.push({ kind: "read", path: { why: "a directory known only to the shell" } });
  else file(out, "read", first?.word ?? known("~"));
}

function pushd(use: ParsedArgs, out: Findings): void {
  if (use.operands.length > 0) cd(use, out);
}

const PRINTS: Spec = { prints: true };

const DECLARES: Spec = {
  options: options`-a -A -f -F -g -i -I -l -n -p -r -t -u -x`,
  more: operandsOf,
};

/** Shell built-ins. Their effect on later commands is in `walk/shell-state.ts`. */
export const BUILTINS: Readonly<Record<string, Spec>> = {
  ":": PRINTS,
  true: PRINTS,
  false: PRINTS,
  echo: { posix: true, prints: true },
  printf: {
    options: options`${kind.value} -v`,
    posix: true,
    prints: true,
    more: names((use) =>
      optionsNamed(use, "v").flatMap(({ at, value }) =>
        value === undefined ? [] : [{ at, word: value }],
      ),
    ),
  },
  pwd: PRINTS,
  cd: { options: options`-L -P -e -@`, posix: true, more: cd },
  pushd: { options: options`-n`, posix: true, more: pushd },
  popd: { options: options`-n` },
  dirs: PRINTS,
  command: { options: options`-p -v -V`, wrap: 0, transparent: true, inert: "v V" },
  builtin: { wrap: 0 },
  exec: wraps`-c -l ${kind.value} -a`,
  eval: { posix: true, more: evaluate },
  source: { options: options`${kind.value} -p`, posix: true, more: source },
  ".": { options: options`${kind.value} -p`, posix: true, more: source },
  trap: { options: options`-l -p -P`, posix: true, more: trap },
  alias: { options: options`-p`, posix: true, more: alias },
  unalias: { options: options`${kind.flagThat("configure")} -a` },
  test: { posix: true, prints: true, more: test },
  "[": { posix: true, prints: true, more: test },
  type: PRINTS,
  which: PRINTS,
  whereis: PRINTS,
  hash: {
    options: options`-l -t ${kind.flagThat("configure")} -d -r ${kind.takes("load")} -p`,
    more: (use, out) => {
      for (const { at } of optionsNamed(use, "p")) {
        hazard(out, at, "configure");
        unknown(out, "state", "a program that `hash -p` puts behind a name");
      }
      // zsh also does so for `hash name=program`.
      if (use.operands.some(({ word }) => word.text?.includes("=") !== false))
        unknown(out, "state", "a program that `hash` may put behind a name");
    },
  },
  enable: {
    options: options`-a -p -s ${kind.flagThat("configure")} -d -n ${kind.takes("load")} -f`,
    more: (use, out) => {
      if (hasOption(use, "f")) unknown(out, "dynamic_script", "a library that `enable -f` loads");
    },
  },
  let: { posix: true, prints: true, more: operandsOf },
  read: {
    options: options`-e -r -s -E ${kind.value} -a -d -i -n -N -p -t -u`,
    more: (use, out) => {
      names(() => [
        ...use.operands,
        ...optionsNamed(use, "a").flatMap(({ at, value }) =>
          value === undefined ? [] : [{ at, word: value }],
        ),
      ])(use, out);
      for (const { value } of optionsNamed(use, "t"))
        if (value !== undefined) noteNumber(value, out);
    },
  },
  mapfile: {
    options: options`-t ${kind.value} -d -n -O -s -u -c ${kind.script} -C`,
    more: operandsOf,
  },
  readarray: {
    options: options`-t ${kind.value} -d -n -O -s -u -c ${kind.script} -C`,
    more: operandsOf,
  },
  complete: {
    options: options`-a -b -c -d -e -f -g -j -k -s -u -v -D -E -I -p -r ${kind.value} -o -A -G -W -F -X -P -S
      ${kind.takes("script", "configure")} -C`,
  },
  compgen: {
    options: options`-a -b -c -d -e -f -g -j -k -s -u -v ${kind.value} -o -A -G -F -X -P -S ${kind.script} -W -C`,
  },
  bind: {
    options: options`-l -v -p -V -P -s -S -X ${kind.value} -m -q -u -r ${kind.takes("load")} -f ${kind.takes("script", "configure")} -x`,
  },
  unset: { options: options`-f -v -n`, more: operandsOf },
  export: { options: options`-f -n -p`, more: operandsOf },
  readonly: { options: options`-a -A -f -p`, more: operandsOf },
  declare: DECLARES,
  typeset: DECLARES,
  local: DECLARES,
  getopts: { posix: true },
  set: { posix: true, prints: true },
  shopt: { posix: true, prints: true },
  shift: COUNTS,
  return: COUNTS,
  exit: COUNTS,
  logout: COUNTS,
  break: COUNTS,
  continue: COUNTS,
  wait: { options: options`-f -n ${kind.value} -p` },
  jobs: { options: options`-l -n -p -r -s -x`, more: (use, out) => runJobs(use, out) },
  bg: PRINTS,
  fg: PRINTS,
  disown: {},
  suspend: {},
  caller: PRINTS,
  help: PRINTS,
  times: PRINTS,
  ulimit: PRINTS,
  umask: PRINTS,
  history: {
    options: options`-p ${kind.flagThat("configure")} -c -s ${kind.valueThat("configure")} -d ${kind.flagThat("write")} -a -w
      ${kind.flagThat("load")} -n -r`,
    more: (use, out) => {
      if (hasOption(use, "a w")) for (const { word } of use.operands) file(out, "write", word);
      if (hasOption(use, "r n")) for (const { word } of use.operands) file(out, "read", word);
    },
  },
  fc: {
    options: options`-l -n -r ${kind.script} -e ${kind.flagThat("run")} -s`,
    more: (use, out) => {
      if (!hasOption(use, "l"))
        unknown(out, "dynamic_script", "an earlier command that `fc` runs again");
    },
  },
};

function runJobs(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  if (hasOption(use, "x") && first !== undefined) runArgv(out, first.at);
}
