import { isJsonObject, type Json, type ToolCall } from "@bylaw/kernel";
import { isData } from "./argument-names.ts";
import type { Identity } from "./mcp.ts";
import type { NetworkPattern } from "./hosts.ts";
import type { ToolTable } from "../compile/tool-table.ts";

/** A text in the arguments of a call that is a URL or host, or may contain URLs. */
interface NamedText {
  readonly text: string;
  /** Whether the argument's name suggests a URL or a host. */
  readonly byName: boolean;
}

type Call = Pick<ToolCall, "args">;

/**
 * Whether an allow covers the other arguments of a network tool: every URL and host in them, at any depth. Text that
 * looks like a URL but cannot be parsed is not covered.
 */
export function othersAllowed(network: NetworkPattern, { args }: Call, argument: string): boolean {
  if (!isJsonObject(args)) return false;
  const budget = new Budget();
  return textsOf(args, (name) => name === argument).every((one) =>
    textAllowed(network, one, budget),
  );
}

function textAllowed(
  network: NetworkPattern,
  { text, byName }: NamedText,
  budget: Budget,
): boolean {
  if (byName || ONE_HOST.test(text)) return network.allows(text) || network.allowsHost(text);
  if (/^\s*(?:[\\/]{2}|www\.)/i.test(text)) return false;
  for (const { start, rest } of urlsIn(text)) {
    const scheme =
      /[a-z0-9+.-]*$/i.exec(text.slice(Math.max(0, start - MAX_SCHEME), start))?.[0] ?? "";
    if (!budget.takes(rest) || !network.allows(`${scheme}${rest}`.replace(/[.,;:!?)\]}]+$/, "")))
      return false;
  }
  return true;
}

const MAX_SCHEME = 32;

// One word such as `api.example.com`, `example.com:8080` or `example.com/x`.
const ONE_HOST =
  /^\s*[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.\p{L}{2,}\.?(?::\d+)?(?:[/?#]\S*)?\s*$/u;

/**
 * Whether a deny or an ask names the host of some URL in any argument. Text that a file tool only writes or searches
 * for does not count.
 */
export function someDenied(
  network: NetworkPattern,
  { args }: Call,
  identity: Identity,
  tools: ToolTable,
): boolean {
  const file = identity.kind === "local" && tools.files.has(identity.bare);
  const argument = tools.network.get(identity.bare);
  const budget = new Budget();
  const own =
    argument !== undefined && isJsonObject(args) && Object.hasOwn(args, argument)
      ? args[argument]
      : undefined;
  if (own !== undefined && network.denies(own)) return true;
  // What a server does with a query is not Bylaw's concern.
  if (
    typeof own === "string" &&
    textDenies(network, /\s/.test(own) ? own : own.replace(/[?#].*$/s, ""), budget)
  )
    return true;
  return textsOf(
    args,
    (name) => name === argument || (file && isData(name, { search: true })),
  ).some(({ text, byName }) => {
    if (byName && !file && (!budget.takes(text) || network.denies(text))) return true;
    if (textDenies(network, text, budget)) return true;
    if (argument === undefined) return false;
    return text
      .split(/[\s"'`<>()]+/)
      .some((word) => word.includes(".") && (!budget.takes(word) || network.denies(word)));
  });
}

/** Whether a deny names the host of some URL in a text. Also true if the text exceeds the limit. */
export function textDenies(
  network: NetworkPattern,
  text: string,
  budget: Budget = new Budget(),
): boolean {
  for (const { rest } of urlsIn(text)) {
    if (!budget.takes(rest)) return true;
    const bare = rest.replace(/^:[\\/]*/, "");
    // In prose, a URL ends earlier than its syntax says.
    for (const one of new Set([bare, bare.replace(/[)\]}>,;|*!].*$/s, "")]))
      if (one !== "" && network.denies(`https://${one}`)) return true;
  }
  return false;
}

/** Limits the text of one call that is read as URLs. A URL inside another counts twice. */
class Budget {
  #left = 1_000_000;

  takes(text: string): boolean {
    this.#left -= text.length + 100;
    return this.#left >= 0;
  }
}

// Finds every URL, from the colon of its scheme up to a space or quote.
function* urlsIn(text: string): Generator<{ readonly start: number; readonly rest: string }> {
  if (!text.includes(":")) return;
  let end = -1;
  for (const { index } of text.matchAll(/:(?=[\\/]{2})|(?<=\b(?:https?|wss?|ftps?)):(?=\S)/gi)) {
    if (index >= end) {
      BREAK.lastIndex = index;
      end = BREAK.exec(text)?.index ?? text.length;
    }
    yield { start: index, rest: text.slice(index, end) };
  }
}

const BREAK = /[\s"'`<>]/g;

// The texts of all arguments at any depth, and the argument names that could be a URL.
function textsOf(args: Json | undefined, skip: (name: string) => boolean): readonly NamedText[] {
  const texts: NamedText[] = [];
  const open: { readonly value: Json; readonly byName: boolean; readonly top: boolean }[] = [
    { value: args ?? null, byName: false, top: true },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, byName, top } = next;
    if (typeof value === "string" || (byName && typeof value === "number")) {
      if (value !== "") texts.push({ text: String(value), byName });
    } else if (Array.isArray(value))
      for (const item of value as readonly Json[]) open.push({ value: item, byName, top: false });
    else if (isJsonObject(value)) {
      for (const [name, item] of Object.entries(value)) {
        if (top && skip(name)) continue;
        if (name.includes(":")) texts.push({ text: name, byName: false });
        open.push({ value: item, byName: byName || namesHost(name), top: false });
      }
    }
  }
  return texts;
}

const HOST_WORDS: ReadonlySet<string> = new Set(
  "url urls uri uris href hrefs host hosts hostname hostnames domain domains proxy proxies endpoint endpoints website mirror".split(
    " ",
  ),
);

function namesHost(name: string): boolean {
  if (name.length > 200) return true;
  const words = name
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/)
    .map((word) => word.toLowerCase().replace(/\d+$/, ""));
  if (/^(?:block|exclud|den|ignor|without|no)/.test(words[0] ?? "")) return false;
  return words.some(
    (word) => HOST_WORDS.has(word) || /(?:url|uri|href|hostname|proxy)s?$/.test(word),
  );
}
