import { GOFMT, goFmt } from "./in-place.ts";
import { runArgv } from "./apply-spec.ts";
import {
  file,
  hazard,
  inlineCode,
  isInput,
  mayRun,
  network,
  unknown,
  type Findings,
} from "./findings.ts";
import { argumentFiles, checkUnknownOptions } from "./checkers.ts";
import { OBJCOPY } from "./objcopy.ts";
import { recordArgumentsOfScript, runFile } from "./script-file.ts";
import { optionsNamed, hasOption } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { after, known, prefix } from "./word-text.ts";
import { kind, many, options } from "./option-groups.ts";

// Flags for a linker or compiler can name programs. These only strip symbols, set a text or choose what is printed.
const PLAIN_FLAGS = /^(?:(?:all=)?(?:-[swNlmSv]|-X[ =][\w./-]+=[\w./:@+-]*|-race|-msan)(?: +|$))*$/;

function goFlags(use: ParsedArgs, out: Findings): void {
  for (const name of ["ldflags", "gcflags", "asmflags", "gccgoflags"])
    for (const { at, value } of optionsNamed(use, name))
      if (!PLAIN_FLAGS.test(value?.text ?? "-")) hazard(out, at, "run");
}

// `go run module@version` downloads code and runs it.
function goRun(use: ParsedArgs, out: Findings): void {
  goFlags(use, out);
  const [first] = use.operands;
  if (first === undefined || !prefix(first.word).includes("@")) return;
  hazard(out, first.at, "load");
  network(out, undefined);
}

