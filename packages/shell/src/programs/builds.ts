import { GOFMT, goFmt } from "./in-place.ts";
import { runArgv } from "./apply.ts";
import { file, hazard, inlineCode, isInput, mayRun, unknown, type Out } from "./out.ts";
import { strangers } from "./checkers.ts";
import { OBJCOPY } from "./objcopy.ts";
import { carryFrom, runFile } from "./script-file.ts";
import type { Spec } from "./spec.ts";
import { usedOf, uses, type Use } from "./use.ts";
import { after, known, prefix } from "./words.ts";

// `NAME=value` replaces a variable of the makefile; its value runs where a recipe uses it, and `SHELL` always.
function make(use: Use, out: Out): void {
  for (const { option, value } of use.options) {
    if (option.name !== "makefile" || value === undefined || !isInput(value)) continue;
    if (out.input.kind === "text") unknown(out, "inline_code", "makefile in the input of `make`");
    else unknown(out, "dynamic_script", "makefile in the input of `make`");
  }
  for (const { at, word } of use.operands) {
    const start = prefix(word);
    const sign = start.indexOf("=");
    if (sign < 0) {
      if (word.text !== undefined && /[$`]/.test(word.text)) hazard(out, at, "run");
      continue;
    }
    const name = start.slice(0, sign).replace(/[:?+!]+$/, "");
    hazard(out, at, "configure");
    if (/^(SHELL|\.SHELLFLAGS|MAKE|MAKEFLAGS|MAKEFILES|GNUMAKEFLAGS)$/.test(name)) {
      hazard(out, at, "run");
      file(out, "execute", after(word, sign + 1));
    }
    // The value of a variable runs where a recipe uses it, and a list of flags looks like nothing that runs.
    const value = after(word, sign + 1);
    if (/^\s*[^-\s]\S*\s+\S/.test(prefix(value))) mayRun(out, at, value);
    // make expands functions in the value: `$(shell …)`.
    if (/\$[({](shell|eval|call|file|guile|load)/.test(word.text ?? "") || (start[sign - 1] === "!" && sign > 0)) {
      inlineCode(out, at, "variable of `make` that runs programs");
    }
  }
}

const MAKE: Spec = {
  options: `-b -m -B,--always-make -C,--directory=dir!l -d --debug? -E,--eval=code!r -e,--environment-overrides -f,--file,--makefile=load!l -h,--help -i,--ignore-errors -I,--include-dir=load!l -j,--jobs?
    -k,--keep-going -l,--load-average,--max-load? -L,--check-symlink-times -n,--just-print,--dry-run,--recon -o,--old-file,--assume-old= -O,--output-sync? -p,--print-data-base -q,--question -r,--no-builtin-rules
    -R,--no-builtin-variables --shuffle? -s,--silent,--quiet --no-silent -S,--no-keep-going,--stop -t,--touch --trace -v,--version -w,--print-directory --no-print-directory -W,--what-if,--new-file,--assume-new=
    --warn-undefined-variables --jobserver-auth= --jobserver-style=`,
  inert: "version help",
  more: make,
};

const NINJA: Spec = { options: "-C=dir!l -f=load!l -j= -k= -l= -n -v -d= -t= -w= --quiet --version" };

function cmake(use: Use, out: Out): void {
  const [first] = use.operands;
  if (uses(use, "E") && first !== undefined) runArgv(out, first.at);
}

function cc(use: Use, out: Out): void {
  for (const { at, word } of use.operands) {
    const start = prefix(word);
    if (start.startsWith("@")) {
      hazard(out, at, "load");
      file(out, "read", after(word, 1));
    } else file(out, "read", word);
  }
  for (const { at, word } of use.strange)
    if (/^-(wrapper|fplugin|specs|B|Wl,|Wp,|Wa,|Xlinker|load)/.test(prefix(word))) hazard(out, at, "load");
  strangers(use, out);
  if (!uses(use, "o E M MM S fsyntax-only")) file(out, "write", known("."));
}

const CC: Spec = {
  options: `-o=write!w -wrapper=prog!r -fplugin=load!l -specs=load!l --specs=load!l -B=load!l -x= -I= -L= -D= -U= -l= -include=read -imacros=read -isystem= -iquote= -idirafter= -MF=write!w -MT= -MQ= -MD -MMD -MP -M -MM
    -std= -march= -mtune= -O? -W? -f? -m? -g? -c -S -E -v -s -w -static -shared -pthread -pipe -Xlinker= -Xassembler= -Xpreprocessor= -Xclang= -T=load!l -dumpbase= -dumpdir= -aux-info=write!w -arch= -framework= -target= --target=
    --sysroot= -isysroot= --version --help -load=load!l -fdump? -fsyntax-only`,
  inert: "version help",
  more: cc,
};

const GO =
  "-C=dir!l -o=write!w -exec=prog!r -toolexec=prog!r -modfile=load!l -overlay=load!l -mod= -tags= -ldags= -ldflags= -gcflags= -asmflags= -gccgoflags= -p= -race -v -x -n -a -work -trimpath -cover -coverprofile=write!w -cpuprofile=write!w -memprofile=write!w -blockprofile=write!w -mutexprofile=write!w -trace=write!w -outputdir=write!w -run= -bench= -count= -timeout= -parallel= -cpu= -short -json -vet= -vettool=prog!r -pkgdir=write!w -buildmode= -buildvcs= -compiler= -pgo= -skip= -fuzz= -fuzztime= -f= -m -u -t -d -e -deps -test -find -i -r -c";

const GO_SPEC: Spec = {
  options: "-C=dir!l",
  subs: {
    run: { options: GO, posix: true, operands: "exec data*" },
    test: { options: `${GO} -args`, more: (use, out) => usedOf(use, "args").forEach(({ at }) => carryFrom(out, at + 1)) },
    ...Object.fromEntries(
      "build vet list doc fix clean version mod work help tool bug telemetry".split(" ").map((name) => [name, { options: GO }]),
    ),
    ...Object.fromEntries("get install".split(" ").map((name) => [name, { options: GO, network: true }])),
    fmt: { options: GO, more: goFmt },
    generate: { options: GO, does: "run" },
    env: { options: "-w!c -u!c -json -changed" },
  },
};

const CARGO_OPTIONS = `--config=load!c --manifest-path=load!l --target-dir=write!w -C=dir!l -Z= -p,--package= --exclude= -j,--jobs= --profile= -F,--features= --all-features --no-default-features --target= --message-format=
  --bin= --example= --test= --bench= --bins --examples --tests --benches --lib --doc --all-targets --workspace --all -r,--release -q -v --frozen --locked --offline --color= --no-run --no-fail-fast --fix!w
  --allow-dirty --check --root=write!w --path=read --git=url --branch= --rev= --tag= --index=url!c --registry= --force -f --lockfile-path=read --out-dir=write!w --artifact-dir=write!w --open -h,--help -V,--version --list`;
const CARGO_SUB: Spec = { options: CARGO_OPTIONS };
// What follows `--` is for the program.
const CARGO_RUN: Spec = {
  options: CARGO_OPTIONS,
  more: (_, out) => {
    const end = out.argv.findIndex(({ text }) => text === "--");
    if (end > 0) carryFrom(out, end + 1);
  },
};
const CARGO_SPEC: Spec = {
  options: CARGO_OPTIONS,
  inert: "version help list",
  extensible: true,
  subs: {
    ...Object.fromEntries(
      "build b check c test t bench run r clippy fmt clean doc d metadata tree pkgid verify-project locate-project new init version help fix rustc rustdoc remove rm report nextest"
        .split(" ")
        .map((name) => [name, CARGO_SUB]),
    ),
    ...Object.fromEntries("run r test t bench nextest".split(" ").map((name) => [name, CARGO_RUN])),
    ...Object.fromEntries(
      "install add update fetch publish search login logout owner yank vendor package generate-lockfile info outdated audit"
        .split(" ")
        .map((name) => [name, { options: CARGO_OPTIONS, network: true }]),
    ),
    uninstall: CARGO_SUB,
  },
};

/** Programs that build. */
export const BUILDS: Readonly<Record<string, Spec>> = {
  make: MAKE,
  gmake: MAKE,
  remake: MAKE,
  bmake: MAKE,
  ninja: NINJA,
  samu: NINJA,
  cmake: {
    options:
      "-D=!c -C=load!l -P=load!l -E -S=read -B=write -G= -A= -T= -U= -L -N -W? --build=read --install=read --open=read --preset= --target= -t= --config= --parallel? -j? --toolchain=load!l --graphviz=write!w --trace --version --help --prefix=write!w --trace-redirect=write!w --find-package",
    posix: true,
    inert: "version help",
    more: cmake,
  },
  ctest: {
    options: "-S=load!l -D= -R= -E= -j= -V -C= --test-dir=read -O=write!w --build-and-test!r --build-makeprogram=prog!r --test-command!r",
  },
  meson: { operands: "data*" },
  gcc: CC,
  "g++": CC,
  cc: CC,
  "c++": CC,
  clang: CC,
  "clang++": CC,
  tcc: { ...CC, options: `${CC.options ?? ""} -run=exec!r` },
  ld: { options: "-o=write -T=load!l -plugin=load!l -dynamic-linker= -L= -l= -e= -rpath= -soname=", operands: "read*" },
  as: { options: "-o=write", operands: "read*" },
  strip: { options: "-o=write!w", operands: "write*" },
  objcopy: OBJCOPY,
  objdump: { options: "-d -D -t -T -x -h -s -S -r -j= -m= -M=", operands: "read*" },
  nm: { options: "--plugin=load!l", operands: "read*" },
  readelf: { operands: "read*" },
  ldd: { operands: "exec*" },
  rustc: {
    options:
      "-o=write!w --out-dir=write!w -C=!c --codegen=!c -Z=!c --emit= --crate-type= --crate-name= --edition= -L= -l= --extern= --cfg= --target= --sysroot=load!l -O -g --test --version -V --print= --explain=",
    operands: "read*",
  },
  cargo: CARGO_SPEC,
  rustup: {
    subs: {
      run: { wrap: 1 },
      ...Object.fromEntries("update install toolchain target component self".split(" ").map((name) => [name, { network: true }])),
      show: {},
      default: { does: "configure" },
      override: { does: "configure" },
      which: {},
      doc: {},
    },
  },
  go: GO_SPEC,
  gofmt: GOFMT,
  javac: {
    options: "-d=write!w -cp,-classpath= -processor=load!l -processorpath=load!l -J?!r -Xplugin=load!l -sourcepath=",
    operands: "read*",
  },
  java: {
    options:
      "-cp,-classpath,--class-path=load -jar=exec -D? -X? -agentlib=load!l -agentpath=load!l -javaagent=load!l --add-modules= --add-opens= --module-path=load -p=load -m= -version --version -ea -esa -server -client",
    posix: true,
    inert: "version",
    more: (use, out) => {
      const [jar] = usedOf(use, "jar");
      const [first] = use.operands;
      // A class, or a source file.
      if (jar !== undefined) carryFrom(out, jar.at + 2);
      else if (first !== undefined && /[/:-]|\.java$/.test(prefix(first.word) || "/")) runFile(out, first.at, first.word);
      else if (first !== undefined) carryFrom(out, first.at + 1);
    },
  },
  mvn: {
    options: "-f,--file=load!l -s,--settings=load!l -gs=load!l -D?!c -P= -pl= -am -q -o -U -T= -B -e -X -l=write!w -v,--version -h,--help",
  },
  gradle: {
    options:
      "-b,--build-file=load!l -c,--settings-file=load!l -I,--init-script=load!l -p,--project-dir=dir!l -P?!c -D?!c -g,--gradle-user-home=load!l -x= -q -i -s -m --daemon --no-daemon --version",
  },
  tsc: {
    options:
      "-p,--project=load -b,--build -w,--watch -o=write!w --outFile=write!w --outDir=write!w --outdir=write!w --noEmit --declarationDir=write!w --tsBuildInfoFile=write!w --generateTrace=write!w --generateCpuProfile=write!w --init!w -v --version --locale= --lib= -t,--target= -m,--module= --moduleResolution= --jsx= --types= --rootDir= --baseUrl= --importHelpers --plugins=!l",
    operands: "read*",
    more: strangers,
  },
};
