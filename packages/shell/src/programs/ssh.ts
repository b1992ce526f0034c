import type { Word } from "../analysis.ts";
import { hostOf } from "./hosts.ts";
import { file, hazard, inlineCode, network, runScript, unknown, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { readOptions } from "./apply.ts";
import { readUse, usedOf, uses, valueOf, type Use } from "./use.ts";
import { after, joined, known, prefix } from "./words.ts";

const RUNS = /^(proxycommand|localcommand|knownhostscommand)$/;
const LOADS =
  /^(pkcs11provider|securitykeyprovider|xauthlocation|smartcarddevice|include|match|permitlocalcommand|identityagent|revokedhostkeys)$/;
const OPENS =
  /^(localforward|remoteforward|dynamicforward|tunnel|controlpath|controlmaster|forwardagent|userknownhostsfile|globalknownhostsfile|stricthostkeychecking|sendenv|setenv|permitremoteopen)$/;

/** `-o Key=value` of ssh, scp and sftp. */
function sshSettings(use: Use, out: Out): void {
  for (const used of usedOf(use, "o")) {
    const word = valueOf(used);
    const text = prefix(word);
    const match = /^\s{0,8}([A-Za-z0-9]{1,64})\s{0,8}[= \t]\s{0,8}"?/.exec(text);
    if (match?.[1] === undefined) {
      if (word.text === undefined) inlineCode(out, used.at, "setting of ssh that is only known when it runs");
      continue;
    }
    const key = match[1].toLowerCase();
    const value = after(word, match[0].length);
    if (RUNS.test(key)) {
      if (value.text?.toLowerCase() !== "none")
        runScript(out, used.at, value.text === undefined ? value : known(value.text.replace(/"$/, "")));
    } else if (key === "remotecommand") runScript(out, used.at, value, { remote: true });
    else if (key === "proxyjump") network(out, hostOf(value));
    else if (LOADS.test(key)) {
      hazard(out, used.at, "load");
      if (/provider|device/.test(key)) unknown(out, "dynamic_script", "library that ssh loads");
    } else if (OPENS.test(key)) hazard(out, used.at, "configure");
  }
}

function ssh(use: Use, out: Out): void {
  sshSettings(use, out);
  if (uses(use, "V Q G O")) return;
  const [host] = use.operands;
  if (host === undefined) return;
  network(out, hostOf(host.word));
  // ssh reads options behind the host, too.
  const inner = readUse(use.spec, out.argv, host.at + 1, { posix: true });
  readOptions(inner, out);
  sshSettings(inner, out);
  const rest = inner.operands;
  const [first] = rest;
  if (first !== undefined) {
    runScript(out, first.at, joined(rest.map(({ word }) => word)), { remote: true });
    return;
  }
  const { input } = out;
  if (input.kind === "text" && input.text !== undefined) out.runs.push({ kind: "script", script: known(input.text), remote: true });
  else if (input.kind !== "inherited" && !uses(use, "N n")) unknown(out, "dynamic_script", "script in the input of `ssh`");
}

/** Copies between machines: the last operand is written. */
function copies(use: Use, out: Out): void {
  sshSettings(use, out);
  const last = use.operands.length - 1;
  const below = uses(use, "recursive archive");
  use.operands.forEach(({ word }, index) => {
    if (isRemote(word)) network(out, hostOf(word));
    else file(out, index === last && last > 0 ? "write" : "read", word, { below: below || index === last });
  });
}

function isRemote(word: Word): boolean {
  const start = prefix(word);
  const colon = start.indexOf(":");
  const slash = start.indexOf("/");
  return colon > 0 && (slash < 0 || colon < slash || start.startsWith("scp://") || start.startsWith("rsync://"));
}

function sftp(use: Use, out: Out): void {
  sshSettings(use, out);
  const [host] = use.operands;
  if (host !== undefined) network(out, hostOf(host.word));
  if (out.input.kind !== "inherited") unknown(out, "inline_code", "commands in the input of `sftp`");
}

/** Programs of OpenSSH. */
export const SSH: Readonly<Record<string, Spec>> = {
  ssh: {
    options: `-4 -6 -A!c -a -B= -b= -C -c= -D=!c -E=write!w -e= -F=load!l -f -G -g -I=load!l -i=read -J=host -K -k -L=!c -l= -M -m= -N -n -O= -o= -P= -p= -Q= -q -R=!c -S=write -s -T -t -V -v -W=host -w=!c
      -X -x -Y -y`,
    posix: true,
    more: ssh,
  },
  scp: {
    options: "-3 -4 -6 -A!c -B -C -c= -D=prog!r -F=load!l -i=read -J=host -l= -O -o= -P= -p -q -R -r,--recursive -S=prog!r -s -T -v -X=",
    more: copies,
  },
  sftp: {
    options: "-4 -6 -A!c -a -B= -b=load!l -C -c= -D=prog!r -F=load!l -f -i=read -J=host -l= -N -o= -P= -p -q -R= -r -S=prog!r -s= -v -X=",
    more: sftp,
  },
  "ssh-copy-id": { options: "-i=read -p= -o= -F=load!l -f -n -s -t=", network: true, more: sshSettings },
  "ssh-keygen": {
    options: `-A -a= -B -b= -C= -c -D=load!l -E= -e -F= -f=rw -g -H!w -h -I= -i -J= -j= -K!w -k!w -L -l -M= -m= -N= -n= -O= -o -P= -p!w -Q -q -R=!d -r= -S= -s=rw -t= -U -u -V= -v -w=load!l -W= -Y= -y -Z= -z=`,
    operands: "read*",
  },
  "ssh-add": { options: "-c -D!d -d!d -E= -e=load!l -H= -h= -K -k -L -l -q -S=load!l -s=load!l -T= -t= -v -X -x", operands: "read*" },
  "ssh-keyscan": { options: "-4 -6 -c -D -H -f=read!l -O= -p= -q -T= -t= -v", operands: "host*" },
  "ssh-agent": { options: "-a=write -c -D -d -E= -k -O= -P=load!l -s -t=", wrap: 0 },
  mosh: { options: "--ssh=prog!r --server=prog!r --client=exec!r --predict= -p,--port= -a -n --family= -4 -6", posix: true, more: ssh },
  autossh: { options: "-M= -V -f -N -L=!c -R=!c -D=!c -o= -i=read -p= -F=load!l -T -n -q -v", posix: true, more: ssh },
  sshpass: { options: "-p= -f=read -d= -e? -P= -v -h -V", wrap: 0 },
  rsh: { options: "-l= -n -d", posix: true, more: ssh },
  rlogin: { network: true },
  telnet: { options: "-l= -e= -n=write!w -a -E -x -8", operands: "host data" },
  rsync: {
    options: `-v -q --no-motd -c,--checksum -a,--archive --no-OPTION -r,--recursive -R,--relative -b,--backup --backup-dir=write!w --suffix= -u,--update --inplace --append --append-verify -d,--dirs -l -L -k -K -H -p
      -E -A -X -o -g -D -t -O -J -S -n,--dry-run -W -x -e,--rsh=prog!r --rsync-path=prog!r --existing --ignore-existing --remove-source-files!d --del!d --delete!d --delete-before!d --delete-during!d
      --delete-delay!d --delete-after!d --delete-excluded!d --delete-missing-args!d --ignore-errors --force!d --max-delete= --max-size= --min-size= --partial --partial-dir=write --delay-updates -m --numeric-ids
      --usermap= --groupmap= --chown= --timeout= --contimeout= -I --size-only -@= -T,--temp-dir=write!w -y --compare-dest=read --copy-dest=read --link-dest=read -z --compress-choice= --compress-level= --skip-compress=
      -C -f,--filter= -F --exclude= --exclude-from=read --include= --include-from=read --files-from=read!l -0,--from0 -s --secluded-args --address= --port= --sockopts= --blocking-io --stats -8 -h --progress -P
      -i --out-format= --log-file=write!w --log-file-format= --password-file=read --list-only --bwlimit= --stop-after= --write-batch=write!w --only-write-batch=write!w --read-batch=read!l --protocol= --iconv=
      --checksum-seed= -4 -6 -V,--version --help --daemon!r --config=load!l --early-input=read --info= --debug= --modify-window= --block-size= -B= --chmod= -M,--remote-option=!r`,
    inert: "version help",
    more: copies,
  },
};
