import type { Word } from "../analysis.ts";
import { hostOf, hostsOf } from "./hosts.ts";
import { file, hazard, inlineCode, network, runScript, unknown, type Out } from "./out.ts";
import { strangers } from "./checkers.ts";
import type { Spec } from "./spec.ts";
import { SSH } from "./ssh.ts";
import { uses, usedOf, valueOf, type Use } from "./use.ts";
import { after, joined, known, prefix } from "./words.ts";
import { writeDownload } from "./written.ts";

function url(word: Word, out: Out): void {
  const start = prefix(word);
  if (/^file:/i.test(start)) file(out, "read", after(word, /^file:(\/\/)?/i.exec(start)?.[0].length ?? 5));
  else network(out, hostOf(word));
}

const ROUTES: ReadonlySet<string> = new Set("resolve connect-to dns-servers config unix-socket abstract-unix-socket".split(" "));

// `host:port:address`, `host:port:other:port`. A file of options may send it anywhere, and so may a socket.
function routed(name: string, value: Word): readonly (string | undefined)[] {
  if (value.text === undefined || !/^(?:resolve|connect-to|dns-servers)$/.test(name)) return [undefined];
  if (name === "dns-servers") return hostsOf(value);
  const target = /^[^:]{0,1024}:\d{0,5}:([^]*)$/.exec(value.text)?.[1] ?? "";
  if (target === "") return [];
  return name === "resolve" ? target.split(",").map(address) : [address(target.replace(/:\d{0,5}$/, ""))].filter((host) => host !== "");
}

function address(text: string): string {
  return text.replace(/^\[|\]$/g, "").toLowerCase();
}

// `@file` is sent; so is any text.
function curl(use: Use, out: Out): void {
  for (const { option, at, value } of use.options) {
    if (value === undefined) continue;
    const start = prefix(value);
    if (ROUTES.has(option.name)) for (const host of routed(option.name, value)) network(out, host);
    else if (option.name === "data" || option.name === "form") {
      hazard(out, at, "send");
      const mark = option.name === "form" ? start.search(/=[@<]/) + 1 : start.indexOf("@");
      if (start[mark] === "@" || start[mark] === "<") file(out, "read", after(value, mark + 1));
      else if (value.text === undefined && start === "") file(out, "read", value);
    } else if (option.name === "header" || option.name === "write-out") {
      if (start.startsWith("@")) {
        hazard(out, at, "send");
        file(out, "read", after(value, 1));
      } else if (start.includes("%output")) hazard(out, at, "write");
    } else if (option.name === "cookie" && !start.includes("=")) file(out, "read", value);
    else if (option.name === "request" && !/^(GET|HEAD|OPTIONS)$/.test(value.text ?? "")) hazard(out, at, "send");
  }
  if (uses(use, "remote-name remote-name-all")) {
    const folder = usedOf(use, "output-dir")[0]?.value ?? known(".");
    // The server may choose the name.
    if (uses(use, "remote-header-name config")) file(out, "write", folder, { below: true });
    for (const { word } of use.operands) writeDownload(folder, word, out);
    for (const used of usedOf(use, "url")) writeDownload(folder, valueOf(used), out);
  }
  for (const { word } of use.operands) url(word, out);
}

function wget(use: Use, out: Out): void {
  for (const used of usedOf(use, "execute")) {
    const sign = prefix(valueOf(used)).indexOf("=");
    if (sign >= 0 && /proxy\s{0,8}=/i.test(prefix(valueOf(used)))) network(out, hostOf(after(valueOf(used), sign + 1)));
  }
  if (uses(use, "input-file config")) network(out, undefined);
  for (const { word } of use.operands) url(word, out);
  if (uses(use, "output-document spider")) return;
  const folder = usedOf(use, "directory-prefix")[0]?.value ?? known(".");
  if (uses(use, "recursive mirror input-file content-disposition trust-server-names x p protocol-directories default-page"))
    file(out, "write", folder, { below: true });
  for (const { word } of use.operands) writeDownload(folder, word, out);
}

