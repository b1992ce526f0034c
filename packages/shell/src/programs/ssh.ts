import type { Word } from "../analysis.ts";
import { hostOf, hostsOf } from "./hosts.ts";
import { file, hazard, inlineCode, inputScript, network, runScript, unknown, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { readOptions } from "./apply.ts";
import { readUse, usedOf, uses, valueOf, type Use } from "./use.ts";
import { after, joined, known, prefix } from "./words.ts";

const RUNS = /^(proxycommand|localcommand|knownhostscommand)$/;
const LOADS =
  /^(pkcs11provider|securitykeyprovider|xauthlocation|smartcarddevice|include|permitlocalcommand|identityagent|revokedhostkeys)$/;
const FILES = /^(identityfile|certificatefile)$/;
// What these say changes nothing but how the connection is made.
const DATA: ReadonlySet<string> = new Set(
  `addressfamily batchmode bindaddress bindinterface casignaturealgorithms checkhostip cipher ciphers clearallforwardings compression compressionlevel connectionattempts connecttimeout escapechar
  exitonforwardfailure fingerprinthash gssapiauthentication hashknownhosts hostbasedauthentication hostkeyalgorithms hostkeyalias identitiesonly ipqos kbdinteractiveauthentication
  kexalgorithms loglevel macs nohostauthenticationforlocalhost numberofpasswordprompts passwordauthentication port preferredauthentications protocol pubkeyacceptedalgorithms pubkeyacceptedkeytypes
  pubkeyauthentication rekeylimit requesttty requiredrsasize serveralivecountmax serveraliveinterval sessiontype stdinnull tcpkeepalive updatehostkeys user verifyhostkeydns visualhostkey
  challengeresponseauthentication controlpersist logverbose`.split(/\s+/),
);
// ssh takes quotes, more signs and other blanks as well: such a setting is not told apart here.
const SETTING = /^([A-Za-z][A-Za-z0-9]{0,63})(?: {0,8}= {0,8}| {1,8})(?=[^\s=]|$)/;
const OPENS =
  /^(localforward|remoteforward|dynamicforward|tunnel|controlpath|controlmaster|forwardagent|userknownhostsfile|globalknownhostsfile|stricthostkeychecking|sendenv|setenv|permitremoteopen|gatewayports|forwardx11|forwardx11trusted|canonicalizehostname|canonicaldomains|gssapidelegatecredentials|addkeystoagent|proxyusefdpass|forkafterauthentication|enableescapecommandline|streamlocalbindunlink)$/;

/** `-o Key=value` of ssh, scp and sftp. */
function sshSettings(use: Use, out: Out): void {
  for (const used of usedOf(use, "o")) {
    const word = valueOf(used);
    const match = SETTING.exec(prefix(word));
    if (match?.[1] === undefined) {
      inlineCode(out, used.at, "setting of ssh that is read in its own way");
      continue;
    }
    const key = match[1].toLowerCase();
    const value = after(word, match[0].length);
    if (RUNS.test(key)) {
      if (value.text?.toLowerCase() !== "none")
        runScript(out, used.at, value.text === undefined ? value : known(value.text.replace(/^"|"$/g, "")));
    } else if (key === "hostname") network(out, hostOf(value));
    else if (key === "localforward" || key === "remoteforward") {
      hazard(out, used.at, "configure");
      forward(after(value, prefix(value).search(/\s|$/)), out);
    } else if (key === "remotecommand") runScript(out, used.at, value, { remote: true });
    else if (key === "proxyjump") jump(value, out);
    else if (FILES.test(key)) file(out, "read", value);
    else if (LOADS.test(key)) {
      hazard(out, used.at, "load");
      if (/provider|device/.test(key)) unknown(out, "dynamic_script", "library that ssh loads");
    } else if (OPENS.test(key)) hazard(out, used.at, "configure");
    else if (!DATA.has(key)) inlineCode(out, used.at, `setting \`${key}\` of ssh that is not known`);
  }
}

// Hosts that the connection goes through, one after another.
function jump(word: Word, out: Out): void {
  if (word.text?.toLowerCase() !== "none") for (const host of hostsOf(word)) network(out, host);
}

// `port:host:port`, with an address before it or not; fewer parts are sockets of this machine.
function forward(word: Word, out: Out): void {
  const text = word.text?.trim().replace(/"$/, "");
  if (text === undefined) return network(out, undefined);
  const host = /(?:^|:)(\[[^\]]{1,64}\]|[^:[\]]{1,1024}):\d{1,5}$/.exec(text)?.[1];
  if (host !== undefined && /[^\d]/.test(host)) network(out, hostOf(known(host)));
}

// Where a connection goes besides the host that is named.
function routes(use: Use, out: Out): void {
  for (const used of usedOf(use, "J")) jump(valueOf(used), out);
  for (const name of ["L", "R", "W"]) for (const used of usedOf(use, name)) forward(valueOf(used), out);
  // A file of settings may send it anywhere.
  if (usedOf(use, "F").some(({ value }) => value?.text !== "none" && value?.text !== "/dev/null")) network(out, undefined);
}

function ssh(use: Use, out: Out): void {
  sshSettings(use, out);
  routes(use, out);
  if (uses(use, "V Q")) return;
  const [host] = use.operands;
  if (host === undefined) return;
  // ssh reads options behind the host, too.
  const inner = readUse(use.spec, out.argv, host.at + 1, { posix: true });
  readOptions(inner, out);
  sshSettings(inner, out);
  routes(inner, out);
  if (uses(use, "G O") || uses(inner, "G O")) return;
  network(out, hostOf(host.word));
  const rest = inner.operands;
  const [first] = rest;
  if (first !== undefined) {
    runScript(out, first.at, joined(rest.map(({ word }) => word)), { remote: true });
    return;
  }
  const script = inputScript(out);
  if (script !== undefined) out.runs.push({ kind: "script", script, remote: true });
  if (script?.text === undefined && out.input.kind !== "inherited" && !uses(use, "N n"))
    unknown(out, "dynamic_script", "script in the input of `ssh`");
}

/** Copies between machines: the last operand is written. */
function copies(use: Use, out: Out): void {
  sshSettings(use, out);
  const last = use.operands.length - 1;
  const below = uses(use, "recursive archive files-from");
  const rsync = out.argv[0]?.text?.endsWith("rsync") === true;
  if (!rsync) routes(use, out);
  const follows = rsync ? uses(use, "L k copy-links copy-unsafe-links copy-dirlinks") : below;
  use.operands.forEach(({ word }, index) => {
    if (isRemote(word)) network(out, hostOf(word));
    else
      file(out, index === last && last > 0 ? "write" : "read", word, { below: below || index === last, follows: follows && index < last });
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
  routes(use, out);
  const [host] = use.operands;
  if (host !== undefined) network(out, hostOf(host.word));
  if (out.input.kind !== "inherited") unknown(out, "inline_code", "commands in the input of `sftp`");
}

/** Programs of OpenSSH. */
export const SSH: Readonly<Record<string, Spec>> = {
  ssh: {
    options: `-4 -6 -A!c -a -B= -b= -C -c= -D=!c -E=write!w -e= -F=load!l -f -G -g -I=load!l -i=read -J= -K -k -L=!c -l= -M -m= -N -n -O= -o= -P= -p= -Q= -q -R=!c -S=write -s -T -t -V -v -W= -w=!c
      -X -x -Y -y`,
    posix: true,
    more: ssh,
  },
  scp: {
    options: "-3 -4 -6 -A!c -B -C -c= -D=prog!r -F=load!l -i=read -J= -l= -O -o= -P= -p -q -R -r,--recursive -S=prog!r -s -T -v -X=",
    more: copies,
  },
  sftp: {
    options: "-4 -6 -A!c -a -B= -b=load!l -C -c= -D=prog!r -F=load!l -f -i=read -J= -l= -N -o= -P= -p -q -R= -r -S=prog!r -s= -v -X=",
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
