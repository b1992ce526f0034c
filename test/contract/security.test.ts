import { expect, it } from "vitest";
import { filesAt, publishable, rootManifest, textOf } from "./workspaces.ts";

const page = textOf("SECURITY.md");
const scripts = (rootManifest as unknown as { readonly scripts: Readonly<Record<string, string>> })
  .scripts;

it("SECURITY.md sends reports to the private advisories of the repository in every manifest", () => {
  const repositories = new Set(
    publishable.map(
      ({ manifest }) => (manifest.repository as { readonly url?: string } | undefined)?.url,
    ),
  );
  expect(repositories.size).toBe(1);
  const address = [...repositories][0]?.replace(/^git\+/, "").replace(/\.git$/, "");
  expect(page).toContain(`(${address}/security/advisories/new)`);
});

it("SECURITY.md names only tests and commands that exist", () => {
  const proof = page.slice(page.indexOf("## Where the proof is"), page.indexOf("## Verify a log"));
  const named = [...proof.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);
  const paths = named.filter((text) => text.includes("/"));
  expect(paths.length).toBeGreaterThan(8);
  expect(
    paths.filter((path) => filesAt(path).length + filesAt(`${path}/**/*.test.ts`).length === 0),
  ).toEqual([]);
  const commands = named.flatMap((text) => /^npm run (?:--silent )?(\S+)$/.exec(text)?.[1] ?? []);
  expect(commands.length).toBeGreaterThan(4);
  expect(commands.filter((name) => scripts[name] === undefined)).toEqual([]);
});
