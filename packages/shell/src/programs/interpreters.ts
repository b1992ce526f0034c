import { apply } from "./apply.ts";
import { CODE_TOOLS } from "./code-tools.ts";
import { file, hazard, inlineCode, runScript, unknown, type Out } from "./out.ts";
import { NODE } from "./node.ts";
import { pythonModule, readPythonArchive } from "./python-modules.ts";
import { carryFrom, runFile, runInput } from "./script-file.ts";
import type { Spec } from "./spec.ts";
import { uses, usedOf, valueOf, type Use } from "./use.ts";
import { command, mayBeOption } from "./words.ts";

/** After the options: a script file, or code in the input. */
function scriptOrInput(use: Use, out: Out): void {
  const [script] = use.operands;
  if (uses(use, CODE)) return;
  const name = out.argv[0]?.text ?? "?";
  const unsure = use.strange.find(({ word }) => word.text === undefined);
  if (unsure !== undefined) inlineCode(out, unsure.at, `option of \`${name}\` that is only known when it runs`);
  if (script === undefined) runInput(out);
  else runFile(out, script.at, script.word);
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
// Modules that get code, or a command to run, in their arguments.
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

/** `python -m` and all after it; before it, options. */
function readPython(out: Out, from: number): void {
  const found = pythonModule(out.argv, from);
  if (found === undefined) {
    apply(PYTHON, out, from);
    return;
  }
  const { name: module, at: first } = found;
  hazard(out, first, "run");
  if (module === undefined) unknown(out, "inline_code", "module that is only known when it runs");
  else if (PYTHON_CODE.has(module)) unknown(out, "inline_code", `code in the arguments of \`python -m ${module}\``);
  else if (PYTHON_MODULES.has(module)) {
    const words = [{ text: module, pieces: [module], single: true }, ...out.argv.slice(first + 1)];
    runScript(out, first, command(words));
  } else {
    out.carries = true;
    if (readPythonArchive(out, found)) return;
    for (const operand of out.argv.slice(first + 1)) {
      if (mayBeOption(operand)) continue;
      file(out, "read", operand);
      file(out, "write", operand);
    }
  }
}

const PYTHON: Spec = {
  options: `-b -B -c,--code=code!r -d -E -h,--help -i -I -m,--module=code!r -O -P -q -R -s -S -u -v -V,--version -W= -x -X= -Q=
    --check-hash-based-pycs= --help-env --help-xoptions --help-all`,
  posix: true,
  inert: "help version help-env help-xoptions help-all",
  more: scriptOrInput,
};

const PYTHON_LIKE: Spec = { read: readPython };

const PERL: Spec = {
  options: `-0% -a -C? -c -d?code -D? -e,--code=code!r -E,--eval=code!r -f -F? -g -h,--help -i?!w -I=load!l -l% -m=code!l -M=code!l -n -p -s -S
    -t -T -u -U -v,--version -V? -w -W -x?!r -X`,
  posix: true,
  inert: "help version V",
  more: scriptOrInput,
};

const RUBY: Spec = {
  options: `-0% -a -c -C=dir -d -e,--code=code!r -E= -F? -h,--help -i?!w -I=load!l -K -l -n -p -r=load!l -s -S -U -v,--version -w -W% -x?!r
    -y --yjit --jit --enable= --disable= --encoding= --external-encoding= --internal-encoding= --verbose --copyright`,
  posix: true,
  inert: "help version copyright",
  more: scriptOrInput,
};

function php(use: Use, out: Out): void {
  for (const used of usedOf(use, "define")) {
    if (/auto_|include|extension|preload|open_basedir|disable/.test(used.value?.text ?? "auto_")) hazard(out, used.at, "load");
  }
  const [loaded] = usedOf(use, "file");
  if (loaded !== undefined) {
    runFile(out, out.argv.length, valueOf(loaded));
    carryFrom(out, loaded.at + 1);
  } else if (uses(use, "lint")) for (const { word } of use.operands) file(out, "read", word);
  else if (!uses(use, "server")) scriptOrInput(use, out);
}

const PHP: Spec = {
  options: `-a,--interactive -c,--php-ini=load!l -n,--no-php-ini -d,--define= -e -f,--file= -h,--help -i,--info -l,--syntax-check,--lint -m,--modules
    -q -r,--run,--run-code=code!r -B,--process-begin,--code=code!r -R,--process-code,--code=code!r -F,--process-file=load!l -E,--process-end,--code=code!r
    -H,--hide-args -S,--server= -t,--docroot= -s,--syntax-highlight -v,--version -w,--strip -z,--zend-extension=load!l --ini --rf= --rc= --re= --ri=`,
  posix: true,
  inert: "help version info modules ini rf rc re ri",
  more: php,
};

const LUA: Spec = { options: "-e,--code=code!r -l=load!l -i -v,--version -E -W -j=", posix: true, more: scriptOrInput };

// One with `-e code`, or a file.
function withCode(options: string): Spec {
  return { options: `--help --version ${options}`, posix: true, inert: "help version", more: scriptOrInput };
}

/** Interpreters of other languages. */
export const INTERPRETERS: Readonly<Record<string, Spec>> = {
  ...NODE,
  ...CODE_TOOLS,
  python: PYTHON_LIKE,
  pypy: PYTHON_LIKE,
  jython: PYTHON_LIKE,
  micropython: PYTHON_LIKE,
  pythonw: PYTHON_LIKE,
  ipython: withCode("-c,--code=code!r -m,--module=code!r --ext=load!l -i"),
  bpython: withCode("-c,--code=code!r -i"),
  perl: PERL,
  raku: withCode("-e,--code=code!r -n -p -I=load!l -M=load!l"),
  ruby: RUBY,
  jruby: RUBY,
  irb: withCode("-r=load!l -I=load!l"),
  php: PHP,
  lua: LUA,
  luajit: LUA,
  Rscript: withCode("-e,--code=code!r --default-packages= --verbose --vanilla --no-environ"),
  R: withCode("-e,--code=code!r -f,--file=load -q -s --vanilla --no-save --slave --quiet --no-restore --args"),
  julia: withCode(
    "-e,--eval,--code=code!r -E,--print,--code=code!r -L,--load=load!l -J,--sysimage=load!l -p= -t,--threads= --project? -i -q -O? -C=",
  ),
  groovy: withCode("-e,--code=code!r -cp,-classpath=load -l? -n -p -i?!w"),
  scala: withCode("-e,--code=code!r -cp,-classpath=load"),
  kotlin: withCode("-e,--code=code!r -cp,-classpath=load"),
  runghc: withCode("-e,--code=code!r -f="),
  ghci: withCode("-e,--code=code!r"),
  tclsh: withCode("-encoding= -c,--code=code!r"),
  wish: withCode("-c,--code=code!r"),
  expect: withCode("-c,--code=code!r -f,--file=load -b -d -D= -i -n -N -v"),
  osascript: withCode("-e,--code=code!r -l= -i -s="),
  guile: withCode("-c,--code=code!r -e= -l=load!l -L=load!l -s=exec -q"),
  racket: withCode("-e,--eval,--code=code!r -f,--file=load -l=load -t=load -r=load -p= -i -n"),
  sbcl: withCode(
    "--eval,--code=code!r --load=load!l --script=exec --core=load --noinform --non-interactive --disable-debugger --quit --no-userinit --no-sysinit",
  ),
  clisp: withCode("-x,--code=code!r -i=load!l"),
  clojure: withCode("-e,--eval,--code=code!r -M? -X? -A? -T? -i=load!l -m,--main=code!r -r"),
  clj: withCode("-e,--eval,--code=code!r -M? -X? -A? -T? -i=load!l -m,--main=code!r -r"),
  bb: withCode("-e,--eval,--code=code!r -f,--file=load -m,--main=code!r -x=code!r"),
  elixir: withCode("-e,--eval,--code=code!r --rpc-eval=code!r -r=load!l -S=exec -pr=load -pa=load -pz=load --no-halt"),
  iex: withCode("-e,--eval,--code=code!r -r=load!l -S=exec"),
  erl: withCode("-eval,--code=code!r -s=code -run=code -noshell -pa=load -boot=load -config=load"),
  qjs: withCode("-e,--eval,--code=code!r -I,--include=load!l -m -i"),
  gjs: withCode("-c,--command,--code=code!r -I,--include-path=load!l"),
  d8: withCode("-e,--code=code!r"),
  js: withCode("-e,--code=code!r -f,--file=load"),
  rhino: withCode("-e,--code=code!r -f=load"),
  hy: withCode("-c,--code=code!r -m,--module=code!r -i"),
  janet: withCode("-e,--code=code!r -E=code!r -l=load!l"),
  fennel: withCode("-e,--eval,--code=code!r -c,--compile=read"),
  scsh: withCode("-c,--code=code!r -s=exec -e= -l=load!l"),
  pike: withCode("-e,--code=code!r -x=code!r -M=load!l"),
  zx: withCode("-e,--eval,--code=code!r --prefix=code!r --shell=exec!r --install"),
  swift: withCode("-e,--code=code!r"),
  crystal: withCode("--eval"),
  ocaml: withCode("-e,--code=code!r -I=load -init=load"),
  octave: withCode("--eval,--code=code!r -p=load --path=load -q --silent --no-gui"),
  matlab: withCode("-r,--code=code!r -batch,--code=code!r -nodisplay -nosplash -nodesktop"),
  gnuplot: withCode("-e,--code=code!r -c= -p -persist -d"),
  jshell: withCode("--startup=load!l --execution= -R= -s -v"),
  dc: withCode("-e,--expression,--code=code!r -f,--file=load"),
};