// `EXEC:`, `SYSTEM:` and `SHELL:` run; `OPEN:` and its like are files.
function socat(use: Use, out: Out): void {
  for (const { at, word } of use.operands) {
    for (const part of (word.text ?? "EXEC:").split("!!")) {
      const [, kind = "", rest = ""] = /^([A-Za-z0-9-]{0,32}):?([\s\S]*)$/.exec(part) ?? [];
      if (/^(exec|system|shell)/i.test(kind)) {
        const comma = rest.indexOf(",");
        if (word.text === undefined) inlineCode(out, at, "address of `socat` that is only known when it runs");
        else runScript(out, at, known(comma < 0 ? rest : rest.slice(0, comma)));
      } else if (/^(open|creat|file|gopen|pipe|unix)/i.test(kind)) {
        hazard(out, at, "write");
        file(out, "write", known(rest.split(",")[0] ?? rest));
      } else if (kind !== "-" && !/^(stdio|stdin|stdout|fd|pty|readline)/i.test(kind)) network(out, hostOf(known(rest)));
    }
  }
}

function netcat(use: Use, out: Out): void {
  const [host] = use.operands;
  network(out, uses(use, "listen") || host === undefined ? undefined : hostOf(host.word));
}

function ip(use: Use, out: Out): void {
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
    /^(a|ad|add|d|de|del|delete|s|se|set|c|ch|change|r|re|replace|flush|f|append|up|down)$/.test(word.text ?? ""),
  );
  if (change !== undefined && words.indexOf(change) > 0) hazard(out, change.at, "configure");
}

// What is told there, or kept there, is in a file.
function filesOfGh(use: Use, first: Use["operands"][number] | undefined, out: Out): void {
  const name = first?.word.text ?? "";
  if (name === "api") return;
  for (const { option, value } of usedOf(use, "field")) {
    const is = /^(?:-F|--body-file)$/.test(option.spelled) || (option.spelled === "-f" && /^(?:secret|variable)$/.test(name));
    if (is && value !== undefined && value.text !== "-") file(out, "read", value);
  }
}

function gh(use: Use, out: Out): void {
  const [first, second] = use.operands;
  network(out, undefined);
  const name = `${first?.word.text ?? ""} ${second?.word.text ?? ""}`;
  const expansion = use.operands[3];
  if (name === "alias set" && expansion !== undefined) {
    hazard(out, expansion.at, "configure");
    runScript(out, expansion.at, prefix(expansion.word).startsWith("!") ? after(expansion.word, 1) : expansion.word);
  } else if (
    /^(extension|ext|alias|config|secret|auth) (install|create|exec|import|set|delete|remove|upgrade|login|logout|refresh)/.test(name) &&
    second !== undefined
  )
    hazard(out, second.at, "configure");
  else if (/^(codespace|cs) ssh/.test(name) && use.operands.length > 2) {
    const rest = use.operands.slice(2);
    runScript(out, rest[0]?.at ?? 0, joined(rest.map(({ word }) => word)), { remote: true });
  } else if (first?.word.text === "api") {
    for (const used of usedOf(use, "field")) {
      hazard(out, used.at, "send");
      const mark = prefix(valueOf(used)).indexOf("=@");
      if (mark >= 0) file(out, "read", after(valueOf(used), mark + 2));
    }
  }
  filesOfGh(use, first, out);
  strangers(use, out);
  for (const { at, value } of usedOf(use, "method")) if (!/^(GET|HEAD)$/i.test(value?.text ?? "")) hazard(out, at, "send");
  if (second === undefined) return;
  if (/^(delete|close|archive|lock)$/.test(second.word.text ?? "")) hazard(out, second.at, "delete");
  // Files go there.
  if (/^(gist (create|edit|new)|release (create|upload|new))$/.test(name)) {
    hazard(out, second.at, "send");
    for (const { word } of use.operands.slice(2)) file(out, "read", word);
  }
}

