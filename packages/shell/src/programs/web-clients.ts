import type { Spec } from "./program-spec.ts";
import type { Word } from "../analysis.ts";
import { hostOf, hostsOf } from "./hosts.ts";
import { file, hazard, network, type Findings } from "./findings.ts";
import { optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { ParsedArgs } from "./program-spec.ts";
import { after, known, prefix } from "./word-text.ts";
import { writeDownload } from "./written-files.ts";
import { kind, many, options, connects } from "./option-groups.ts";

function url(word: Word, out: Findings): void {
  const start = prefix(word);
  if (/^file:/i.test(start))
    file(out, "read", after(word, /^file:(\/\/)?/i.exec(start)?.[0].length ?? 5));
  else network(out, hostOf(word));
}

const THIS_MACHINE = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;
const HTTP = String.raw`(?:https?:\/\/)?(?:localhost|127\.0\.0\.1)`;
const PLAIN = new RegExp(String.raw`^${HTTP}(?::\d{1,5})?(?:[/?#][^\\]*)?$`, "i");
// `kubectl proxy`, MySQL, etcd, the old port of Docker, Nomad, InfluxDB, YARN and Couchbase.
const ADMINISTRATION = "(?:8001|3306|4001|4243|4646|8086|8088|8091)(?!\\d)";
// The usual ports of a server that is being developed.
const DEVELOPED = new RegExp(
  String.raw`^${HTTP}:(?!${ADMINISTRATION})(?:[34]\d{3}|5[01]\d{2}|8[08]\d{2})(?:[/?#][^\\]*)?$`,
  "i",
);

// The URL as far as it is known, if that includes the whole host.
function startOf(word: Word): string {
  const start = word.text ?? prefix(word);
  return word.text === undefined && !/[^:/][/?#]/.test(start) ? "" : start;
}

// Other schemes, such as `gopher`, send any text to a service.
function notePlain(at: number, word: Word, out: Findings): void {
  if (!PLAIN.test(startOf(word)) && THIS_MACHINE.test(hostOf(word) ?? "")) hazard(out, at, "send");
}

const ROUTES: ReadonlySet<string> = new Set(
  "resolve connect-to dns-servers config unix-socket abstract-unix-socket".split(" "),
);

// `host:port:address` or `host:port:other:port`. An options file or a socket may redirect it anywhere.
function routed(name: string, value: Word): readonly (string | undefined)[] {
  if (value.text === undefined || !/^(?:resolve|connect-to|dns-servers)$/.test(name))
    return [undefined];
  if (name === "dns-servers") return hostsOf(value);
  const target = /^[^:]{0,1024}:\d{0,5}:([^]*)$/.exec(value.text)?.[1] ?? "";
  if (target === "") return [];
  return name === "resolve"
    ? target.split(",").map(address)
    : [address(target.replace(/:\d{0,5}$/, ""))].filter((host) => host !== "");
}

function address(text: string): string {
  return text.replace(/^\[|\]$/g, "").toLowerCase();
}

// Several files, a file in quotes, or a file of headers.
const FORM_OF_MORE = /=[@<(][^]*[",]|;\s*headers/i;
// With these a local address leads elsewhere, or a password goes along.
const NOT_PLAIN: ReadonlySet<string> = new Set(
  "netrc netrc-optional proto-default request-target".split(" "),
);

// Text that may name a file in its unknown part.
const mayNameFile = (name: string, value: Word, start: string): boolean =>
  value.text === undefined && (start === "" || name === "form" || !start.includes("="));

// Any server may answer with the address of another one.
const redirected = (out: Findings): void => network(out, undefined);

// Sends the content of `@file`, or the text itself.
function curl(use: ParsedArgs, out: Findings): void {
  const urls = [
    ...use.operands,
    ...optionsNamed(use, "url").map((used) => ({ at: used.at, word: valueOf(used) })),
  ];
  for (const { at, word } of urls) notePlain(at, word, out);
  const follows = hasOption(use, "location location-trusted");
  if (follows) redirected(out);
  // What is sent to a server of the project stays here, unless the server names another one.
  const stays =
    urls.length > 0 && urls.every(({ word }) => DEVELOPED.test(startOf(word))) && !follows;
  const methods = stays ? /^(?:GET|HEAD|OPTIONS|POST|PUT|PATCH)$/ : /^(?:GET|HEAD|OPTIONS)$/;
  for (const { option, at, value } of use.options) {
    if (NOT_PLAIN.has(option.name)) hazard(out, at, "send");
    if (value === undefined) continue;
    const start = prefix(value);
    if (ROUTES.has(option.name)) for (const host of routed(option.name, value)) network(out, host);
    else if (option.name === "data-raw" || option.name === "form-string") {
      if (!stays) hazard(out, at, "send");
    } else if (option.name === "data" || option.name === "form" || option.name === "url-query") {
      if (!stays || (option.name === "form" && FORM_OF_MORE.test(start))) hazard(out, at, "send");
      const mark = option.name === "form" ? start.search(/=[@<]/) + 1 : start.indexOf("@");
      if (start[mark] === "@" || start[mark] === "<") file(out, "read", after(value, mark + 1));
      else if (mayNameFile(option.name, value, start)) file(out, "read", value);
    } else if (option.name === "header" || option.name === "write-out") {
      if (start.startsWith("@")) {
        hazard(out, at, "send");
        file(out, "read", after(value, 1));
      } else if (start.includes("%output")) hazard(out, at, "write");
    } else if (option.name === "cookie" && !start.includes("=")) file(out, "read", value);
    else if (option.name === "request" && !methods.test(value.text ?? "")) hazard(out, at, "send");
  }
  if (hasOption(use, "remote-name remote-name-all")) {
    const folder = optionsNamed(use, "output-dir")[0]?.value ?? known(".");
    // The server may choose the file name.
    if (hasOption(use, "remote-header-name config")) file(out, "write", folder, { below: true });
    for (const { word } of use.operands) writeDownload(folder, word, out);
    for (const used of optionsNamed(use, "url")) writeDownload(folder, valueOf(used), out);
  }
  for (const { word } of use.operands) url(word, out);
}

function wget(use: ParsedArgs, out: Findings): void {
  for (const used of optionsNamed(use, "execute")) {
    const sign = prefix(valueOf(used)).indexOf("=");
    if (sign >= 0 && /proxy\s{0,8}=/i.test(prefix(valueOf(used))))
      network(out, hostOf(after(valueOf(used), sign + 1)));
  }
  if (hasOption(use, "input-file config")) network(out, undefined);
  const redirects = optionsNamed(use, "max-redirect").at(-1)?.value?.text;
  if (use.operands.length > 0 && redirects !== "0") redirected(out);
  for (const { at, word } of use.operands) {
    notePlain(at, word, out);
    url(word, out);
  }
  if (hasOption(use, "output-document spider")) return;
  const folder = optionsNamed(use, "directory-prefix")[0]?.value ?? known(".");
  if (
    hasOption(
      use,
      "recursive mirror input-file content-disposition trust-server-names x p protocol-directories default-page",
    )
  )
    file(out, "write", folder, { below: true });
  for (const { word } of use.operands) writeDownload(folder, word, out);
}

const CURL = options`-a,--append --anyauth --basic --ca-native --compressed --compressed-ssh --create-dirs --crlf --digest -q,--disable
  --disable-eprt --disable-epsv --disallow-username-in-url --doh-cert-status --doh-insecure -f,--fail --fail-early --fail-with-body
  --false-start -G,--get -g,--globoff --http0.9 -0,--http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --ignore-content-length
  -i,--include -k,--insecure -l,--list-only --negotiate -n,--netrc -:,--next --no-alpn -N,--no-buffer --no-clobber --no-keepalive
  --no-progress-meter --ntlm -Z,--parallel --path-as-is --post301 --post302 --post303 --proxy-anyauth --proxy-insecure -p,--proxytunnel
  -R,--remote-time --remove-on-error --styled-output --suppress-connect-headers --tcp-fastopen --tcp-nodelay -1 -2 -3 --tr-encoding
  --trace-ids --trace-time -B,--use-ascii -v,--verbose -V,--version --xattr ${kind.value} --abstract-unix-socket --aws-sigv4 --ciphers
  --connect-timeout -C,--continue-at -b,--cookie --create-file-mode --curves -d,--data --data-ascii,--data --data-binary,--data
  --json,--data --data-urlencode,--data --delegation --dns-interface --dns-ipv4-addr --dns-ipv6-addr --dns-servers --ech
  --expect100-timeout -F,--form --ftp-account --ftp-alternative-to-user --ftp-method --happy-eyeballs-timeout-ms --hostpubmd5
  --hostpubsha256 --interface --ip-tos --keepalive-time --key-type --krb --limit-rate --local-port --login-options --mail-auth --mail-from
  --mail-rcpt --max-filesize --max-redirs -m,--max-time --noproxy --oauth2-bearer --parallel-max --pass --pinnedpubkey --proxy-header
  --proxy-user -U -X,--request --request-target --retry --sasl-authzid --service-name -Y,--speed-limit -y,--speed-time -t,--telnet-option
  --tftp-blksize -z,--time-cond --tls-max --tls13-ciphers --trace-config -u,--user -A,--user-agent -w,--write-out ${kind.write} --alt-svc
  --hsts --libcurl -o,--output --output-dir --stderr --trace --trace-ascii ${kind.read} --cacert --capath -E,--cert --crlfile --egd-file
  --etag-compare --key --netrc-file --proxy-cacert --proxy-cert --proxy-key --pubkey --random-file ${kind.flag} --cert-status
  --form-escape --ftp-create-dirs --ftp-pasv --ftp-pret --ftp-skip-pasv-ip --ftp-ssl-ccc --haproxy-protocol -I,--head -4,--ipv4 -6,--ipv6
  -j,--junk-session-cookies -L,--location --location-trusted -M,--manual --metalink --netrc-optional --raw --retry-all-errors
  --retry-connrefused -S,--show-error -s,--silent --ssl --ssl-reqd ${kind.value} --cert-type -P,--ftp-port -H,--header -r,--range --rate
  -e,--referer --retry-delay --retry-max-time ${kind.load} -K,--config --engine ${kind.valueThat("configure")} --connect-to ${kind.write}
  -c,--cookie-jar --etag-save ${kind.value} --data-raw --form-string ${kind.takes("url")} --doh-url --ipfs-gateway --preproxy
  --socks4 --socks4a --socks5 --socks5-hostname --url ${kind.write} -D,--dump-header ${kind.optional} -h,--help ${kind.flag}
  -#,--progress-bar -J,--remote-header-name ${kind.value} --proto --proto-default --proto-redir --url-query
  ${kind.takes("url", "configure")} -x,--proxy --proxy1.0 ${kind.valueThat("write")} -Q,--quote ${kind.flagThat("write")} -O,--remote-name
  --remote-name-all ${kind.valueThat("configure")} --resolve ${kind.takes("write", "configure")} --unix-socket
  ${kind.takes("read", "send")} -T,--upload-file ${kind.valueThat("load")} --variable`;

const WGET = options`-V,--version -h,--help -b -d -q -v -nv -F --no-config -nc -c -N -S --random-wait --no-proxy --no-dns-cache -4 -6
  --ask-password -nd -x -nH --no-cache -E --ignore-length --no-cookies --keep-session-cookies --content-disposition --content-on-error
  --auth-no-challenge --no-check-certificate -r,--recursive -k -K -p -H -L -np ${kind.code} -e,--execute ${kind.write} -o,--output-file
  -a,--append-output --rejected-log -O,--output-document -P,--directory-prefix --save-cookies --hsts-file --warc-file ${kind.value}
  --report-speed -B,--base -t,--tries --retry-on-http-error --start-pos --progress -T,--timeout --dns-timeout --connect-timeout
  --read-timeout -w,--wait --waitretry -Q --bind-address --limit-rate --restrict-file-names --prefer-family --user --password --cut-dirs
  --http-user --http-password --default-page --header --compression --max-redirect --proxy-user --proxy-password --referer -U,--user-agent
  --secure-protocol --ftp-user --ftp-password --warc-header -l,--level -A,--accept -R,--reject --accept-regex --reject-regex
  -D,--domains --exclude-domains --follow-tags --ignore-tags -I -X ${kind.takes("read", "load")} -i,--input-file ${kind.load} --config
  ${kind.flag} --spider --protocol-directories --save-headers --trust-server-names -m,--mirror ${kind.script} --use-askpass ${kind.read}
  --load-cookies --certificate --private-key --ca-certificate --ca-directory --crl-file ${kind.valueThat("send")} --post-data --body-data --method
  ${kind.takes("read", "send")} --post-file --body-file ${kind.write} --warc-tempdir ${kind.flagThat("delete")} --delete-after`;

export const WEB_CLIENTS: Readonly<Record<string, Spec>> = {
  curl: { options: CURL, inert: "version manual", more: curl },
  wget: { options: WGET, inert: "version help", more: wget },
  wget2: { options: WGET, inert: "version help", more: wget },
  aria2c: {
    options: options`${kind.write} -o,--out -d,--dir -l,--log ${kind.takes("read", "load")} -i,--input-file ${kind.load} --conf-path
      ${kind.script} --on-download-complete --on-download-start --on-download-stop --on-download-error`,
    operands: [many("url")],
  },
  http: connects`-d -f -j -v -h -b ${kind.write} -o,--output --session ${kind.value} --timeout -a -A --verify ${kind.read} --cert`,
  https: connects`${kind.write} -o,--output`,
  xh: connects`${kind.write} -o,--output`,
  lynx: { options: options`-dump -source ${kind.load} -cfg -cmd_script`, operands: [many("url")] },
  w3m: {
    options: options`-dump ${kind.valueThat("configure")} -o ${kind.load} -config`,
    operands: [many("url")],
  },
};
