import type { Word } from "../analysis.ts";
import { hostOf } from "./hosts.ts";
import { file, hazard, network, runScript, unknown, type Findings } from "./findings.ts";
import { after, concat, known, prefix } from "./word-text.ts";

// Last parts of settings whose value git runs.
const RUNS: ReadonlySet<string> = new Set(
  `pager editor command cmd program helper driver textconv external clean smudge process fsmonitor askpass gitproxy difffilter packobjectshook uploadpack receivepack
  sshcommand alternaterefscommand recentobjectshook tocmd cccmd headercmd sendmailcmd smtpserver browser httpd`.split(
    /\s+/,
  ),
);
// Values of such settings that are no program.
const NO_PROGRAM =
  /^(|true|false|yes|no|on|off|0|1|cache|store|osxkeychain|manager|manager-core|libsecret|wincred)$/i;
const LOADS =
  /^(core\.(hookspath|worktree|attributesfile|excludesfile|sshvariant)|include\.path|includeif\..*\.path|init\.templatedir|commit\.template)$/;
const ALLOWS =
  /^(protocol(\..*)?\.allow|url\..*\.(push)?insteadof|remote\..*\.(url|pushurl|vcs|proxy)|submodule\..*\.(update|url)|safe\.directory|http(\..*)?\.(proxy|sslverify|sslcainfo|extraheader))$/;

/** Records what a git setting runs or loads. */
export function readSetting(out: Findings, at: number, key: Word, value: Word): void {
  hazard(out, at, "configure");
  const name = key.text?.toLowerCase();
  if (name === undefined) {
    unknown(out, "dynamic_script", "a git setting known only at run time");
    return;
  }
  const last = name.slice(name.lastIndexOf(".") + 1);
  if (name.startsWith("alias.")) {
    if (prefix(value).startsWith("!")) runScript(out, at, after(value, 1));
    else runScript(out, at, concat([known("git "), value]));
  } else if (name.startsWith("pager.") || RUNS.has(last)) {
    if (!NO_PROGRAM.test(value.text ?? "?"))
      runScript(out, at, prefix(value).startsWith("!") ? after(value, 1) : value);
  } else if (LOADS.test(name)) {
    hazard(out, at, "load");
    if (value.text !== "/dev/null") file(out, "execute", value);
  } else if (ALLOWS.test(name)) {
    hazard(out, at, "load");
    const base = /^url\.(.{1,2048})\.(?:push)?insteadof$/.exec(name)?.[1];
    if (base !== undefined) network(out, hostOf(known(base)));
    else if (/(?:url|proxy)$/.test(last) && /[.:]/.test(prefix(value))) network(out, hostOf(value));
    else if (value.text === undefined) network(out, undefined);
  }
}

/** `-c key=value`. */
export function readInlineSetting(out: Findings, at: number, word: Word): void {
  const sign = prefix(word).indexOf("=");
  if (sign < 0) readSetting(out, at, word, known(word.text === undefined ? "?" : "true"));
  else readSetting(out, at, known(prefix(word).slice(0, sign)), after(word, sign + 1));
}
