import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { z } from "@hono/zod-openapi";
import type { JsonObject } from "@bylaw/kernel";
import { problem } from "../http/problem.ts";
import { defineRoute, type Route } from "../http/route.ts";
import type { Service } from "../service/service.ts";

const decompressed = promisify(brotliDecompress);

/** The page may load only files of this server, and run only scripts in them. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
} as const;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Bylaw: the interface</title>
    <link rel="stylesheet" href="docs/swagger-ui.css" />
  </head>
  <body>
    <div id="reference"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;
// Nothing that is typed into the page to try a request is stored.
const START = `SwaggerUIBundle({ url: "openapi.json", dom_id: "#reference", deepLinking: true, persistAuthorization: false, validatorUrl: null });
`;

const TYPES = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "start.js": "text/javascript; charset=utf-8",
} as const;
type File = keyof typeof TYPES;

// The build puts it there, for both the sources and the built files.
const REFERENCE = new URL("../../dist/reference/", import.meta.url);

/** The text of a file, read once. */
const files = new Map<File, Promise<string>>();
function textOf(file: File): Promise<string> {
  const known =
    files.get(file) ??
    (file === "start.js" ? Promise.resolve(START) : unpacked(new URL(`${file}.br`, REFERENCE)));
  files.set(file, known);
  return known;
}

async function unpacked(file: URL): Promise<string> {
  return (await decompressed(await readFile(file))).toString("utf8");
}

const common = { method: "get", tags: ["server"], callers: ["anyone"] } as const;
const answersOf = (description: string) => ({
  200: { description },
  404: { description: "Turned off by `docs`" },
});

/** Serves the description of the API that `describe` returns, as JSON. */
export const openApiRoute = (describe: () => JsonObject): Route => {
  let described: string | undefined;
  return defineRoute({
    ...common,
    path: "/openapi.json",
    summary: "Describe the routes as OpenAPI 3.1",
    answers: answersOf("OpenAPI 3.1"),
    handle({ service }) {
      checkServed(service);
      described ??= JSON.stringify(describe());
      return sent(described, "application/json", "no-cache");
    },
  });
};

export const getDocs = defineRoute({
  ...common,
  path: "/docs",
  summary: "Describe the routes as a web page",
  answers: answersOf("HTML"),
  handle({ service }) {
    checkServed(service);
    return sent(PAGE, "text/html; charset=utf-8", "no-cache");
  },
});

export const getDocsFile = defineRoute({
  ...common,
  path: "/docs/{file}",
  summary: "Serve a file of that page",
  params: z.strictObject({ file: z.enum(Object.keys(TYPES) as [File, ...File[]]) }),
  answers: answersOf("The file"),
  async handle({ service, params: { file } }) {
    checkServed(service);
    return sent(await textOf(file), TYPES[file], "public, max-age=3600");
  },
});

const sent = (text: string, type: string, cache: string): Response =>
  new Response(text, { headers: { ...HEADERS, "content-type": type, "cache-control": cache } });

function checkServed({ settings }: Service): void {
  if (settings.docs) return;
  throw problem({
    status: 404,
    code: "BYLAW_ROUTE_UNKNOWN",
    detail: "There is nothing at this path",
    fix: "The setting `docs` turns the description of the interface off.",
  });
}
