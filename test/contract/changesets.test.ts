import { expect, it } from "vitest";
import { filesAt, publishable, textOf } from "./workspaces.ts";

const names: ReadonlySet<string> = new Set(publishable.map(({ manifest }) => manifest.name));
const changesets = filesAt(".changeset/*.md").map((file) => {
  const [, head = "", body = ""] = /^---\n([\s\S]*?)\n---\n\n([\s\S]*)$/.exec(textOf(file)) ?? [];
  return { file, lines: head.split("\n"), body: body.trim() };
});

it("every changeset names published packages of this repository, each with its kind of change", () => {
  const wrong = changesets.flatMap(({ file, lines }) =>
    lines
      .filter((line) => !names.has(/^"([^"]+)": (major|minor|patch)$/.exec(line)?.[1] ?? ""))
      .map((line) => `${file}: ${line}`),
  );
  expect(wrong).toEqual([]);
});

it("every changeset tells users what changes", () => {
  const poor = changesets.filter(({ body }) => !/^(★ )?[A-Z`].*\.$/s.test(body));
  expect(poor.map(({ file }) => file)).toEqual([]);
});

// The built command bundles what it imports, so a change there reaches its users only when the command is released.
it("a change of what the command bundles also releases the command", () => {
  const byName = new Map(publishable.map(({ manifest }) => [manifest.name, manifest]));
  const contained = new Set<string>();
  const visit = (name: string): void => {
    const manifest = byName.get(name);
    if (manifest === undefined || contained.has(name)) return;
    contained.add(name);
    const { dependencies, peerDependencies, devDependencies } = manifest;
    const built = name === "@bylaw/cli" ? devDependencies : {};
    for (const needed of Object.keys({ ...dependencies, ...peerDependencies, ...built }))
      visit(needed);
  };
  visit("@bylaw/cli");
  expect(contained.size).toBeGreaterThan(3);
  const released = new Set(
    changesets.flatMap(({ lines }) => lines.map((line) => /^"([^"]+)"/.exec(line)?.[1] ?? "")),
  );
  if (released.has("@bylaw/cli")) return;
  expect([...released].filter((name) => contained.has(name))).toEqual([]);
});
