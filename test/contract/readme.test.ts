import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { plugins, root, textOf, workspaces } from "./workspaces.ts";

const HEADINGS = ["Use", "Options", "Checks", "When not to use it", "Examples", "Compatibility"];

it("the generated sections of every README are current", () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "tools/readme.ts"), "--check"],
    { encoding: "utf8" },
  );
  expect(`${stdout}${stderr}`).toBe("");
  expect(status).toBe(0);
});

describe.each(plugins.map(({ folder }) => [folder]))("%s", (folder) => {
  it("has a page with the standard headings of a plugin's page, in order", () => {
    const headings = Array.from(
      textOf(`${folder}/README.md`).matchAll(/^## (.+)$/gm),
      ([, heading]) => heading,
    );
    expect(headings.filter((heading) => HEADINGS.includes(heading ?? ""))).toEqual(HEADINGS);
  });
});

it.each(workspaces.map(({ folder, manifest }) => [folder, manifest.name]))(
  "%s has a page that begins with the package's name",
  (folder, name) => {
    expect(textOf(`${folder}/README.md`).split("\n")[0]).toBe(`# ${name}`);
  },
);
