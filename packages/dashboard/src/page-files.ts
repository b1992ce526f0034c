import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

const gunzipped = promisify(gunzip);

/**
 * How a person signs in: with an operator's token, with a code that is shown once, or with an operator's token that is changed into one of
 * the tab, which is kept in its memory alone.
 */
export type Login = "token" | "code" | "operator";

/** The page runs only its own script, loads only from its own server, and is shown in no frame. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-cache",
} as const;

const TYPES = {
  "index.html": "text/html; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "chart.js": "text/javascript; charset=utf-8",
} as const;

/** The files of the page. */
export type PageFile = keyof typeof TYPES;
export const PAGE_FILES = Object.keys(TYPES) as readonly PageFile[];

// The build puts them there, for both the sources and the built files.
const FILES = new URL("../dist/page/", import.meta.url);
const texts = new Map<PageFile, Promise<string>>();

/** Answers with a file of the page. It holds no data, so anybody may have it. */
export async function pageFile(file: PageFile, login: Login): Promise<Response> {
  const known = texts.get(file) ?? read(file);
  texts.set(file, known);
  const text = await known;
  const body =
    file === "index.html"
      ? text.replace('name="bylaw-login" content="token"', `name="bylaw-login" content="${login}"`)
      : text;
  return new Response(body, { headers: { ...HEADERS, "content-type": TYPES[file] } });
}

async function read(file: PageFile): Promise<string> {
  return (await gunzipped(await readFile(new URL(`${file}.gz`, FILES)))).toString("utf8");
}
