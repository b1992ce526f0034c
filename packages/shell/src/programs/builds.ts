import type { Word } from "../analysis.ts";
import { readOptions, runArgv } from "./apply-spec.ts";
import { file, hazard, inlineCode, isInput, mayRun, unknown, type Findings } from "./findings.ts";
import { argumentFiles, checkUnknownOptions } from "./checkers.ts";
import {
  isGradleTask,
  isMavenPhase,
  isOutward,
  noteLaterTasks,
  noteOutwardTargets,
} from "./later-tasks.ts";
import { GO_TOOLS } from "./go.ts";
import { RUST_TOOLS } from "./rust.ts";
import { OBJCOPY } from "./objcopy.ts";
import { recordArgumentsOfScript, runFile, runInput } from "./script-file.ts";
import { hasOption, optionsNamed, parseArgs, valueOf } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { after, known, prefix } from "./word-text.ts";
import { kind, many, options } from "./option-groups.ts";

// `NAME=value` overrides a makefile variable. Its value runs if a recipe uses it, and `SHELL` always runs.
function make(use: ParsedArgs, out: Findings): void {
  for (const { option, value } of use.options) {
    if (option.name !== "makefile" || value === undefined || !isInput(value)) continue;
    if (out.input.kind === "text") unknown(out, "inline_code", "a makefile on standard input");
    else unknown(out, "dynamic_script", "a makefile on standard input");
  }
  // The variables of the environment are printed too.
  if (hasOption(use, "print-data-base")) out.effects.push({ kind: "environment" });
  noteLaterTasks(
    use.operands.filter(({ word }) => !prefix(word).includes("=")),
    out,
  );
  for (const { at, word } of use.operands) {
    const start = prefix(word);
    const sign = start.indexOf("=");
    if (sign < 0) {
      if (word.text !== undefined && /[$`]/.test(word.text)) hazard(out, at, "run");
      continue;
    }
    if (/^(?:V|VERBOSE|DEBUG|CI)=[01]?$/.test(word.text ?? "")) continue;
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
  more: (use, out) => noteOutwardTargets(use.operands, out),
};

// Definitions that only choose how, or what, is built.
const PLAIN_CMAKE =
  /^(?:CMAKE_BUILD_TYPE|CMAKE_(?:C|CXX)_STANDARD|CMAKE_EXPORT_COMPILE_COMMANDS|CMAKE_VERBOSE_MAKEFILE|CMAKE_POSITION_INDEPENDENT_CODE|CMAKE_UNITY_BUILD|BUILD_TESTING|BUILD_SHARED_LIBS|(?:ENABLE|BUILD|WITH|USE)_(?:TESTS?|TESTING|EXAMPLES|DOCS|BENCHMARKS?|ASAN|UBSAN|COVERAGE))(?::\w+)?=[\w.+-]*$/;
const PLAIN_MAVEN =
  /^(?:(?:skipTests|skipITs|maven\.test\.skip|failIfNoTests|surefire\.failIfNoSpecifiedTests|checkstyle\.skip)(?:=(?:true|false))?|(?:test|it\.test|includes|excludes)=[\w.*#,+!-]+)$/;

function cmake(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  // Only the command of `-E` and what is built have no options of their own behind the first operand.
  const later =
    first === undefined || hasOption(use, "E build")
      ? undefined
      : parseArgs(use.spec, out.argv, first.at + 1, { posix: false });
  if (later !== undefined) readOptions(later, out);
  for (const one of later === undefined ? [use] : [use, later])
    for (const { at, value } of optionsNamed(one, "D"))
      if (!PLAIN_CMAKE.test(value?.text ?? "")) hazard(out, at, "configure");
  if (hasOption(use, "E") && first !== undefined) runArgv(out, first.at);
  if (!hasOption(use, "build")) {
    if (!hasOption(use, "E") && first !== undefined) file(out, "read", first.word);
    if (!hasOption(use, "E B find-package")) file(out, "write", known("."));
    return;
  }
  for (const { at, value } of optionsNamed(use, "target"))
    if (isOutward(value?.text ?? "install"))
      hazard(out, out.argv[at + 1] === value ? at + 1 : at, "unknown");
  // Further targets, and after `--` the arguments of the build tool.
  for (const { at, word } of use.operands)
    if (!/^(?:-[jk]?\d*|-[vns]|--(?:verbose|keep-going))$/.test(word.text ?? "?"))
      if (/^-|=/.test(prefix(word)) || isOutward(word.text ?? "install"))
        hazard(out, at, "unknown");
}

// `-Wl,…`, `-fplugin` and others pass text on, or name a file. `-g` and `-m` also begin other options of clang, which write.
const PLAIN_CC =
  /^(?!.*(?:plugin|use-ld|profile|dump|save|offload|file|include|cdb|dependency))[\w+-]*(?:=[\w,.+-]*)?$/;
// Options of `-f` whose value is not a file.
const VALUES_CC: ReadonlySet<string> = new Set(
  `abi-version align-functions align-jumps align-labels align-loops bracket-depth cf-protection constexpr-depth constexpr-loop-limit
  constexpr-ops-limit constexpr-steps diagnostics-color diagnostics-column-unit diagnostics-format diagnostics-path-format
  diagnostics-show-location diagnostics-urls error-limit excess-precision exec-charset fp-contract fp-exception-behavior fp-model
  gnuc-version inline-limit input-charset lto lto-compression-level lto-partition macro-backtrace-limit max-errors message-length
  ms-compatibility-version no-sanitize no-sanitize-recover no-sanitize-trap openmp pack-struct patchable-function-entry random-seed
  sanitize sanitize-coverage sanitize-recover sanitize-trap simd-cost-model spell-checking-limit stack-reuse strict-flex-arrays tabstop
  template-backtrace-limit template-depth tls-model track-macro-expansion tree-parallelize-loops trivial-auto-var-init veclib
  vect-cost-model visibility wide-exec-charset zero-call-used-regs`.split(/\s+/),
);

function isPlain(option: string, text: string): boolean {
  const sign = text.indexOf("=");
  return PLAIN_CC.test(text) && (option !== "f" || sign < 0 || VALUES_CC.has(text.slice(0, sign)));
}

function cc(use: ParsedArgs, out: Findings): void {
  argumentFiles(use, out);
  // An include in the code on standard input reads any file.
  for (const { word } of use.operands)
    if (isInput(word)) runInput(out);
    else file(out, "read", word);
  for (const { option, at, value = known("") } of use.options) {
    if (!/^[Wfgm]$/.test(option.name) || isPlain(option.name, value.text ?? "?")) continue;
    hazard(out, at, "load");
    const sign = prefix(value).indexOf("=");
    if (sign >= 0) file(out, "write", after(value, sign + 1));
  }
  for (const { at, word } of use.unknownOptions)
    if (/^-(wrapper|fplugin|specs|B|Wl,|Wp,|Wa,|Xlinker|load)/.test(prefix(word)))
      hazard(out, at, "load");
  checkUnknownOptions(use, out);
  writesBeside(use, out);
}

// Without `-o`, outputs are named after the sources. With `-MD`, lists of dependencies are too.
function writesBeside(use: ParsedArgs, out: Findings): void {
  if (!hasOption(use, "o E M MM fsyntax-only") || hasOption(use, "MD MMD"))
    file(out, "write", known("."));
}

function link(use: ParsedArgs, out: Findings): void {
  argumentFiles(use, out);
  writesBeside(use, out);
}

// A list of paths, separated by colons.
function readEach(list: Word, out: Findings): void {
  if (list.text === undefined) file(out, "read", list);
  else for (const text of list.text.split(":")) file(out, "read", known(text));
}

const CC: Spec = {
  options: options`-MD -MMD -MP -M -MM -c -S -E -v -s -w -static -shared -pthread -pipe --version --help -fsyntax-only ${kind.write} -o
    -MF -aux-info -dumpbase -dumpdir ${kind.script} -wrapper ${kind.load} -Xlinker -Xassembler -Xpreprocessor -Xclang -mllvm -fplugin -specs --specs -B -T -load ${kind.value} -x -I -L -D -U -l -isystem
    -iquote -idirafter -MT -MQ -std -march -mtune -arch -framework -target
    --target ${kind.read} --sysroot -isysroot -include -imacros ${kind.optional} -O -W -f -m -g -fdump`,
  inert: "version help",
  more: cc,
};

export const BUILDS: Readonly<Record<string, Spec>> = {
  make: MAKE,
  gmake: MAKE,
  remake: MAKE,
  bmake: MAKE,
  ninja: NINJA,
  samu: NINJA,
  cmake: {
    options: options`-E -L -N --trace --version --help --find-package ${kind.flagThat("write")} --install ${kind.flagThat("run")} --open ${kind.value} -D ${kind.load} -C -P --toolchain
      ${kind.read} -S --build ${kind.takes("write")} -B ${kind.value} -G -A -T -U --preset -t,--target --config
      ${kind.optional} -W --parallel -j ${kind.write} --graphviz --prefix --trace-redirect`,
    posix: true,
    inert: "version help",
    more: cmake,
  },
  ctest: {
    options: options`-V,--verbose -VV -N,--show-only --output-on-failure --rerun-failed --stop-on-failure --no-tests=error ${kind.load} -S
      ${kind.valueThat("send")} -D ${kind.value} -R,--tests-regex -E,--exclude-regex -L -LE -j,--parallel -C,--build-config --timeout --repeat --schedule-random ${kind.read} --test-dir ${kind.write} -O ${kind.flagThat("run")}
      --build-and-test --test-command ${kind.script} --build-makeprogram`,
  },
  meson: {
    options: options`${kind.takes("dir", "load")} -C`,
    operands: [many("data")],
    more: (use, out) => noteOutwardTargets(use.operands.slice(1), out),
  },
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
    more: link,
  },
  as: { options: options`${kind.takes("write")} -o`, operands: [many("read")], more: link },
  strip: { options: options`${kind.write} -o`, operands: [many("write")], more: argumentFiles },
  objcopy: OBJCOPY,
  objdump: {
    options: options`-d -D -t -T -x -h -s -S -r ${kind.value} -j -m -M`,
    operands: [many("read")],
    more: argumentFiles,
  },
  esbuild: {
    options: options`--bundle --minify --minify-whitespace --minify-identifiers --minify-syntax --splitting --watch --keep-names --version --help
      ${kind.optional} --sourcemap --format --platform --target --tree-shaking --log-level --charset --jsx --legal-comments --global-name
      --packages --analyze --color ${kind.write} --outfile --outdir ${kind.read} --tsconfig`,
    exact: true,
    operands: [many("read")],
    inert: "version help",
  },
  nm: {
    options: options`-C -g -u -n -S -D -A -r --defined-only ${kind.load} --plugin`,
    operands: [many("read")],
    more: argumentFiles,
  },
  readelf: { operands: [many("read")], more: argumentFiles },
  ldd: { operands: [many("exec")] },
  ...GO_TOOLS,
  ...RUST_TOOLS,
  javac: {
    options: options`${kind.write} -d ${kind.value} -cp,-classpath,--class-path -sourcepath,--source-path ${kind.load} -processor -processorpath -Xplugin
      ${kind.of("glued", { does: "run" })} -J`,
    operands: [many("read")],
    more: (use, out) => {
      argumentFiles(use, out);
      for (const name of ["class-path", "source-path"])
        for (const used of optionsNamed(use, name)) readEach(valueOf(used), out);
    },
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
      ${kind.optional} -D,--define ${kind.value} -P -pl,--projects -T ${kind.write} -l`,
    more: (use, out) => {
      // A goal with coordinates may belong to any plugin, and `exec` runs what the project names.
      for (const { at, value } of optionsNamed(use, "define"))
        if (!PLAIN_MAVEN.test(value?.text ?? "")) hazard(out, at, "configure");
      for (const { at, word } of use.operands)
        if (/^exec:|:.*:/.test(word.text ?? "exec:")) hazard(out, at, "run");
      noteLaterTasks(use.operands, out, isMavenPhase);
    },
  },
  gradle: {
    options: options`-q -i,--info -s,--stacktrace -m,--dry-run --daemon --no-daemon --version --offline --parallel --continue
      --rerun-tasks --build-cache --no-build-cache ${kind.load} -b,--build-file -c,--settings-file -I,--init-script
      -g,--gradle-user-home ${kind.takes("dir", "load")} -p,--project-dir ${kind.of("glued", { does: "configure" })} -P -D ${kind.value}
      -x,--exclude-task --tests --console --warning-mode --max-workers`,
    more: (use, out) => noteLaterTasks(use.operands, out, isGradleTask),
  },
};
