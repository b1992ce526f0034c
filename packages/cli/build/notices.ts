import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "rolldown";
import { manifestIn, packageOf } from "./manifest.ts";

/** Writes the licences of the bundled third-party packages next to the bundle. */
export function notices(): Plugin {
  return {
    name: "notices",
    generateBundle(_, bundle) {
      const files = Object.values(bundle).flatMap((part) =>
        part.type === "chunk" ? part.moduleIds : [],
      );
      const folders = new Set(
        files.filter((file) => file.includes("/node_modules/")).map(packageOf),
      );
      const notices = [...folders].toSorted().map((folder) => {
        const { name = "", version = "", license = "" } = manifestIn(folder);
        const text = licenceIn(folder) ?? licenceIn(join(folder, "../..", scopeOf(name)));
        if (text === undefined)
          throw new Error(
            `${name} has no licence text, and the licence text must be distributed with the bundle`,
          );
        return noticeOf(`${name} ${version} (${license})`, text);
      });
      const texts = [...Map.groupBy(notices, ({ words }) => words).values()].map((group) => {
        const heads = group.map(({ heading, copyright }) => `${heading}\n\n${copyright}`.trim());
        return `${heads.join("\n\n")}\n\n${group[0]?.terms ?? ""}\n`;
      });
      this.emitFile({
        type: "asset",
        fileName: "THIRD-PARTY-LICENSES.txt",
        source: texts.join(`\n${"-".repeat(80)}\n\n`),
      });
    },
  };
}

const TITLE = /^\W*(?:the )?(?:mit|isc) license\W*(?:\(mit\))?\W*$/i;
const COPYRIGHT = /^\W*copyright\b.*\d{4}/i;

// Packages with the same terms share one copy of them. Each keeps its own copyright notice, and whatever stands before the terms.
function noticeOf(heading: string, text: string) {
  const whole = text.trim();
  const start = Math.max(0, whole.search(/^Permission (?:is hereby granted|to use)/m));
  const before = whole.slice(0, start).split("\n");
  const lines = whole.slice(start).split("\n");
  const terms = lines
    .filter((line) => !TITLE.test(line) && !COPYRIGHT.test(line))
    .join("\n")
    .trim();
  const copyright = [...before, ...lines.filter((line) => COPYRIGHT.test(line))]
    .filter((line) => line.trim() !== "" && !TITLE.test(line))
    .join("\n");
  return { heading, copyright, terms, words: wordsOf(terms) };
}

// Copies of the same terms differ in their line breaks, quotes and emphasis.
const wordsOf = (terms: string): string => terms.toLowerCase().replaceAll(/[^a-z0-9]+/g, " ");

// A scoped package without its own licence text has that of the package the scope is named after: the authors are the same.
const scopeOf = (name: string): string => /^@([^/]+)\//.exec(name)?.[1] ?? name;

/** The licence text of a package: its licence file, or the licence part of its readme. */
function licenceIn(folder: string): string | undefined {
  const entries = readdirSync(folder);
  const file = entries.find((entry) => /^licen[cs]e/i.test(entry));
  if (file !== undefined) return readFileSync(join(folder, file), "utf8");
  const readme = entries.find((entry) => /^readme/i.test(entry));
  const text = readme === undefined ? "" : readFileSync(join(folder, readme), "utf8");
  const part = /^#+ licen[cs]e\s([\s\S]*)/im.exec(text)?.[1];
  return part?.includes("WITHOUT WARRANTY") === true ? part : undefined;
}
