import { apply } from "./apply-spec.ts";
import { CODE_TOOLS } from "./code-tools.ts";
import { file, hazard, inlineCode, runScript, unknown, type Findings } from "./findings.ts";
import { NODE } from "./node.ts";
import { pythonModule, readPythonArchive } from "./python-modules.ts";
import { recordArgumentsOfScript, runFile, runInput } from "./script-file.ts";
import { optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import { noteScriptTask } from "./later-tasks.ts";
import { isSubstitution } from "./perl-code.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { command } from "./word-text.ts";
import { type OptionGroup, kind, options } from "./option-groups.ts";

/** A script file after the options, or code on standard input. */
function scriptOrInput(use: ParsedArgs, out: Findings): void {
  const [script] = use.operands;
  if (hasOption(use, CODE)) return;
  const name = out.argv[0]?.text ?? "?";
  const unsure = use.unknownOptions.find(({ word }) => word.text === undefined);
  if (unsure !== undefined)
    inlineCode(out, unsure.at, `option of \`${name}\` known only at run time`);
  if (script === undefined) runInput(out);
  else {
    runFile(out, script.at, script.word);
    noteScriptTask(use, out);
  }
}

const CODE = "code eval print run-code command module lint file stdin-code".split(" ");

const PYTHON_MODULES: ReadonlySet<string> = new Set([
  "pip",
  "pip3",
  "pytest",
  "npm",
  "black",
  "ruff",
  "mypy",
  "uv",
  "poetry",
  "tox",
  "nox",
  "coverage",
  "flake8",
  "isort",
  "ansible",
  "awscli",
  "httpie",
  "gunicorn",
  "uvicorn",
  "virtualenv",
]);
// Modules that take code or a command as arguments.
const PYTHON_CODE: ReadonlySet<string> = new Set([
  "timeit",
  "pdb",
  "code",
  "asyncio",
  "idlelib",
  "doctest",
  "cProfile",
  "profile",
  "trace",
  "runpy",
  "IPython",
  "sqlite3",
  "webbrowser",
  "antigravity",
  "pty",
  "ensurepip",
]);

/** Reads `python -m` and its arguments, after the options. */
function readPython(out: Findings, from: number): void {
  const found = pythonModule(out.argv, from);
  if (found === undefined) {
    apply(PYTHON, out, from);
    return;
  }
  const { name: module, at: first } = found;
  hazard(out, first, "run");
  if (module === undefined) unknown(out, "inline_code", "a module known only at run time");
  else if (PYTHON_CODE.has(module))
    unknown(out, "inline_code", `code in the arguments of \`python -m ${module}\``);
  else if (PYTHON_MODULES.has(module)) {
    const words = [{ text: module, pieces: [module], single: true }, ...out.argv.slice(first + 1)];
    runScript(out, first, command(words));
  } else {
    out.carries = true;
    if (readPythonArchive(out, found)) return;
    recordArgumentsOfScript(out, first + 1);
  }
}

const PYTHON: Spec = {
  options: options`-b -B -d -E -h,--help -i -I -O -P -q -R -s -S -u -v -V,--version -x --help-env --help-xoptions --help-all ${kind.code}
    -c,--code -m,--module ${kind.value} -W -X -Q --check-hash-based-pycs`,
  posix: true,
  inert: "help version help-env help-xoptions help-all",
  more: scriptOrInput,
};

const PYTHON_LIKE: Spec = { read: readPython };

const PERL: Spec = {
  options: options`-a -c -f -g -h,--help -n -p -s -S -t -T -u -U -v,--version -w -W -X ${kind.of("digits")} -0 -l ${kind.optional} -C -D
    -F -V ${kind.of("glued", { role: "code" })} -d ${kind.code} -e,--code -E,--eval ${kind.of("glued", { does: "write" })} -i ${kind.load}
    -I ${kind.takes("code", "load")} -m -M ${kind.of("glued", { does: "run" })} -x`,
  posix: true,
  inert: "help version V",
  more: perl,
};

const RUBY: Spec = {
  options: options`-a -c -d -h,--help -K -l -n -p -s -S -U -v,--version -w -y --yjit --jit --verbose --copyright ${kind.of("digits")} -0
    -W ${kind.takes("dir")} -C ${kind.code} -e,--code ${kind.value} -E --enable --disable --encoding --external-encoding
    --internal-encoding ${kind.optional} -F ${kind.of("glued", { does: "write" })} -i ${kind.load} -I -r
    ${kind.of("glued", { does: "run" })} -x`,
  posix: true,
  inert: "help version copyright",
  more: scriptOrInput,
};

function php(use: ParsedArgs, out: Findings): void {
  for (const used of optionsNamed(use, "define")) {
    if (/auto_|include|extension|preload|open_basedir|disable/.test(used.value?.text ?? "auto_"))
      hazard(out, used.at, "load");
  }
  const [loaded] = optionsNamed(use, "file");
  if (loaded !== undefined) {
    runFile(out, out.argv.length, valueOf(loaded));
    recordArgumentsOfScript(out, loaded.at + 1);
  } else if (hasOption(use, "lint")) for (const { word } of use.operands) file(out, "read", word);
  else if (!hasOption(use, "server")) scriptOrInput(use, out);
}

const PHP: Spec = {
  options: options`-a,--interactive -n,--no-php-ini -e -h,--help -i,--info -l,--syntax-check,--lint -m,--modules -q -H,--hide-args
    -s,--syntax-highlight -v,--version -w,--strip --ini ${kind.load} -c,--php-ini -z,--zend-extension ${kind.value} -d,--define -f,--file
    -S,--server -t,--docroot --rf --rc --re --ri ${kind.code} -r,--run,--run-code -B,--process-begin,--code -R,--process-code,--code
    -E,--process-end,--code ${kind.load} -F,--process-file`,
  posix: true,
  inert: "help version info modules ini rf rc re ri",
  more: php,
};

const LUA: Spec = {
  options: options`-i -v,--version -E -W ${kind.code} -e,--code ${kind.load} -l ${kind.value} -j`,
  posix: true,
  more: scriptOrInput,
};

// An interpreter with `-e code` or a file.
function withCode(more: readonly OptionGroup[]): Spec {
  return {
    options: options`--help --version ${more}`,
    posix: true,
    inert: "help version",
    more: scriptOrInput,
  };
}

const CLOJURE: Spec = {
  ...withCode(
    options`-r ${kind.code} -e,--eval,--code -m,--main ${kind.optional} -M -X -A -T ${kind.load} -i`,
  ),
  more: clojure,
};

// With an alias of `deps.edn`, it runs what the project declares and reads no code from its input.
function clojure(use: ParsedArgs, out: Findings): void {
  const alias = ["M", "X", "T"]
    .flatMap((name) => optionsNamed(use, name))
    .find(({ value }) => /^:[\w:./-]+$/.test(value?.text ?? ""));
  if (alias === undefined || use.options.length > 1) return scriptOrInput(use, out);
  hazard(out, alias.at, "run");
}

// `perl -pe s/a/b/` only edits text. But perl runs a file whose name ends in a pipe.
function perl(use: ParsedArgs, out: Findings): void {
  scriptOrInput(use, out);
  const codes = optionsNamed(use, "code");
  if (codes.length === 0 || codes.some(({ value }) => !isSubstitution(value?.text ?? ""))) return;
  for (const { word } of use.operands) {
    if (word.text === undefined || /^[<>+|\s]|[|\s]$/.test(word.text))
      inlineCode(out, 0, "a file whose name `perl` may run");
    file(out, "read", word);
    if (hasOption(use, "i")) file(out, "write", word);
  }
}

export const INTERPRETERS: Readonly<Record<string, Spec>> = {
  ...NODE,
  ...CODE_TOOLS,
  python: PYTHON_LIKE,
  pypy: PYTHON_LIKE,
  jython: PYTHON_LIKE,
  micropython: PYTHON_LIKE,
  pythonw: PYTHON_LIKE,
  ipython: withCode(options`-i ${kind.code} -c,--code -m,--module ${kind.load} --ext`),
  bpython: withCode(options`-i ${kind.code} -c,--code`),
  perl: PERL,
  raku: withCode(options`-n -p ${kind.code} -e,--code ${kind.load} -I -M`),
  ruby: RUBY,
  jruby: RUBY,
  irb: withCode(options`${kind.load} -r -I`),
  php: PHP,
  lua: LUA,
  luajit: LUA,
  Rscript: withCode(
    options`--verbose --vanilla --no-environ ${kind.code} -e,--code ${kind.value} --default-packages`,
  ),
  R: withCode(
    options`-q -s --vanilla --no-save --slave --quiet --no-restore --args ${kind.code} -e,--code ${kind.takes("load")} -f,--file`,
  ),
  julia: withCode(
    options`-i -q ${kind.code} -e,--eval,--code -E,--print,--code ${kind.load} -L,--load -J,--sysimage ${kind.value} -p -t,--threads -C
      ${kind.optional} --project -O`,
  ),
  groovy:
    withCode(options`-n -p ${kind.code} -e,--code ${kind.takes("load")} -cp,-classpath ${kind.optional} -l
      ${kind.of("glued", { does: "write" })} -i`),
  scala: withCode(options`${kind.code} -e,--code ${kind.takes("load")} -cp,-classpath`),
  kotlin: withCode(options`${kind.code} -e,--code ${kind.takes("load")} -cp,-classpath`),
  runghc: withCode(options`${kind.code} -e,--code ${kind.value} -f`),
  ghci: withCode(options`${kind.code} -e,--code`),
  tclsh: withCode(options`${kind.value} -encoding ${kind.code} -c,--code`),
  wish: withCode(options`${kind.code} -c,--code`),
  expect: withCode(
    options`-b -d -i -n -N -v ${kind.code} -c,--code ${kind.takes("load")} -f,--file ${kind.value} -D`,
  ),
  osascript: withCode(options`-i ${kind.code} -e,--code ${kind.value} -l -s`),
  guile: withCode(
    options`-q ${kind.code} -c,--code ${kind.value} -e ${kind.load} -l -L ${kind.takes("exec")} -s`,
  ),
  racket: withCode(
    options`-i -n ${kind.code} -e,--eval,--code ${kind.takes("load")} -f,--file -l -t -r ${kind.value} -p`,
  ),
  sbcl: withCode(
    options`--noinform --non-interactive --disable-debugger --quit --no-userinit --no-sysinit ${kind.code} --eval,--code ${kind.load}
      --load ${kind.takes("exec")} --script ${kind.takes("load")} --core`,
  ),
  clisp: withCode(options`${kind.code} -x,--code ${kind.load} -i`),
  clojure: CLOJURE,
  clj: CLOJURE,
  bb: withCode(options`${kind.code} -e,--eval,--code -m,--main -x ${kind.takes("load")} -f,--file`),
  elixir: withCode(
    options`--no-halt ${kind.code} -e,--eval,--code --rpc-eval ${kind.load} -r ${kind.takes("exec")} -S ${kind.takes("load")} -pr -pa -pz`,
  ),
  iex: withCode(options`${kind.code} -e,--eval,--code ${kind.load} -r ${kind.takes("exec")} -S`),
  erl: withCode(
    options`-noshell ${kind.code} -eval,--code ${kind.takes("code")} -s -run ${kind.takes("load")} -pa -boot -config`,
  ),
  qjs: withCode(options`-m -i ${kind.code} -e,--eval,--code ${kind.load} -I,--include`),
  gjs: withCode(options`${kind.code} -c,--command,--code ${kind.load} -I,--include-path`),
  d8: withCode(options`${kind.code} -e,--code`),
  js: withCode(options`${kind.code} -e,--code ${kind.takes("load")} -f,--file`),
  rhino: withCode(options`${kind.code} -e,--code ${kind.takes("load")} -f`),
  hy: withCode(options`-i ${kind.code} -c,--code -m,--module`),
  janet: withCode(options`${kind.code} -e,--code -E ${kind.load} -l`),
  fennel: withCode(options`${kind.code} -e,--eval,--code ${kind.read} -c,--compile`),
  scsh: withCode(
    options`${kind.code} -c,--code ${kind.takes("exec")} -s ${kind.value} -e ${kind.load} -l`,
  ),
  pike: withCode(options`${kind.code} -e,--code -x ${kind.load} -M`),
  zx: withCode(
    options`--install ${kind.code} -e,--eval,--code --prefix ${kind.takes("exec", "run")} --shell`,
  ),
  swift: withCode(options`${kind.code} -e,--code`),
  crystal: withCode(options`--eval`),
  ocaml: withCode(options`${kind.code} -e,--code ${kind.takes("load")} -I -init`),
  octave: withCode(
    options`-q --silent --no-gui ${kind.code} --eval,--code ${kind.takes("load")} -p --path`,
  ),
  matlab: withCode(options`-nodisplay -nosplash -nodesktop ${kind.code} -r,--code -batch,--code`),
  gnuplot: withCode(options`-p -persist -d ${kind.code} -e,--code ${kind.value} -c`),
  jshell: withCode(options`-s -v ${kind.load} --startup ${kind.value} --execution -R`),
  dc: withCode(options`${kind.code} -e,--expression,--code ${kind.takes("load")} -f,--file`),
};
