import { expect, it } from "vitest";
import { filesAt, publishable, textOf } from "./workspaces.ts";

const names: ReadonlySet<string> = new Set(publishable.map(({ manifest }) => manifest.name));
const changesets = filesAt(".changeset/*.md").map((file) => {
  const [, head = "", body = ""] = /^---\n([\s\S]*?)\n---\n\n([\s\S]*)$/.exec(textOf(file)) ?? [];
  return { file, lines: head.split("\n"), body: body.trim() };
});

it("every changeset names published packages of this repository, each with its kind of change", () => {
  const wrong = changesets.flatMap(({ file, lines }) =>
    lines.filter((line) => !names.has(/^"([^"]+)": (major|minor|patch)$/.exec(line)?.[1] ?? "")).map((line) => `${file}: ${line}`),
  );
  expect(wrong).toEqual([]);
});

it("every changeset tells users what changes for them", () => {
  const poor = changesets.filter(({ body }) => !/^(★ )?[A-Z`].*\.$/s.test(body));
  expect(poor.map(({ file }) => file)).toEqual([]);
});