// `NAME=value` overrides a makefile variable. Its value runs if a recipe uses it, and `SHELL` always runs.
function make(use: ParsedArgs, out: Findings): void {
  for (const { option, value } of use.options) {
    if (option.name !== "makefile" || value === undefined || !isInput(value)) continue;
    if (out.input.kind === "text") unknown(out, "inline_code", "a makefile on standard input");
    else unknown(out, "dynamic_script", "a makefile on standard input");
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
    // The value runs if a recipe uses it, unless it is a list of flags.
    const value = after(word, sign + 1);
    if (/^\s*[^-\s]\S*\s+\S/.test(prefix(value))) mayRun(out, at, value);
    // make expands functions such as `$(shell …)` in the value.
    if (
      /\$[({](shell|eval|call|file|guile|load)/.test(word.text ?? "") ||
      (start[sign - 1] === "!" && sign > 0)
    ) {
      inlineCode(out, at, "a `make` variable that runs programs");
    }
  }
}

const MAKE: Spec = {
  options: options`-b -m -B,--always-make -d -e,--environment-overrides -h,--help -i,--ignore-errors -k,--keep-going
    -L,--check-symlink-times -p,--print-data-base -q,--question -r,--no-builtin-rules -R,--no-builtin-variables --no-silent -t,--touch
    --trace -v,--version -w,--print-directory --no-print-directory ${kind.takes("dir", "load")} -C,--directory ${kind.optional} --debug
    -j,--jobs -l,--load-average,--max-load --shuffle ${kind.code} -E,--eval ${kind.load} -f,--file,--makefile -I,--include-dir
    ${kind.flag} -n,--just-print,--dry-run,--recon -s,--silent,--quiet -S,--no-keep-going,--stop ${kind.value} -o,--old-file,--assume-old
    -W,--what-if,--new-file,--assume-new --jobserver-auth --jobserver-style ${kind.optional} -O,--output-sync ${kind.flag}
    --warn-undefined-variables`,
  inert: "version help",
  more: make,
};

const NINJA: Spec = {
  options: options`-n -v --quiet --version ${kind.takes("dir", "load")} -C ${kind.load} -f ${kind.value} -j -k -l -d -t -w`,
};

function cmake(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  if (hasOption(use, "E") && first !== undefined) runArgv(out, first.at);
}

// `-Wl,…` and `-fplugin=…` pass text on, or name a file.
const PLAIN_CC =
  /^(?!.*(?:plugin|use-ld|profile|dump|save|offload|file|include))[\w+-]*(?:=[\w-]*)?$/;

function cc(use: ParsedArgs, out: Findings): void {
  for (const { at, word } of use.operands) {
    const start = prefix(word);
    if (start.startsWith("@")) {
      hazard(out, at, "load");
      file(out, "read", after(word, 1));
    } else file(out, "read", word);
  }
  for (const { option, at, value } of use.options)
    if (/^[Wf]$/.test(option.name) && !PLAIN_CC.test(value?.text ?? "")) hazard(out, at, "load");
  for (const { at, word } of use.unknownOptions)
    if (/^-(wrapper|fplugin|specs|B|Wl,|Wp,|Wa,|Xlinker|load)/.test(prefix(word)))
      hazard(out, at, "load");
  checkUnknownOptions(use, out);
  if (!hasOption(use, "o E M MM S fsyntax-only")) file(out, "write", known("."));
}

const CC: Spec = {
  options: options`-MD -MMD -MP -M -MM -c -S -E -v -s -w -static -shared -pthread -pipe --version --help -fsyntax-only ${kind.write} -o
    -MF -aux-info ${kind.script} -wrapper ${kind.load} -Xlinker -Xassembler -Xpreprocessor -Xclang -fplugin -specs --specs -B -T -load ${kind.value} -x -I -L -D -U -l -isystem
    -iquote -idirafter -MT -MQ -std -march -mtune -dumpbase -dumpdir -arch -framework -target
    --target --sysroot -isysroot ${kind.read} -include -imacros ${kind.optional} -O -W -f -m -g -fdump`,
  inert: "version help",
  more: cc,
};

const GO = options`-race -v -x -n -a -work -trimpath -cover -short -json -m -u -t -d -e -deps -test -find -i -r -c
  ${kind.takes("dir", "load")} -C ${kind.write} -o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir
  -pkgdir ${kind.of("required", { role: "data" })} -ldflags -gcflags -asmflags -gccgoflags ${kind.script} -exec -toolexec -vettool ${kind.load} -modfile -overlay ${kind.value} -mod -tags -p -run -bench -count -timeout -parallel -cpu -vet -buildmode -buildvcs -compiler -pgo -skip -fuzz -fuzztime -f`;

const GO_SPEC: Spec = {
  options: options`${kind.takes("dir", "load")} -C`,
  subs: {
    run: { options: GO, posix: true, operands: ["exec", many("data")], more: goRun },
    test: {
      options: options`${GO} -args`,
      more: (use, out) => {
        goFlags(use, out);
        optionsNamed(use, "args").forEach(({ at }) => recordArgumentsOfScript(out, at + 1));
      },
    },
    ...Object.fromEntries(
      "build vet list doc fix clean version mod work help tool bug telemetry"
        .split(" ")
        .map((name) => [name, { options: GO, more: goFlags }]),
    ),
    ...Object.fromEntries(
      "get install".split(" ").map((name) => [name, { options: GO, network: true, more: goFlags }]),
    ),
    fmt: { options: GO, more: goFmt },
    generate: { options: GO, does: "run" },
    env: { options: options`-json -changed ${kind.flagThat("configure")} -w -u` },
  },
};

const CARGO_OPTIONS = options`--all-features --no-default-features --lib --doc --all-targets --workspace --all -r,--release -q -v --locked
  --offline --no-run --no-fail-fast --allow-dirty --check --force -f --open -h,--help -V,--version --list
  ${kind.takes("load", "configure")} --config ${kind.load} --manifest-path ${kind.write} --target-dir --root --out-dir --artifact-dir
  ${kind.takes("dir", "load")} -C ${kind.value} -Z -p,--package --exclude -j,--jobs --profile -F,--features --target --message-format
  --bin --example --test --bench --depth --edges -e --invert --format --color --branch --rev --tag --registry ${kind.flag} --bins --examples --tests --benches --frozen --no-deps --document-private-items --keep-going --all --ignore-rust-version
  ${kind.flagThat("write")} --fix ${kind.write} --lockfile-path ${kind.read} --path ${kind.takes("url")} --git ${kind.takes("url", "configure")} --index`;
// Words after `--` belong to the program, the compiler or the linter.
const CARGO_RUN: Spec = {
  options: CARGO_OPTIONS,
  more: (_, out) => {
    const end = out.argv.findIndex(({ text }) => text === "--");
    if (end > 0) recordArgumentsOfScript(out, end + 1);
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
        .map((name) => [name, CARGO_RUN]),
    ),
    ...Object.fromEntries(
      "install add update fetch publish search login logout owner yank vendor package generate-lockfile info outdated audit"
        .split(" ")
        .map((name) => [name, { options: CARGO_OPTIONS, network: true }]),
    ),
    uninstall: CARGO_RUN,
  },
};

export const BUILDS: Readonly<Record<string, Spec>> = {
  make: MAKE,
  gmake: MAKE,
  remake: MAKE,
  bmake: MAKE,
  ninja: NINJA,
  samu: NINJA,
  cmake: {
    options: options`-E -L -N --trace --version --help --find-package ${kind.flagThat("write")} --install ${kind.flagThat("run")} --open ${kind.valueThat("configure")} -D ${kind.load} -C -P --toolchain
      ${kind.read} -S --build ${kind.takes("write")} -B ${kind.value} -G -A -T -U --preset --target -t --config
      ${kind.optional} -W --parallel -j ${kind.write} --graphviz --prefix --trace-redirect`,
    posix: true,
    inert: "version help",
    more: cmake,
  },
  ctest: {
    options: options`-V,--verbose -VV -N,--show-only --output-on-failure --rerun-failed --stop-on-failure --no-tests=error ${kind.load} -S
      ${kind.value} -D -R,--tests-regex -E,--exclude-regex -L -LE -j,--parallel -C,--build-config --timeout --repeat --schedule-random ${kind.read} --test-dir ${kind.write} -O ${kind.flagThat("run")}
      --build-and-test --test-command ${kind.script} --build-makeprogram`,
  },
  meson: { operands: [many("data")] },
  gcc: CC,
  "g++": CC,
  cc: CC,
  "c++": CC,
  clang: CC,
  "clang++": CC,
  tcc: { ...CC, options: options`${CC.options ?? []} ${kind.takes("exec", "run")} -run` },
  ld: {
    options: options`${kind.takes("write")} -o ${kind.load} -T -plugin ${kind.value} -dynamic-linker -L -l -e -rpath -soname`,
    operands: [many("read")],
    more: argumentFiles,
  },
  as: {
    options: options`${kind.takes("write")} -o`,
    operands: [many("read")],
    more: argumentFiles,
  },
  strip: { options: options`${kind.write} -o`, operands: [many("write")], more: argumentFiles },
  objcopy: OBJCOPY,
  objdump: {
    options: options`-d -D -t -T -x -h -s -S -r ${kind.value} -j -m -M`,
    operands: [many("read")],
  },
  nm: { options: options`${kind.load} --plugin`, operands: [many("read")] },
  readelf: { operands: [many("read")] },
  ldd: { operands: [many("exec")] },
  rustc: {
    options: options`-O -g --version -V ${kind.write} -o --out-dir ${kind.valueThat("configure")} -C --codegen -Z ${kind.value} --emit
      --crate-type --crate-name --edition -L -l --extern --cfg --target --print --explain ${kind.load} --sysroot ${kind.flag} --test`,
    operands: [many("read")],
    more: argumentFiles,
  },
  cargo: CARGO_SPEC,
  rustup: {
    subs: {
      run: { wrap: 1 },
      ...Object.fromEntries(
        "update install toolchain target component self"
          .split(" ")
          .map((name) => [name, { network: true }]),
      ),
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
    options: options`${kind.write} -d ${kind.value} -cp,-classpath -sourcepath ${kind.load} -processor -processorpath -Xplugin
      ${kind.of("glued", { does: "run" })} -J`,
    operands: [many("read")],
    more: argumentFiles,
  },
  java: {
    options: options`-version --version -ea -esa -server -client ${kind.takes("load")} -cp,-classpath,--class-path --module-path -p
      ${kind.takes("exec")} -jar ${kind.of("glued", { does: "configure" })} -D -X ${kind.load} -agentlib -agentpath -javaagent ${kind.value} --add-modules
      --add-opens -m`,
    posix: true,
    inert: "version",
    more: (use, out) => {
      argumentFiles(use, out);
      const [jar] = optionsNamed(use, "jar");
      const [first] = use.operands;
      // A class, or a source file.
      if (jar !== undefined) recordArgumentsOfScript(out, jar.at + 2);
      else if (first !== undefined && /[/:-]|\.java$/.test(prefix(first.word) || "/"))
        runFile(out, first.at, first.word);
      else if (first !== undefined) recordArgumentsOfScript(out, first.at + 1);
    },
  },
  mvn: {
    options: options`-am -q -o -U,--update-snapshots -B,--batch-mode -e -X -fae -ff -fn -ntp --no-transfer-progress -N -v,--version -h,--help ${kind.load} -f,--file -s,--settings -gs
      ${kind.of("glued", { does: "configure" })} -D,--define ${kind.value} -P -pl,--projects -T ${kind.write} -l`,
    more: (use, out) => {
      // A goal with coordinates may belong to any plugin, and `exec` runs what the project names.
      for (const { at, word } of use.operands)
        if (/^exec:|:.*:/.test(word.text ?? "exec:")) hazard(out, at, "run");
    },
  },
  gradle: {
    options: options`-q -i,--info -s,--stacktrace -m,--dry-run --daemon --no-daemon --version --offline --parallel --continue
      --rerun-tasks --build-cache --no-build-cache ${kind.load} -b,--build-file -c,--settings-file -I,--init-script
      -g,--gradle-user-home ${kind.takes("dir", "load")} -p,--project-dir ${kind.of("glued", { does: "configure" })} -P -D ${kind.value}
      -x,--exclude-task --tests --console --warning-mode --max-workers`,
  },
};
