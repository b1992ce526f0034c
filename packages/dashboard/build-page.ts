// Builds the page into few files, so that nobody who installs the package needs the libraries or a build. They are stored compressed,
// because the page is read far less often than the package is installed.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "rolldown";

const from = join(import.meta.dirname, "page");
const to = join(import.meta.dirname, "dist", "page");
mkdirSync(to, { recursive: true });

const { output } = await build({
  input: join(from, "main.tsx"),
  platform: "browser",
  // `sideEffects: false` in the manifest is true of `dist` only. `chart.ts` registers parts of a library, which must not be dropped.
  treeshake: { moduleSideEffects: (id) => id.startsWith(from) },
  output: { entryFileNames: "page.js", chunkFileNames: "[name].js", minify: true },
  write: false,
});
const scripts = output.filter((file) => file.type === "chunk");
for (const { fileName, code } of scripts) put(fileName, code);
put("page.css", readFileSync(join(from, "page.css")));
put("index.html", readFileSync(join(from, "index.html")));

const used = new Set(
  scripts
    .flatMap(({ moduleIds }) => moduleIds)
    .flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []),
);
const notices = [...used].toSorted().map((folder) => {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as Record<string, string>;
  return `${name} ${version} (${license})\n\n${licenceIn(folder).trim()}\n`;
});
writeFileSync(join(to, "THIRD-PARTY-LICENSES.txt"), notices.join(`\n${"-".repeat(80)}\n\n`));

function put(name: string, content: string | Uint8Array): void {
  writeFileSync(join(to, `${name}.gz`), gzipSync(content, { level: 9 }));
}

function licenceIn(folder: string): string {
  for (const name of ["LICENSE", "LICENSE.md"]) {
    try {
      return readFileSync(join(folder, name), "utf8");
    } catch {
      continue;
    }
  }
  throw new Error(
    `${dirname(folder)} has no licence text, which must be distributed with the page`,
  );
}
