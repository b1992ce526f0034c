import { file, hazard, inputScript, runScript, unknown, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { uses, usedOf, type Use } from "./use.ts";
import { joined } from "./words.ts";

/** What a program does that runs its input as a shell script. */
function readInput(out: Out, what: string): void {
  const script = inputScript(out);
  if (script !== undefined) out.runs.push({ kind: "script", script });
  if (script?.text === undefined) unknown(out, "dynamic_script", what);
}

function at(use: Use, out: Out): void {
  const [loaded] = usedOf(use, "file");
  if (loaded !== undefined) unknown(out, "dynamic_script", "script that `at -f` loads");
  else readInput(out, "script in the input of `at`");
}

function crontab(use: Use, out: Out): void {
  if (uses(use, "e")) {
    unknown(out, "dynamic_script", "editor that `crontab` runs");
    return;
  }
  for (const { at: position, word } of use.operands) {
    hazard(out, position, "load");
    if (word.text !== "-") file(out, "read", word);
  }
  unknown(out, "dynamic_script", "commands that `crontab` plans");
}

const TMUX_HARMLESS = new Set(
  `ls list-sessions list-windows lsw list-panes lsp list-clients lsc list-keys lsk list-commands lscm list-buffers lsb has-session has
  kill-session kill-window killw kill-pane killp kill-server attach attach-session a detach detach-client display-message display show-options
  show-buffer showb show-environment showenv capture-pane capturep select-window selectw select-pane selectp rename-session rename rename-window
  renamew resize-pane resizep next-window next previous-window prev last-window swap-pane start-server start wait-for info`.split(/\s+/),
);

// Values of tmux options are left in: the shell that reads the rest then sees too much, not too little.
const TMUX_VALUE = /^-[A-Za-z]*[cefFnstTxylpb]$/;

function tmux(use: Use, out: Out): void {
  const [sub] = use.operands;
  if (sub === undefined) return;
  const name = sub.word.text ?? "";
  if (use.operands.some(({ word }) => word.text === undefined || word.text.endsWith(";"))) {
    unknown(out, "dynamic_script", "commands of `tmux`");
    out.carries = true;
  }
  if (TMUX_HARMLESS.has(name)) return;
  const rest = use.operands.slice(1);
  let index = 0;
  while (index < rest.length) {
    const text = rest[index]?.word.text;
    if (text === undefined || !text.startsWith("-")) break;
    index += TMUX_VALUE.test(text) ? 2 : 1;
  }
  const words = rest.slice(index).filter(({ word }) => !/^(Enter|C-m|KPEnter)$/.test(word.text ?? ""));
  const [first] = words;
  out.carries = true;
  if (
    /^(send|send-keys|run|run-shell|if|if-shell|pipe-pane|pipep|bind|bind-key|set-hook|source|source-file|set|set-option|confirm-before|display-popup|popup)$/.test(
      name,
    )
  ) {
    hazard(out, sub.at, "run");
    unknown(out, "dynamic_script", `commands of \`tmux ${name}\``);
  }
  if (first !== undefined) runScript(out, first.at, joined(words.map(({ word }) => word)));
}

function screen(use: Use, out: Out): void {
  const [first] = use.operands;
  if (uses(use, "X Q")) unknown(out, "dynamic_script", "commands of `screen`");
  if (uses(use, "ls list wipe r d D x") || first === undefined) return;
  hazard(out, first.at, "run");
  out.runs.push({ kind: "argv", from: first.at });
}

/** Programs that run commands later or elsewhere on this machine. */
export const BATCH: Readonly<Record<string, Spec>> = {
  at: { options: "-q= -f,--file=load -l -r -d -c -m -M -b -v -t= -V -u=", inert: "l r d c V", more: at },
  batch: { options: "-q= -f,--file=load -m -M -v -V", more: at },
  atq: {},
  atrm: { operands: "data*" },
  crontab: { options: "-u= -l -r!d -e!r -i -n= -T=read -s -x= -c", inert: "l", more: crontab },
  tmux: { options: "-2 -8 -C -D -l -N -u -v -V -c=script -f=load -L= -S= -T=", posix: true, more: tmux },
  screen: {
    options: `-a -A -c=load -d -D -e= -f -fn -fa -h= -i -l -ln -L -Logfile=write -ls -list -m -O -p= -q -Q -r -R -RR -s=exec -S= -t= -T= -U -v
      -wipe -x -X -dm -dmS= -DmS= -dRR`,
    posix: true,
    more: screen,
  },
};
