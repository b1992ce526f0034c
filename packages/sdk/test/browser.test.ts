import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as sdk from "../src/index.ts";
import * as node from "../src/node.ts";

const dist = join(import.meta.dirname, "../dist");

function reached(
  entry: string,
  found: Map<string, string> = new Map(),
): ReadonlyMap<string, string> {
  if (found.has(entry)) return found;
  const text = readFileSync(join(dist, entry), "utf8");
  found.set(entry, text);
  for (const [, specifier = ""] of text.matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
    if (specifier.startsWith("./")) reached(specifier.slice(2), found);
    else found.set(specifier, "");
  }
  return found;
}

it("the browser entry imports only its event parser and uses nothing of Node", () => {
  const files = reached("index.js");
  expect(files.size).toBeGreaterThan(8);
  expect([...files.keys()].filter((name) => !name.endsWith(".js"))).toEqual(["eventsource-parser"]);
  expect(
    [...files]
      .filter(([, text]) => /\b(process|Buffer|require|__dirname|global)\b[.(]/.test(text))
      .map(([name]) => name),
  ).toEqual([]);
});

it("a separate entry has the code that starts processes", () => {
  expect(sdk).not.toHaveProperty("spawnAgent");
  expect(Object.keys(node)).toEqual(["spawnAgent"]);
});
