import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";
import { filesAt, root, textOf } from "./workspaces.ts";

const pages = [
  ...filesAt("*.md"),
  ...filesAt("docs/*.md"),
  ...filesAt("{packages,plugins,rulesets}/*/README.md"),
];

/** Relative targets of a page's links, without their anchors, as paths from the root. */
function linksOf(page: string): readonly string[] {
  const text = textOf(page).replace(/```[\s\S]*?```/g, "");
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) =>
    target.replace(/#.*$/, ""),
  );
  return targets
    .filter((target) => target !== "" && !/^[a-z]+:/.test(target))
    .map((target) => normalize(join(dirname(page), target)));
}

it("every relative link leads somewhere", () => {
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .filter((target) => !existsSync(join(root, target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});

it("every page of the docs can be reached from the README", () => {
  const reached = new Set<string>();
  const open = ["README.md"];
  for (let page = open.pop(); page !== undefined; page = open.pop()) {
    if (reached.has(page)) continue;
    reached.add(page);
    open.push(
      ...linksOf(page).filter((target) => target.endsWith(".md") && existsSync(join(root, target))),
    );
  }
  expect(filesAt("docs/*.md").filter((page) => !reached.has(page))).toEqual([]);
});

it("the playground has all that the policy language takes from Node", () => {
  const provided = textOf("docs/site/.vitepress/theme/playground/empty-disk.ts");
  const known = textOf("docs/site/.vitepress/config.ts");
  const imports = filesAt("packages/policy-language/src/**/*.ts").flatMap((file) => [
    ...textOf(file).matchAll(/^import \{([^}]+)\} from "node:(\w+)"/gm),
  ]);
  const missing = imports.flatMap(([, names = "", module = ""]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type "))
      .filter(
        (name) => !provided.includes(`export const ${name} `) || !known.includes(`"${module}"`),
      ),
  );
  expect(imports.length).toBeGreaterThan(0);
  expect(missing).toEqual([]);
});
