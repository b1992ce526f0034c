/** A part of a text, from `start` up to but excluding `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The longest quoted secret, in characters, whose end is searched. */
const QUOTED = 1_024;

// A fast test, because most texts contain none of this. It is linear, like everything below: repetitions are bounded, or begin only at
// the start of a word.
const HINT =
  /A[KSBCR][IOC]A|AIDA|gh[pousr]_|github_pat|gl[a-z]{2,5}-|xox|xapp|slack|[sr]k[_-]|whsec|npm_|AIza|ya29|gocspx|pypi-|hf_|SG\.|dop_|dckr|AGE-|shp|eyJ|BEGIN|pass|pwd|secret|token|key|credential|auth|bearer|:\/\/|-u[ =]|-user/i;

// Tokens that can be recognized by their form.
const TOKENS: readonly RegExp[] = [
  /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  /gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}/g,
  /gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas|ffct)-[A-Za-z0-9_.-]{20,}/g,
  /xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}|hooks\.slack\.com\/[a-z]{3,12}\/[A-Za-z0-9/_-]{20,}/g,
  /(?<![A-Za-z0-9])[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{20,}/g,
  /(?<![A-Za-z0-9])sk-(?=[A-Za-z0-9_-]{0,64}\d)[A-Za-z0-9_-]{20,}|sk-ant-[A-Za-z0-9_-]{20,}/g,
  /npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{50,}|(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}|dckr_pat_[A-Za-z0-9_-]{20,}/g,
  /AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}|dop_v1_[a-f0-9]{64}|shp[a-z]{2}_[a-fA-F0-9]{32}/g,
  /(?<![A-Za-z0-9_-])SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}|AGE-SECRET-KEY-1[A-Z0-9]{50,}/g,
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*){0,2}/g,
];

const STRONG =
  "password|passwd|passphrase|secret|secret[_-]?key(?:[_-]?base)?|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?token|[a-z]-token";
const ANY = `${STRONG}|pass|pwd|token|credentials?`;
const QUOTES = "[\"'`\\\\]{0,4}";

