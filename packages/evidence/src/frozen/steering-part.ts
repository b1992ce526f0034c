import { canonicalJson, isJsonObject, type Json } from "@bylaw/kernel";

const PACKAGE_KEYS: readonly string[] = [
  "scripts",
  "jest",
  "mocha",
  "vitest",
  "ava",
  "tap",
  "nyc",
  "c8",
  "babel",
  "type",
  "imports",
  "exports",
  "main",
  "browser",
  "workspaces",
];

/** Sections that list what a project consists of, and do not affect its tests. */
const MADE_OF =
  /^\[(?:project(?:\.(?:optional-dependencies|urls|authors))?|dependency-groups|metadata|(?:(?:dev-|build-)?dependencies)(?:\.[\w-]+)?|tool\.poetry(?:\.group\.[\w-]+)?\.(?:dev-)?dependencies)\]$/;

/**
 * Returns the part of a file that steers tests. Two files steer tests alike if and only if the texts are equal. A file that
 * cannot be split is returned whole.
 */
export function steeringPart(name: string, text: string): string {
  if (name === "package.json") return packagePart(text);
  if (name === "go.mod") return goPart(text);
  return sectionsPart(text);
}

function packagePart(text: string): string {
  try {
    const data = JSON.parse(text) as Json;
    if (!isJsonObject(data)) return text;
    return canonicalJson(
      Object.fromEntries(
        PACKAGE_KEYS.flatMap((key) => (Object.hasOwn(data, key) ? [[key, data[key] ?? null]] : [])),
      ),
    );
  } catch {
    return text;
  }
}

// A multi-line string could contain text that looks like a section.
function sectionsPart(text: string): string {
  if (/"""|'''/.test(text)) return text;
  const kept: string[] = [];
  let dropping = false;
  for (const line of text.split(/\r?\n/)) {
    if (line.trimStart().startsWith("[")) dropping = MADE_OF.test(line);
    if (!dropping && line.trim() !== "") kept.push(line.trimEnd());
  }
  return kept.join("\n");
}

// Requirements may change with the code, but replacements may not.
function goPart(text: string): string {
  let inBlock = false;
  return text
    .split(/\r?\n/)
    .filter((line) => {
      const plain = line.trim();
      if (inBlock) {
        inBlock = plain !== ")";
        return false;
      }
      inBlock = plain === "require (";
      return !inBlock && plain !== "" && !/^(?:require|toolchain|go) [^(]/.test(plain);
    })
    .join("\n");
}
