import type { Word } from "../analysis.ts";
import { hostOf, hostsOf } from "./hosts.ts";
import {
  file,
  hazard,
  inlineCode,
  inputScript,
  network,
  runScript,
  unknown,
  type Findings,
} from "./findings.ts";
import { parseArgs, optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { readOptions } from "./apply-spec.ts";
import { after, joined, known, prefix } from "./word-text.ts";
import { kind, many, options, reads, wraps } from "./option-groups.ts";

const RUNS = /^(proxycommand|localcommand|knownhostscommand)$/;
const LOADS =
  /^(pkcs11provider|securitykeyprovider|xauthlocation|smartcarddevice|include|permitlocalcommand|identityagent|revokedhostkeys)$/;
const FILES = /^(identityfile|certificatefile)$/;
// Settings that only affect how the connection is made.
const DATA: ReadonlySet<string> = new Set(
  `addressfamily batchmode bindaddress bindinterface casignaturealgorithms checkhostip cipher ciphers clearallforwardings compression compressionlevel connectionattempts connecttimeout escapechar
  exitonforwardfailure fingerprinthash gssapiauthentication hashknownhosts hostbasedauthentication hostkeyalgorithms hostkeyalias identitiesonly ipqos kbdinteractiveauthentication
  kexalgorithms loglevel macs nohostauthenticationforlocalhost numberofpasswordprompts passwordauthentication port preferredauthentications protocol pubkeyacceptedalgorithms pubkeyacceptedkeytypes
  pubkeyauthentication rekeylimit requesttty requiredrsasize serveralivecountmax serveraliveinterval sessiontype stdinnull tcpkeepalive updatehostkeys user verifyhostkeydns visualhostkey
  challengeresponseauthentication controlpersist logverbose`.split(/\s+/),
);
// Settings with quotes and other separators are not parsed.
const SETTING = /^([A-Za-z][A-Za-z0-9]{0,63})(?: {0,8}= {0,8}| {1,8})(?=[^\s=]|$)/;
const OPENS =
  /^(localforward|remoteforward|dynamicforward|tunnel|controlpath|controlmaster|forwardagent|userknownhostsfile|globalknownhostsfile|stricthostkeychecking|sendenv|setenv|permitremoteopen|gatewayports|forwardx11|forwardx11trusted|canonicalizehostname|canonicaldomains|gssapidelegatecredentials|addkeystoagent|proxyusefdpass|forkafterauthentication|enableescapecommandline|streamlocalbindunlink)$/;

/** `-o Key=value` of ssh, scp and sftp. */
function sshSettings(use: ParsedArgs, out: Findings): void {
  for (const used of optionsNamed(use, "o")) {
    const word = valueOf(used);
    const match = SETTING.exec(prefix(word));
    if (match?.[1] === undefined) {
      inlineCode(out, used.at, "an ssh setting that runs code");
      continue;
    }
    const key = match[1].toLowerCase();
    const value = after(word, match[0].length);
    if (RUNS.test(key)) {
      if (value.text?.toLowerCase() !== "none")
        runScript(
          out,
          used.at,
          value.text === undefined ? value : known(value.text.replace(/^"|"$/g, "")),
        );
    } else if (key === "hostname") network(out, hostOf(value));
    else if (key === "localforward" || key === "remoteforward") {
      hazard(out, used.at, "configure");
      forward(after(value, prefix(value).search(/\s|$/)), out);
    } else if (key === "remotecommand") runScript(out, used.at, value, { remote: true });
    else if (key === "proxyjump") jump(value, out);
    else if (FILES.test(key)) file(out, "read", value);
    else if (LOADS.test(key)) {
      hazard(out, used.at, "load");
      if (/provider|device/.test(key)) unknown(out, "dynamic_script", "a library that ssh loads");
    } else if (OPENS.test(key)) hazard(out, used.at, "configure");
    else if (!DATA.has(key)) inlineCode(out, used.at, `the unrecognized ssh setting \`${key}\``);
  }
}

// Records the hosts through which the connection goes.
function jump(word: Word, out: Findings): void {
  if (word.text?.toLowerCase() !== "none") for (const host of hostsOf(word)) network(out, host);
}

// `port:host:port` with an optional address. With fewer parts, it is a socket on this machine.
function forward(word: Word, out: Findings): void {
  const text = word.text?.trim().replace(/"$/, "");
  if (text === undefined) return network(out, undefined);
  const host = /(?:^|:)(\[[^\]]{1,64}\]|[^:[\]]{1,1024}):\d{1,5}$/.exec(text)?.[1];
  if (host !== undefined && /[^\d]/.test(host)) network(out, hostOf(known(host)));
}

// Records connections to hosts other than the named one.
function routes(use: ParsedArgs, out: Findings): void {
  for (const used of optionsNamed(use, "J")) jump(valueOf(used), out);
  for (const name of ["L", "R", "W"])
    for (const used of optionsNamed(use, name)) forward(valueOf(used), out);
  // A settings file may redirect the connection anywhere.
  if (
    optionsNamed(use, "F").some(
      ({ value }) => value?.text !== "none" && value?.text !== "/dev/null",
    )
  )
    network(out, undefined);
}

function ssh(use: ParsedArgs, out: Findings): void {
  sshSettings(use, out);
  routes(use, out);
  if (hasOption(use, "V Q")) return;
  const [host] = use.operands;
  if (host === undefined) return;
  // ssh also reads options after the host.
  const inner = parseArgs(use.spec, out.argv, host.at + 1, { posix: true });
  readOptions(inner, out);
  sshSettings(inner, out);
  routes(inner, out);
  if (hasOption(use, "G O") || hasOption(inner, "G O")) return;
  network(out, hostOf(host.word));
  const rest = inner.operands;
  const [first] = rest;
  if (first !== undefined) {
    runScript(out, first.at, joined(rest.map(({ word }) => word)), { remote: true });
    return;
  }
  const script = inputScript(out);
  if (script !== undefined) out.runs.push({ kind: "script", script, remote: true });
  if (script?.text === undefined && out.input.kind !== "inherited" && !hasOption(use, "N n"))
    unknown(out, "dynamic_script", "script in the input of `ssh`");
}

/** Reads a copy between machines. The last operand is written. */
function copies(use: ParsedArgs, out: Findings): void {
  sshSettings(use, out);
  const last = use.operands.length - 1;
  const below = hasOption(use, "recursive archive files-from");
  const rsync = out.argv[0]?.text?.endsWith("rsync") === true;
  if (!rsync) routes(use, out);
  const follows = rsync ? hasOption(use, "L k copy-links copy-unsafe-links copy-dirlinks") : below;
  use.operands.forEach(({ word }, index) => {
    if (isRemote(word)) network(out, hostOf(word));
    else
      file(out, index === last && last > 0 ? "write" : "read", word, {
        below: below || index === last,
        follows: follows && index < last,
      });
  });
}

function isRemote(word: Word): boolean {
  const start = prefix(word);
  const colon = start.indexOf(":");
  const slash = start.indexOf("/");
  return (
    colon > 0 &&
    (slash < 0 || colon < slash || start.startsWith("scp://") || start.startsWith("rsync://"))
  );
}

function sftp(use: ParsedArgs, out: Findings): void {
  sshSettings(use, out);
  routes(use, out);
  const [host] = use.operands;
  if (host !== undefined) network(out, hostOf(host.word));
  if (out.input.kind !== "inherited")
    unknown(out, "inline_code", "commands in the input of `sftp`");
}

export const SSH: Readonly<Record<string, Spec>> = {
  ssh: {
    options: options`-4 -6 -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y ${kind.flagThat("configure")} -A ${kind.value} -B
      -b -c -e -J -l -m -O -o -P -p -Q -W ${kind.valueThat("configure")} -D -L -R -w ${kind.write} -E ${kind.load} -F -I ${kind.read} -i
      ${kind.write} -S`,
    posix: true,
    more: ssh,
  },
  scp: {
    options: options`-3 -4 -6 -B -C -O -p -q -R -r,--recursive -s -T -v ${kind.flagThat("configure")} -A ${kind.value} -c -J -l -o -P -X
      ${kind.script} -D -S ${kind.load} -F ${kind.read} -i`,
    more: copies,
  },
  sftp: {
    options: options`-4 -6 -a -C -f -N -p -q -r -v ${kind.flagThat("configure")} -A ${kind.value} -B -c -J -l -o -P -R -s -X ${kind.load}
      -b -F ${kind.script} -D -S ${kind.read} -i`,
    more: sftp,
  },
  "ssh-copy-id": {
    options: options`-f -n -s ${kind.read} -i ${kind.value} -p -o -t ${kind.load} -F`,
    network: true,
    more: sshSettings,
  },
  "ssh-keygen": reads`-A -B -c -e -g -h -i -L -l -o -Q -q -U -u -v -y ${kind.value} -a -b -C -E -F -I -J -j -M -m -N -n -O -P -r -S -t -V
      -W -Y -Z -z ${kind.load} -D -w ${kind.takes("rw")} -f -s ${kind.flagThat("write")} -H -K -k -p ${kind.valueThat("delete")} -R`,
  "ssh-add": reads`-c -K -k -L -l -q -v -X -x ${kind.flagThat("delete")} -D -d ${kind.value} -E -H -h -T -t ${kind.load} -e -S -s`,
  "ssh-keyscan": {
    options: options`-4 -6 -c -D -H -q -v ${kind.takes("read", "load")} -f ${kind.value} -O -p -T -t`,
    operands: [many("host")],
  },
  "ssh-agent": wraps`-c -D -d -k -s ${kind.write} -a ${kind.value} -E -O -t ${kind.load} -P`,
  mosh: {
    options: options`-a -n -4 -6 ${kind.script} --ssh --server ${kind.takes("exec", "run")} --client ${kind.value} --predict -p,--port
      --family`,
    posix: true,
    more: ssh,
  },
  autossh: {
    options: options`-V -f -N -T -n -q -v ${kind.value} -M -o -p ${kind.valueThat("configure")} -L -R -D ${kind.read} -i ${kind.load} -F`,
    posix: true,
    more: ssh,
  },
  sshpass: wraps`-v -h -V ${kind.value} -p -d -P ${kind.read} -f ${kind.optional} -e`,
  rsh: { options: options`-n -d ${kind.value} -l`, posix: true, more: ssh },
  rlogin: { network: true },
  telnet: {
    options: options`-a -E -x -8 ${kind.value} -l -e ${kind.write} -n`,
    operands: ["host", "data"],
  },
  rsync: {
    options: options`-v -q --no-motd -c,--checksum -a,--archive --no-OPTION -r,--recursive -R,--relative -b,--backup -u,--update --inplace
      --append --append-verify -d,--dirs -l -L -k -K -H -p -E -A -X -o -g -D -t -O -J -S -n,--dry-run -W -x --existing --ignore-existing
      --ignore-errors --partial --delay-updates -m --numeric-ids -I -y -z -C -F -0,--from0 -s --blocking-io -8 -h --progress -P -i -4 -6
      -V,--version --help ${kind.write} --backup-dir -T,--temp-dir --log-file --write-batch --only-write-batch ${kind.value} --suffix
      --max-delete --max-size --min-size --usermap --groupmap --chown --timeout --contimeout -@ --skip-compress -f,--filter --exclude
      --include --address --port --sockopts --out-format --log-file-format --bwlimit --protocol --iconv --checksum-seed --info --debug
      --modify-window --block-size -B --chmod ${kind.script} -e,--rsh --rsync-path ${kind.flagThat("delete")} --remove-source-files --del
      --delete --delete-before --delete-during --delete-delay --delete-after --delete-excluded --delete-missing-args --force
      ${kind.write} --partial-dir ${kind.flag} --size-only --secluded-args --stats ${kind.read} --compare-dest --copy-dest
      --link-dest --exclude-from --include-from --password-file --early-input ${kind.value} --compress-choice --compress-level
      --stop-after ${kind.takes("read", "load")} --files-from --read-batch ${kind.flag} --list-only ${kind.flagThat("run")} --daemon
      ${kind.load} --config ${kind.valueThat("run")} -M,--remote-option`,
    inert: "version help",
    more: copies,
  },
};