const CURL = `-a,--append --abstract-unix-socket= --alt-svc=write!w --anyauth --aws-sigv4= --basic --ca-native --cacert=read --capath=read -E,--cert=read --cert-status --cert-type= --ciphers= --compressed
  --compressed-ssh -K,--config=load!l --connect-timeout= --connect-to=!c -C,--continue-at= -b,--cookie= -c,--cookie-jar=write!w --create-dirs --create-file-mode= --crlf --crlfile=read --curves= -d,--data=
  --data-ascii,--data= --data-binary,--data= --json,--data= --data-raw=!s --data-urlencode,--data= --delegation= --digest -q,--disable --disable-eprt --disable-epsv --disallow-username-in-url --dns-interface=
  --dns-ipv4-addr= --dns-ipv6-addr= --dns-servers= --doh-cert-status --doh-insecure --doh-url=url -D,--dump-header=write!w --ech= --egd-file=read --engine=load!l --etag-compare=read --etag-save=write!w
  --expect100-timeout= -f,--fail --fail-early --fail-with-body --false-start -F,--form= --form-escape --form-string=!s --ftp-account= --ftp-alternative-to-user= --ftp-create-dirs --ftp-method= --ftp-pasv
  -P,--ftp-port= --ftp-pret --ftp-skip-pasv-ip --ftp-ssl-ccc -G,--get -g,--globoff --happy-eyeballs-timeout-ms= --haproxy-protocol -I,--head -H,--header= -h,--help? --hostpubmd5= --hostpubsha256= --hsts=write!w
  --http0.9 -0,--http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --ignore-content-length -i,--include -k,--insecure --interface= --ip-tos= -4,--ipv4 -6,--ipv6 --ipfs-gateway=url -j,--junk-session-cookies
  --keepalive-time= --key=read --key-type= --krb= --libcurl=write!w --limit-rate= -l,--list-only --local-port= -L,--location --location-trusted --login-options= --mail-auth= --mail-from= --mail-rcpt= -M,--manual
  --max-filesize= --max-redirs= -m,--max-time= --metalink --negotiate -n,--netrc --netrc-file=read --netrc-optional -:,--next --no-alpn -N,--no-buffer --no-clobber --no-keepalive --no-progress-meter --noproxy= --ntlm
  --oauth2-bearer= -o,--output=write!w --output-dir=write!w -Z,--parallel --parallel-max= --pass= --path-as-is --pinnedpubkey= --post301 --post302 --post303 --preproxy=url -#,--progress-bar --proto= --proto-default=
  --proto-redir= -x,--proxy=url!c --proxy-anyauth --proxy-cacert=read --proxy-cert=read --proxy-header= --proxy-insecure --proxy-key=read --proxy-user= -U= --proxy1.0=url!c -p,--proxytunnel --pubkey=read
  -Q,--quote=!w --random-file=read -r,--range= --rate= --raw -e,--referer= -J,--remote-header-name -O,--remote-name!w --remote-name-all!w -R,--remote-time --remove-on-error -X,--request= --request-target=
  --resolve=!c --retry= --retry-all-errors --retry-connrefused --retry-delay= --retry-max-time= --sasl-authzid= --service-name= -S,--show-error -s,--silent --socks4=url --socks4a=url --socks5=url
  --socks5-hostname=url -Y,--speed-limit= -y,--speed-time= --ssl --ssl-reqd --stderr=write!w --styled-output --suppress-connect-headers --tcp-fastopen --tcp-nodelay -t,--telnet-option= --tftp-blksize= -z,--time-cond=
  --tls-max= --tls13-ciphers= -1 -2 -3 --tr-encoding --trace=write!w --trace-ascii=write!w --trace-config= --trace-ids --trace-time --unix-socket=write!c -T,--upload-file=read!s --url=url --url-query= -B,--use-ascii
  -u,--user= -A,--user-agent= --variable=!l -v,--verbose -V,--version -w,--write-out= --xattr`;

