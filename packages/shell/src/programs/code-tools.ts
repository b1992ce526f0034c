import { file, inlineCode, unknown, type Out } from "./out.ts";
import { DATABASES } from "./databases.ts";
import type { Spec } from "./spec.ts";
import { uses, usedOf, type Use } from "./use.ts";
import { runArgv } from "./apply.ts";
import { prefix } from "./words.ts";

function gdb(use: Use, out: Out): void {
  const [args] = usedOf(use, "args");
  if (args !== undefined && args.at + 1 < out.argv.length) runArgv(out, args.at + 1);
  else for (const { word } of use.operands.slice(0, 1)) file(out, "execute", word);
  if (out.input.kind !== "inherited") unknown(out, "inline_code", "commands in the input of a debugger");
}

// `+cmd` runs; `+`, `+12` and `+/text` only move.
function editor(use: Use, out: Out): void {
  // As ex it takes no script behind `-s`, so what seems to be one is something else.
  const [silent] = usedOf(use, "s");
  if (silent?.value !== undefined && uses(use, "e E")) inlineCode(out, silent.at, "commands in the arguments of an editor");
  for (const { at, word } of use.operands) {
    const start = prefix(word);
    if (!start.startsWith("+")) {
      file(out, "read", word);
      file(out, "write", word);
    } else if (!/^\+(\d*|[/?].*)$/s.test(word.text ?? "+x")) inlineCode(out, at, "commands in the arguments of an editor");
  }
  if (out.input.kind !== "inherited") unknown(out, "inline_code", "commands in the input of an editor");
}

function input(use: Use, out: Out): void {
  for (const { word } of use.operands) {
    file(out, "read", word);
    file(out, "execute", word);
  }
  if (use.operands.length === 0 && !uses(use, "help version")) {
    unknown(out, "inline_code", `input of \`${out.argv[0]?.text ?? "?"}\`, which runs as code`);
  }
}

function ed(use: Use, out: Out): void {
  for (const { at, word } of use.operands) {
    if (prefix(word).startsWith("!")) inlineCode(out, at, "command in the arguments of `ed`");
    else {
      file(out, "read", word);
      file(out, "write", word);
    }
  }
  if (out.input.kind !== "inherited") unknown(out, "inline_code", "commands in the input of an editor");
}

const VIM: Spec = {
  options: `-c=code!r --cmd=code!r -S=load!l -s=load!l -u=load!l -U=load!l -i=write!w -w=write!w -W=write!w -T= -t= -q? -p? -o? -O? -r? -L? -V? -x -X
    -e -E -es -Es -v -y -d -R -Z -m -M -b -l -C -N -n -D -A -H -F -f -g -nb? --noplugin --startuptime=write!w --servername= --remote? --remote-send=code!r
    --remote-expr=code!r --remote-silent --remote-wait --headless --embed --listen= --api-info --clean -h,--help --version -ll=load`,
  inert: "help version",
  more: editor,
};

const EX: Spec = { ...VIM, options: (VIM.options ?? "").replace(" -s=load!l", " -s") };

const EMACS: Spec = {
  options: `-eval,--eval,--execute=code!r --execute=code!r -l,-load,--load=load!l -f,-funcall,--funcall=code!r -script,--script=load!l -x=load!l -Q,--quick -q,--no-init-file
    -batch,--batch -nw,--no-window-system -u,--user= --init-directory=load!l -L,--directory=load!l -d,--display= --insert=read -i=read --chdir=dir -t,--terminal=
    -c -n -a,--alternate-editor=prog -s,--socket-name= --version --help`,
  inert: "help version",
  more: editor,
};

const GDB: Spec = {
  options: `-ex,-eval-command,--ex,--eval-command=code!r --ex=code!r -iex,-init-eval-command,--iex=code!r --init-eval-command=code!r -x,-command,--command=load!l -ix,--init-command=load!l
    -p,-pid,--pid= -c,-core,--core=read -batch,--batch --batch-silent -nx,--nx -nh -n -q,-quiet,--quiet -args,--args -d,-directory,--directory= -cd,--cd=dir
    -s,-symbols,--symbols=read -e,-exec,--exec=exec -se,--se=exec -tui,--tui -silent --return-child-result --version --help`,
  inert: "help version",
  more: gdb,
};

/** Editors and debuggers that run commands in their arguments or their input. */
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
  ed: { options: "-p= -s -v -r -E -G -l", more: ed },
  red: { options: "-p= -s", operands: "rw*" },
  nano: {
    options: "-s,--speller=prog!r -C,--backupdir=write!w -f,--rcfile=load!l -o,--operatingdir= -Y,--syntax= -T,--tabsize= -r,--fill=",
    operands: "rw*",
  },
  pico: { options: "-s,--speller=prog!r", operands: "rw*" },
  gdb: GDB,
  lldb: {
    options:
      "-o,--one-line=code!r -O,--one-line-before-file=code!r -k,--one-line-on-crash=code!r -K=load!l -s,--source=load!l -S,--source-before-file=load!l -b,--batch -p,--attach-pid= -n= -c,--core=read -f,--file=exec -Q -x -X -v,--version -h,--help",

    inert: "help version",
    more: gdb,
  },
  m4: {
    options:
      "-D,--define= -I,--include=load!l -U,--undefine= -R,--reload-state=load!l -F,--freeze-state=write!w -o,--debugfile,--error-output=write!w -P,--prefix-builtins -E -Q -s -e -i -g -d? -l= -L= -t= --help --version",
    inert: "help version",
    more: input,
  },
  bc: { options: "-l,--mathlib -q,--quiet -s -w -i", operands: "read*" },
};