// Texts that announce a secret. The secret reaches from there to its closing quote, or to the end of the word.
const LEADS: readonly RegExp[] = [
  new RegExp(`(?:${STRONG})\\d{0,3}${QUOTES}[ \\t]{0,4}(?:=>?|:=?)(?!=)[ \\t]{0,4}`, "gi"),
  new RegExp(
    `(?:${ANY})\\d{0,3}${QUOTES}(?:=>?(?!=)|[ \\t]{0,4}(?::=|=>?)[ \\t]{0,4}(?=["'\`\\\\]))`,
    "gi",
  ),
  new RegExp(`(?:${ANY})\\d{0,3}["'\`\\\\]{1,4}[ \\t]{0,4}:[ \\t]{0,4}`, "gi"),
  new RegExp(`(?<![\\w-])--?(?:[a-z0-9]{1,20}-){0,3}(?:${ANY})[ \\t]{1,4}(?!-)`, "gi"),
  /(?<![\w-])sshpass[ \t]{1,4}-p[ \t]{0,4}/gi,
  /\bbearer[ \t]{1,4}(?=["'`\\]{0,2}[A-Za-z0-9._~+/=-]{12})/gi,
];
const AUTHORIZATION = /authorization["'`\\]{0,4}[ \t]{0,4}[:=][ \t]{0,4}["'`\\]{0,4}/gi;
const SCHEME = /[A-Za-z][A-Za-z0-9-]{1,20}[ \t]{1,4}/y;
const WORD = /[^\s"'`\\;&|<>()]+/y;
const URLS: readonly RegExp[] = [
  /:\/\/[^\s/?#@"'`:]{0,128}:([^\s/?#"'`]{1,256})@/g,
  /:\/\/([^\s/?#@"'`:]{20,256})@/g,
  /(?<![\w-])(?:-u|--user|--proxy-user)[ =]{1,2}["']?[^\s:"'/]{1,64}:(?!\d+(?![^\s"']))([^\s"']+)/g,
];

// Texts that replace a secret: a reference to one, a type, nothing.
const NO_SECRET =
  /^(?:\[redacted .*|\$[A-Za-z_]\w*|\$?\{+[^{}]*\}+|\$\{\{.*|\$\(.*|%\w+%|<[^<>]*>|\*+|x+|\.+|true|false|null|none|nil|undefined|(?:string|number|boolean|any|unknown|str|int)[,;)\]}?]*|\d{1,5}|(?:process\.env|os\.environ|import\.meta|env|secrets|vars|self|this)\.?[\w.[\]]*|[[{(,;].*)$/i;
const CALL = /[A-Za-z_$][\w$.]{0,80}[([]/y;

// Like STRONG, but at the end of a name such as DB_PASSWORD or awsSecretAccessKey. Names of one word are left to the paths of the
// options.
const SECRET_KEY =
  /(?:.(?:password|passwd|passphrase|secret)|(?:secret|api|access|private)[_-]?key(?:[_-]?base)?|(?:auth|access|refresh)[_-]?token)\d{0,3}$/is;

/** Whether a text's key names a secret. */
export const isSecretMember = (key: string, value: unknown): value is string =>
  typeof value === "string" &&
  value !== "" &&
  SECRET_KEY.test(key) &&
  !NO_SECRET.test(value.slice(0, 256));

/** The secrets in a text that can be recognized by their form. Linear in the length of the text. */
export function findSecrets(text: string): readonly Span[] {
  if (text.length < 6 || !HINT.test(text)) return [];
  const spans: Span[] = [];
  const add = (start: number, end: number): void => {
    if (end > start && !NO_SECRET.test(text.slice(start, Math.min(end, start + 256))))
      spans.push({ start, end });
  };
  keyBlocks(text, spans);
  for (const form of TOKENS)
    for (const { 0: token, index } of text.matchAll(form))
      spans.push({ start: index, end: index + token.length });
  for (const lead of LEADS) {
    behindEach(lead, text, (start) => {
      const span = valueAt(text, start);
      add(span.start, span.end);
      return span.end;
    });
  }
  behindEach(AUTHORIZATION, text, (start) => {
    const end = wordEnd(text, schemeEnd(text, start));
    add(start, end);
    return end;
  });
  for (const url of URLS) {
    for (const { 0: whole, 1: secret = "", index } of text.matchAll(url)) {
      const start = index + whole.lastIndexOf(secret);
      add(start, start + secret.length);
    }
  }
  return merged(spans);
}

/** Sorts spans and joins those that touch. */
export function merged(spans: readonly Span[]): readonly Span[] {
  if (spans.length < 2) return spans;
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

function keyBlocks(text: string, spans: Span[]): void {
  const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
  for (let found = begin.exec(text); found !== null; found = begin.exec(text)) {
    const close = text.indexOf("-----END", begin.lastIndex);
    // If the key is cut off, all of the rest may belong to it.
    const dashes = close === -1 ? -1 : text.indexOf("-----", close + 8);
    const end = dashes === -1 ? text.length : dashes + 5;
    spans.push({ start: found.index, end });
    begin.lastIndex = end;
  }
}

// Continues after each find, so that a word with a thousand beginnings is read once.
function behindEach(lead: RegExp, text: string, read: (start: number) => number): void {
  lead.lastIndex = 0;
  while (lead.test(text)) lead.lastIndex = Math.max(lead.lastIndex, read(lead.lastIndex));
}

function valueAt(text: string, from: number): Span {
  let start = from;
  while (text[start] === "\\") start += 1;
  const quote = text[start];
  if (quote !== '"' && quote !== "'" && quote !== "`") {
    CALL.lastIndex = from;
    return { start: from, end: CALL.test(text) ? from : wordEnd(text, from) };
  }
  // In a text within a text, the closing quote has as many backslashes as the opening one.
  const open = text.slice(from, start + 1);
  const first = start + 1;
  const near = text.slice(first, first + QUOTED);
  let close = near.indexOf(open);
  while (close !== -1 && open.length === 1 && isEscaped(near, close))
    close = near.indexOf(open, close + 1);
  return { start: first, end: close === -1 ? wordEnd(text, first) : first + close };
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}

function wordEnd(text: string, start: number): number {
  WORD.lastIndex = start;
  return WORD.test(text) ? WORD.lastIndex : start;
}

function schemeEnd(text: string, start: number): number {
  SCHEME.lastIndex = start;
  return SCHEME.test(text) ? SCHEME.lastIndex : start;
}
