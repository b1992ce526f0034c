import { file, hazard, inputScript, runScript, unknown, type Findings } from "./findings.ts";
import { optionsNamed, hasOption } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { joined } from "./word-text.ts";
import { kind, many, options } from "./option-groups.ts";

/** Runs standard input as a shell script. */
function readInput(out: Findings, what: string): void {
  const script = inputScript(out);
  if (script !== undefined) out.runs.push({ kind: "script", script });
  if (script?.text === undefined) unknown(out, "dynamic_script", what);
}

function at(use: ParsedArgs, out: Findings): void {
  const [loaded] = optionsNamed(use, "file");
  if (loaded !== undefined) unknown(out, "dynamic_script", "a script that `at -f` loads");
  else readInput(out, "a script on the standard input of `at`");
}

function crontab(use: ParsedArgs, out: Findings): void {
  if (hasOption(use, "e")) {
    unknown(out, "dynamic_script", "an editor started by `crontab`");
    return;
  }
  for (const { at: position, word } of use.operands) {
    hazard(out, position, "load");
    if (word.text !== "-") file(out, "read", word);
  }
  unknown(out, "dynamic_script", "commands scheduled by `crontab`");
}

const TMUX_HARMLESS = new Set(
  `ls list-sessions list-windows lsw list-panes lsp list-clients lsc list-keys lsk list-commands lscm list-buffers lsb has-session has
  kill-session kill-window killw kill-pane killp kill-server attach attach-session a detach detach-client display-message display show-options
  show-buffer showb show-environment showenv capture-pane capturep select-window selectw select-pane selectp rename-session rename rename-window
  renamew resize-pane resizep next-window next previous-window prev last-window swap-pane start-server start wait-for info`.split(
    /\s+/,
  ),
);

// Keeps values of tmux options, so that too much is analyzed rather than too little.
const TMUX_VALUE = /^-[A-Za-z]*[cefFnstTxylpb]$/;

function tmux(use: ParsedArgs, out: Findings): void {
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
  const words = rest
    .slice(index)
    .filter(({ word }) => !/^(Enter|C-m|KPEnter)$/.test(word.text ?? ""));
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

function screen(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  if (hasOption(use, "X Q")) unknown(out, "dynamic_script", "commands of `screen`");
  if (hasOption(use, "ls list wipe r d D x") || first === undefined) return;
  hazard(out, first.at, "run");
  out.runs.push({ kind: "argv", from: first.at });
}

/** Programs that run commands later or elsewhere on this machine. */
export const BATCH: Readonly<Record<string, Spec>> = {
  at: {
    options: options`-l -r -d -c -m -M -b -v -V ${kind.value} -q -t -u ${kind.takes("load")} -f,--file`,
    inert: "l r d c V",
    more: at,
  },
  batch: {
    options: options`-m -M -v -V ${kind.value} -q ${kind.takes("load")} -f,--file`,
    more: at,
  },
  atq: {},
  atrm: { operands: [many("data")] },
  crontab: {
    options: options`-l -i -s -c ${kind.value} -u -n -x ${kind.flagThat("delete")} -r ${kind.flagThat("run")} -e ${kind.read} -T`,
    inert: "l",
    more: crontab,
  },
  tmux: {
    options: options`-2 -8 -C -D -l -N -u -v -V ${kind.takes("script")} -c ${kind.takes("load")} -f ${kind.value} -L -S -T`,
    posix: true,
    more: tmux,
  },
  screen: {
    options: options`-a -A -d -D -f -fn -fa -i -l -ln -L -ls -list -m -O -q -Q -r -R -RR -U -v -wipe -x -X -dm -dRR ${kind.takes("load")}
      -c ${kind.value} -e -h -p -S -t -T -dmS -DmS ${kind.write} -Logfile ${kind.takes("exec", "run")} -s`,
    posix: true,
    more: screen,
  },
};