const WGET = `-V,--version -h,--help -b -e,--execute=code!r -o,--output-file=write!w -a,--append-output=write!w -d -q -v -nv --report-speed= -i,--input-file=read!l -F -B,--base= --config=load!l --no-config
  --rejected-log=write!w -t,--tries= --retry-on-http-error= -O,--output-document=write!w -nc -c --start-pos= --progress= -N -S --spider -T,--timeout= --dns-timeout= --connect-timeout= --read-timeout= -w,--wait=
  --waitretry= --random-wait --no-proxy -Q= --bind-address= --limit-rate= --no-dns-cache --restrict-file-names= -4 -6 --prefer-family= --user= --password= --ask-password --use-askpass=prog!r -nd -x -nH
  --protocol-directories -P,--directory-prefix=write!w --cut-dirs= --http-user= --http-password= --no-cache --default-page= -E --ignore-length --header= --compression= --max-redirect= --proxy-user= --proxy-password=
  --referer= --save-headers -U,--user-agent= --no-cookies --load-cookies=read --save-cookies=write!w --keep-session-cookies --post-data=!s --post-file=read!s --method= --body-data=!s --body-file=read!s
  --content-disposition --content-on-error --trust-server-names --auth-no-challenge --secure-protocol= --no-check-certificate --certificate=read --private-key=read --ca-certificate=read --ca-directory=read
  --crl-file=read --hsts-file=write!w --ftp-user= --ftp-password= --warc-file=write!w --warc-header= --warc-tempdir=write -r,--recursive -l,--level= --delete-after!d -k -K -m,--mirror -p -A,--accept= -R,--reject=
  --accept-regex= --reject-regex= -D,--domains= --exclude-domains= --follow-tags= --ignore-tags= -H -L -I= -X= -np`;

const LOOKUP: Spec = { network: true, operands: "data*" };
const FTP: Spec = {
  network: true,
  more: (_, out) => {
    if (out.input.kind !== "inherited") unknown(out, "inline_code", "commands in the input of `ftp`");
  },
};

