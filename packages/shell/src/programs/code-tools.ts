import { file, inlineCode, unknown, type Findings } from "./findings.ts";
import { DATABASES } from "./databases.ts";
import { optionsNamed, hasOption } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { runArgv } from "./apply-spec.ts";
import { prefix } from "./word-text.ts";
import { kind, many, options, reads } from "./option-groups.ts";

function gdb(use: ParsedArgs, out: Findings): void {
  const [args] = optionsNamed(use, "args");
  if (args !== undefined && args.at + 1 < out.argv.length) runArgv(out, args.at + 1);
  else for (const { word } of use.operands.slice(0, 1)) file(out, "execute", word);
  if (out.input.kind !== "inherited")
    unknown(out, "inline_code", "commands in the input of a debugger");
}

// `+cmd` runs; `+`, `+12` and `+/text` only move.
function editor(use: ParsedArgs, out: Findings): void {
  // As `ex`, `-s` takes no script.
  const [silent] = optionsNamed(use, "s");
  if (silent?.value !== undefined && hasOption(use, "e E"))
    inlineCode(out, silent.at, "commands in the arguments of an editor");
  for (const { at, word } of use.operands) {
    const start = prefix(word);
    if (!start.startsWith("+")) {
      file(out, "read", word);
      file(out, "write", word);
    } else if (!/^\+(\d*|[/?].*)$/s.test(word.text ?? "+x"))
      inlineCode(out, at, "commands in the arguments of an editor");
  }
  if (out.input.kind !== "inherited")
    unknown(out, "inline_code", "commands in the input of an editor");
}

function input(use: ParsedArgs, out: Findings): void {
  for (const { word } of use.operands) {
    file(out, "read", word);
    file(out, "execute", word);
  }
  if (use.operands.length === 0 && !hasOption(use, "help version")) {
    unknown(out, "inline_code", `input of \`${out.argv[0]?.text ?? "?"}\`, which runs as code`);
  }
}

function ed(use: ParsedArgs, out: Findings): void {
  for (const { at, word } of use.operands) {
    if (prefix(word).startsWith("!")) inlineCode(out, at, "command in the arguments of `ed`");
    else {
      file(out, "read", word);
      file(out, "write", word);
    }
  }
  if (out.input.kind !== "inherited")
    unknown(out, "inline_code", "commands in the input of an editor");
}

const VIM_OPTIONS = options`-x -X -e -E -es -Es -v -y -d -R -Z -m -M -b -l -C -N -n -D -A -H -F -f -g --noplugin --remote-silent
  --remote-wait --headless --embed --api-info --clean -h,--help --version ${kind.code} -c --cmd --remote-send --remote-expr ${kind.load}
  -S -s -u -U ${kind.write} -i -w -W --startuptime ${kind.value} -T -t --servername --listen ${kind.optional} -q -p -o -O -r -L -V -nb
  --remote ${kind.takes("load")} -ll`;

const VIM: Spec = { options: VIM_OPTIONS, inert: "help version", more: editor };

const EX: Spec = { ...VIM, options: options`${VIM_OPTIONS} -s` };

const EMACS: Spec = {
  options: options`-Q,--quick -q,--no-init-file -batch,--batch -nw,--no-window-system -c -n --version --help ${kind.code}
    -eval,--eval,--execute --execute -f,-funcall,--funcall ${kind.load} -l,-load,--load -script,--script -x --init-directory
    -L,--directory ${kind.value} -u,--user -d,--display -t,--terminal -s,--socket-name ${kind.read} --insert -i ${kind.takes("dir")}
    --chdir ${kind.takes("script")} -a,--alternate-editor`,
  inert: "help version",
  more: editor,
};

const GDB: Spec = {
  options: options`-batch,--batch --batch-silent -nx,--nx -nh -n -q,-quiet,--quiet -args,--args -tui,--tui -silent --return-child-result
    --version --help ${kind.code} -ex,-eval-command,--ex,--eval-command --ex -iex,-init-eval-command,--iex --init-eval-command
    ${kind.load} -x,-command,--command -ix,--init-command ${kind.value} -p,-pid,--pid -d,-directory,--directory ${kind.read}
    -c,-core,--core -s,-symbols,--symbols ${kind.takes("dir")} -cd,--cd ${kind.takes("exec", "run")} -e,-exec,--exec -se,--se`,
  inert: "help version",
  more: gdb,
};

/** Editors and debuggers that run commands from their arguments or standard input. */
export const CODE_TOOLS: Readonly<Record<string, Spec>> = {
  ...DATABASES,
  vim: VIM,
  vi: VIM,
  "vim.basic": VIM,
  "vim.tiny": VIM,
  "vim.nox": VIM,
  nvim: VIM,
  view: VIM,
  gvim: VIM,
  vimdiff: VIM,
  rvim: VIM,
  ex: EX,
  emacs: EMACS,
  emacsclient: EMACS,
  ed: { options: options`-s -v -r -E -G -l ${kind.value} -p`, more: ed },
  red: { options: options`-s ${kind.value} -p`, operands: [many("rw")] },
  nano: {
    options: options`${kind.script} -s,--speller ${kind.write} -C,--backupdir ${kind.load} -f,--rcfile ${kind.value} -o,--operatingdir
      -Y,--syntax -T,--tabsize -r,--fill`,
    operands: [many("rw")],
  },
  pico: { options: options`${kind.script} -s,--speller`, operands: [many("rw")] },
  gdb: GDB,
  lldb: {
    options: options`-b,--batch -Q -x -X -v,--version -h,--help ${kind.code} -o,--one-line -O,--one-line-before-file
      -k,--one-line-on-crash ${kind.load} -K -s,--source -S,--source-before-file ${kind.value} -p,--attach-pid -n ${kind.read} -c,--core
      ${kind.takes("exec", "run")} -f,--file`,

    inert: "help version",
    more: gdb,
  },
  m4: {
    options: options`-P,--prefix-builtins -E -Q -s -e -i -g --help --version ${kind.value} -D,--define -U,--undefine -l -L -t ${kind.load}
      -I,--include -R,--reload-state ${kind.write} -F,--freeze-state -o,--debugfile,--error-output ${kind.optional} -d`,
    inert: "help version",
    more: input,
  },
  bc: reads`-l,--mathlib -q,--quiet -s -w -i`,
};
