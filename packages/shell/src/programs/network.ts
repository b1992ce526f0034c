import { readsMore } from "./jq.ts";
import { hostOf } from "./hosts.ts";
import {
  file,
  hazard,
  inlineCode,
  network,
  runScript,
  unknown,
  type Findings,
} from "./findings.ts";
import { checkUnknownOptions } from "./checkers.ts";
import { optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { SSH } from "./ssh.ts";
import { after, joined, known, prefix } from "./word-text.ts";
import { kind, many, options, connects, reads } from "./option-groups.ts";
import { WEB_CLIENTS } from "./web-clients.ts";

// `EXEC:`, `SYSTEM:` and `SHELL:` run programs. `OPEN:` and similar addresses are files.
function socat(use: ParsedArgs, out: Findings): void {
  for (const { at, word } of use.operands) {
    for (const part of (word.text ?? "EXEC:").split("!!")) {
      const [, kind = "", rest = ""] = /^([A-Za-z0-9-]{0,32}):?([\s\S]*)$/.exec(part) ?? [];
      if (/^(exec|system|shell)/i.test(kind)) {
        const comma = rest.indexOf(",");
        if (word.text === undefined)
          inlineCode(out, at, "a `socat` address known only at run time");
        else runScript(out, at, known(comma < 0 ? rest : rest.slice(0, comma)));
      } else if (/^(open|creat|file|gopen|pipe|unix)/i.test(kind)) {
        hazard(out, at, "write");
        file(out, "write", known(rest.split(",")[0] ?? rest));
      } else if (kind !== "-" && !/^(stdio|stdin|stdout|fd|pty|readline)/i.test(kind))
        network(out, hostOf(known(rest)));
    }
  }
}

function netcat(use: ParsedArgs, out: Findings): void {
  const [host] = use.operands;
  network(out, hasOption(use, "listen") || host === undefined ? undefined : hostOf(host.word));
}

function ip(use: ParsedArgs, out: Findings): void {
  const words = use.operands;
  const exec = words.findIndex(({ word }) => word.text === "exec");
  const net = words.findIndex(({ word }) => word.text === "netns" || word.text === "vrf");
  const run = words[exec + 2];
  if (exec > 0 && net >= 0 && run !== undefined) {
    hazard(out, run.at, "run");
    out.runs.push({ kind: "argv", from: run.at });
    return;
  }
  const change = words.find(({ word }) =>
    /^(a|ad|add|d|de|del|delete|s|se|set|c|ch|change|r|re|replace|flush|f|append|up|down)$/.test(
      word.text ?? "",
    ),
  );
  if (change !== undefined && words.indexOf(change) > 0) hazard(out, change.at, "configure");
}

// Records the files that are values of these options.
function filesOfGh(
  use: ParsedArgs,
  first: ParsedArgs["operands"][number] | undefined,
  out: Findings,
): void {
  const name = first?.word.text ?? "";
  if (name === "api") return;
  for (const { option, value } of optionsNamed(use, "field")) {
    const is =
      /^(?:-F|--body-file)$/.test(option.spelled) ||
      (option.spelled === "-f" && /^(?:secret|variable)$/.test(name));
    if (is && value !== undefined && value.text !== "-") file(out, "read", value);
  }
}

// A repository on a host, or the address of something there.
const ON_HOST = /^(?:\w+:\/\/(?:[^/@]*@)?|[\w.-]+@)?([\w.-]+)(?::\d+)?[/:][^/]+\/[^/]/;

// `gh` sends a token to every host that it is told.
function sendsToHosts(use: ParsedArgs, out: Findings): void {
  const repos = optionsNamed(use, "repo").map((used) => ({ at: used.at, word: valueOf(used) }));
  for (const { at, word } of [...use.operands.slice(2), ...repos]) {
    const host = ON_HOST.exec(prefix(word))?.[1] ?? "github.com";
    // A branch may look like a host without a dot.
    const isHost = host.includes(".") || repos.some((repo) => repo.word === word);
    if (word.text === undefined || (isHost && !/^(?:www\.)?github\.com$/i.test(host)))
      hazard(out, at, "send");
  }
}

function gh(use: ParsedArgs, out: Findings): void {
  const [first, second] = use.operands;
  network(out, undefined);
  sendsToHosts(use, out);
  // After `list`, `-w` has the name of a workflow.
  for (const { option, at } of use.options)
    if (
      option.spelled === "-w" &&
      /^(?:view|diff|checks|status)$/.test(second?.word.text ?? "view")
    )
      hazard(out, at, "run");
  for (const { at, value } of optionsNamed(use, "jq"))
    if (readsMore(value?.text)) hazard(out, at, "load");
  const name = `${first?.word.text ?? ""} ${second?.word.text ?? ""}`;
  const expansion = use.operands[3];
  if (name === "alias set" && expansion !== undefined) {
    hazard(out, expansion.at, "configure");
    runScript(
      out,
      expansion.at,
      prefix(expansion.word).startsWith("!") ? after(expansion.word, 1) : expansion.word,
    );
  } else if (
    /^(extension|ext|alias|config|secret|auth) (install|create|exec|import|set|delete|remove|upgrade|login|logout|refresh)/.test(
      name,
    ) &&
    second !== undefined
  )
    hazard(out, second.at, "configure");
  else if (/^(codespace|cs) ssh/.test(name) && use.operands.length > 2) {
    const rest = use.operands.slice(2);
    runScript(out, rest[0]?.at ?? 0, joined(rest.map(({ word }) => word)), { remote: true });
  } else if (first?.word.text === "api") {
    for (const used of optionsNamed(use, "field")) {
      hazard(out, used.at, "send");
      const mark = prefix(valueOf(used)).indexOf("=@");
      if (mark >= 0) file(out, "read", after(valueOf(used), mark + 2));
    }
  }
  filesOfGh(use, first, out);
  checkUnknownOptions(use, out);
  for (const { at, value } of optionsNamed(use, "method"))
    if (!/^(GET|HEAD)$/i.test(value?.text ?? "")) hazard(out, at, "send");
  if (second === undefined) return;
  if (/^(delete|close|archive|lock)$/.test(second.word.text ?? ""))
    hazard(out, second.at, "delete");
  // The target is remote files.
  if (/^(gist (create|edit|new)|release (create|upload|new))$/.test(name)) {
    hazard(out, second.at, "send");
    for (const { word } of use.operands.slice(2)) file(out, "read", word);
  }
}

const LOOKUP: Spec = { network: true, operands: [many("data")] };
const FTP: Spec = {
  network: true,
  more: (_, out) => {
    if (out.input.kind !== "inherited")
      unknown(out, "inline_code", "commands in the input of `ftp`");
  },
};

export const NETWORK: Readonly<Record<string, Spec>> = {
  ...SSH,
  ...WEB_CLIENTS,
  nc: {
    options: options`-4 -6 -b -C -D -d -F -h -k -l,--listen -N -n -r -S -t -U -u -v -z --ssl
      ${kind.of("glued", { role: "script", does: "run" })} -c ${kind.script} -e --exec --sh-exec ${kind.value} -G -g -I -i -M -m -O -P -p
      -q -s -T -V -W -w -X -Z ${kind.write} -o --output ${kind.takes("host")} -x --proxy ${kind.load} --lua-exec`,
    more: netcat,
  },
  ncat: {
    options: options`-l,--listen -u -k -n -v --ssl ${kind.script} -c,--sh-exec -e,--exec ${kind.load} --lua-exec ${kind.value}
      -p,--source-port -w -i --allow --deny ${kind.write} -o,--output -x,--hex-dump ${kind.takes("host")} --proxy ${kind.value}
      --proxy-type`,
    more: netcat,
  },
  netcat: {
    options: options`-l,--listen -u -v -z -n ${kind.of("glued", { role: "script", does: "run" })} -c ${kind.script} -e ${kind.value} -p -w
      -i -q -s ${kind.write} -o`,
    more: netcat,
  },
  socat: {
    options: options`-d -D -v -x -u -U -s -ls -ly -lm -4 -6 -V -h ${kind.value} -t -T -b -lp ${kind.write} -L -W
      -lf -r -R`,
    more: socat,
  },
  openssl: {
    subs: {
      version: {},
      rand: {
        options: options`-hex -base64 ${kind.write} -out -writerand ${kind.load} -engine ${kind.read} -rand`,
      },
      s_client: connects`-quiet -showcerts ${kind.takes("host")} -connect -host -proxy ${kind.value} -port -servername -starttls
          ${kind.read} -cert -key -CAfile ${kind.load} -engine ${kind.write} -keylogfile -sess_out`,
      s_server: connects`-www -WWW -HTTP ${kind.value} -port -accept ${kind.read} -cert -key ${kind.load} -engine`,
      req: {
        options: options`-new -x509 -nodes -noout -text ${kind.read} -in -key ${kind.write} -out -keyout ${kind.load} -config -engine
          ${kind.value} -newkey -days -subj`,
      },
      "*": reads`${kind.read} -in -inkey -key -CAfile -CA ${kind.write} -out -keyout ${kind.load} -config -engine -provider
          -provider-path ${kind.value} -pass -passin`,
    },
  },
  gh: {
    options: options`${kind.value} -f,--raw-field,--field -F,--field -X,--method -H -R,--repo -t -b,--body -q,--jq --title
      -F,--body-file,--field --hostname --json --template -L,--limit -s,--state -l,--label -a,--assignee -A,--author -w,--workflow
      -p,--pattern -n,--notes ${kind.takes("read", "send")} --input ${kind.write} -O,--output -D,--dir ${kind.flag} --log --log-failed
      --comments -c --name-only --patch --exit-status --watch --required --exclude-drafts ${kind.flagThat("run")} --web ${kind.read} --notes-file --env-file`,
    more: gh,
  },
  glab: { network: true },
  ping: LOOKUP,
  ping6: LOOKUP,
  dig: connects`${kind.takes("read", "load")} -f ${kind.value} -b -p -q -t -x -y ${kind.read} -k`,
  host: LOOKUP,
  nslookup: LOOKUP,
  traceroute: LOOKUP,
  tracepath: LOOKUP,
  mtr: LOOKUP,
  whois: LOOKUP,
  ftp: FTP,
  lftp: { options: options`${kind.code} -e -c ${kind.load} -f ${kind.value} -u -p`, ...FTP },
  tftp: FTP,
  nmap: {
    options: options`${kind.load} --script --datadir ${kind.value} --script-args -p ${kind.write} -oN -oX -oG -oA -oS
      ${kind.takes("read", "load")} -iL ${kind.read} --resume ${kind.flagThat("run")} --interactive`,
    operands: [many("host")],
  },
  tcpdump: connects`${kind.script} -z ${kind.write} -w ${kind.read} -r ${kind.takes("read", "load")} -F -V ${kind.value} -i -c -C -G -W
      -s -Z`,
  tshark: connects`${kind.write} -w ${kind.read} -r ${kind.load} -X ${kind.value} -i -c -f -Y -T -e`,
  ip: {
    options: options`-force -4 -6 -s -d -o -j -p -br -all ${kind.takes("read", "load")} -b,-batch ${kind.value} -n,-netns ${kind.optional}
      -c`,
    posix: true,
    more: ip,
  },
  ifconfig: {},
  netstat: {},
  ss: {
    options: options`${kind.flagThat("delete")} -K ${kind.write} -D ${kind.read} -F ${kind.value} -f -A`,
  },
  arp: {
    options: options`${kind.flagThat("delete")} -d ${kind.flagThat("configure")} -s ${kind.takes("read", "configure")} -f`,
  },
  rclone: {
    options: options`${kind.load} --config ${kind.script} --password-command ${kind.write} --log-file`,
    network: true,
    operands: ["data", many("remote")],
  },
  mail: {
    options: options`${kind.value} -s -c -b -r ${kind.takes("read", "send")} -a -A ${kind.code} -S ${kind.read} -f`,
    network: true,
    more: (use, out) => use.operands.slice(0, 1).forEach(({ at }) => hazard(out, at, "send")),
  },
  sendmail: {
    options: options`-t -i -bs -bp ${kind.load} -C ${kind.write} -X ${kind.value} -f -F -o`,
    network: true,
    more: (_, out) => hazard(out, 0, "send"),
  },
};