/** Programs that talk to other machines. */
export const NETWORK: Readonly<Record<string, Spec>> = {
  ...SSH,
  curl: { options: CURL, inert: "version manual", more: curl },
  wget: { options: WGET, inert: "version help", more: wget },
  wget2: { options: WGET, inert: "version help", more: wget },
  aria2c: {
    options:
      "-o,--out=write!w -d,--dir=write!w -i,--input-file=read!l --conf-path=load!l --on-download-complete=prog!r --on-download-start=prog!r --on-download-stop=prog!r --on-download-error=prog!r -l,--log=write!w",
    operands: "url*",
  },
  http: { options: "-o,--output=write!w -d --session=write!w -f -j -v -h -b --timeout= -a= -A= --verify= --cert=read", network: true },
  https: { options: "-o,--output=write!w", network: true },
  xh: { options: "-o,--output=write!w", network: true },
  lynx: { options: "-cfg=load!l -cmd_script=load!l -dump -source", operands: "url*" },
  w3m: { options: "-o=!c -config=load!l -dump", operands: "url*" },
  nc: {
    options:
      "-4 -6 -b -C -c?script!r -D -d -e=prog!r -F -G= -g= -h -I= -i= -k -l,--listen -M= -m= -N -n -O= -o=write!w -P= -p= -q= -r -S -s= -T= -t -U -u -V= -v -W= -w= -X= -x=host -Z= -z --exec=prog!r --sh-exec=script!r --lua-exec=load!l --ssl --output=write!w --proxy=host",
    more: netcat,
  },
  ncat: {
    options:
      "-c,--sh-exec=script!r -e,--exec=prog!r --lua-exec=load!l -l,--listen -p,--source-port= -o,--output=write!w -x,--hex-dump=write!w -w= -i= -u -k -n -v --ssl --proxy=host --proxy-type= --allow= --deny=",
    more: netcat,
  },
  netcat: { options: "-c?script!r -e=prog!r -l,--listen -p= -o=write!w -w= -i= -q= -s= -u -v -z -n", more: netcat },
  socat: {
    options: "-d -D -v -x -u -U -s -t= -T= -b= -L=write -W=write -lf=write!w -ls -ly -lm -lp= -r=write!w -R=write!w -4 -6 -V -h",
    more: socat,
  },
  openssl: {
    subs: {
      version: {},
      rand: { options: "-out=write!w -hex -base64 -engine=load!l -rand=read -writerand=write!w" },
      s_client: {
        options:
          "-connect=host -host=host -port= -cert=read -key=read -CAfile=read -servername= -proxy=host -starttls= -engine=load!l -keylogfile=write!w -sess_out=write!w -quiet -showcerts",
        network: true,
      },
      s_server: { options: "-www -WWW -HTTP -port= -accept= -cert=read -key=read -engine=load!l", network: true },
      req: {
        options:
          "-in=read -out=write!w -keyout=write!w -config=load!l -engine=load!l -key=read -new -x509 -nodes -newkey= -days= -subj= -noout -text",
      },
      "*": {
        options:
          "-in=read -out=write!w -keyout=write!w -config=load!l -engine=load!l -provider=load!l -provider-path=load!l -inkey=read -key=read -CAfile=read -CA=read -pass= -passin=",
        operands: "read*",
      },
    },
  },
  gh: {
    options:
      "-f,--raw-field,--field= -F,--field= --input=read!s -X,--method= -H= -R,--repo= -t= -b,--body= -q= --jq= --title= -F,--body-file,--field= --hostname= -O,--output=write!w -D,--dir=write!w --json= --template= -L,--limit= -s,--state= -l,--label= -a,--assignee= -A,--author= -w,--workflow= --log --log-failed -p,--pattern= -n,--notes= --notes-file=read --env-file=read --web",
    more: gh,
  },
  glab: { network: true },
  ping: LOOKUP,
  ping6: LOOKUP,
  dig: { options: "-f=read!l -b= -p= -q= -t= -x= -y= -k=read", network: true },
  host: LOOKUP,
  nslookup: LOOKUP,
  traceroute: LOOKUP,
  tracepath: LOOKUP,
  mtr: LOOKUP,
  whois: LOOKUP,
  ftp: FTP,
  lftp: { options: "-e=code!r -c=code!r -f=load!l -u= -p=", ...FTP },
  tftp: FTP,
  nmap: {
    options:
      "--script=load!l --script-args= -oN=write!w -oX=write!w -oG=write!w -oA=write!w -oS=write!w -iL=read!l --datadir=load!l --resume=read -p= --interactive!r",
    operands: "host*",
  },
  tcpdump: { options: "-z=prog!r -w=write!w -r=read -F=read!l -V=read!l -i= -c= -C= -G= -W= -s= -Z=", network: true },
  tshark: { options: "-w=write!w -r=read -X=load!l -i= -c= -f= -Y= -T= -e=", network: true },
  ip: { options: "-b,-batch=read!l -force -n,-netns= -4 -6 -s -d -o -j -p -c? -br -all", posix: true, more: ip },
  ifconfig: {},
  netstat: {},
  ss: { options: "-K!d -D=write!w -F=read -f= -A=" },
  arp: { options: "-d!d -s!c -f=read!c" },
  rclone: { options: "--config=load!l --password-command=prog!r --log-file=write!w", network: true, operands: "data remote*" },
  mail: {
    options: "-s= -a=read!s -A=read!s -c= -b= -r= -S=code!r -f=read",
    network: true,
    more: (use, out) => use.operands.slice(0, 1).forEach(({ at }) => hazard(out, at, "send")),
  },
  sendmail: { options: "-C=load!l -X=write!w -f= -F= -t -i -o= -bs -bp", network: true, more: (_, out) => hazard(out, 0, "send") },
};
