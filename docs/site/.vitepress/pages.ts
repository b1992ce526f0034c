import { existsSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { MarkdownEnv, MarkdownRenderer } from "vitepress";

/** The folder of the repository. Pages stay where they are, so that they can be read there too. */
export const ROOT = resolve(import.meta.dirname, "../../..");

const SOURCE = "https://github.com/bylaw/bylaw/blob/main";

/** Markdown files that are no pages. */
export const readable = {
  exclude: [
    "**/CHANGELOG.md",
    "{.changeset,.github,test,tools}/**",
    "README.md",
    "docs/decisions/000-template.md",
    "{packages,plugins,rulesets}/*/!(README).md",
    "{packages,plugins,rulesets}/*/*/**",
  ],
};

/** The address of a Markdown file of the repository: `plugins/hello/README.md` is `plugins/hello.md`. */
export function addressOf(file: string): string {
  if (file === "docs/index.md") return "concepts.md";
  return file
    .replace(/^docs\/(site\/)?/, "")
    .replace(/^(api\/.+)\/src\.md$/, "$1.md")
    .replace(/\/README\.md$/, ".md")
    .replace(/^(SECURITY|CONTRIBUTING)\.md$/, (name) => name.toLowerCase());
}

/** The anchor of a heading, as the source host makes it, so that a link works in both places. */
export const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

/** Turns links between files of the repository into links between pages, or to the source. */
export function rewriteLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("repository-links", ({ tokens, env }) => {
    const { path, realPath = path } = env as MarkdownEnv;
    for (const { children } of tokens)
      for (const token of children ?? []) {
        const target = token.attrGet("href");
        if (token.type === "link_open" && target !== null)
          token.attrSet("href", linkOf(target, dirname(realPath)));
      }
  });
}

function linkOf(target: string, folder: string): string {
  if (/^([a-z]+:|#|\/)/.test(target)) return target;
  const [path = "", anchor] = target.split("#");
  const file = resolve(folder, path);
  const page = statSync(file, { throwIfNoEntry: false })?.isDirectory()
    ? join(file, "README.md")
    : file;
  const name = relative(ROOT, page);
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (name === "README.md") return `/${hash}`;
  if (existsSync(page) && page.endsWith(".md") && !name.startsWith("test/"))
    return `/${addressOf(name).replace(/\.md$/, "")}${hash}`;
  return existsSync(file) ? `${SOURCE}/${relative(ROOT, file)}` : target;
}

/** Draws `mermaid` blocks in the browser, in the colours of the reader. */
export function renderDiagrams(markdown: MarkdownRenderer): void {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token?.info.trim() !== "mermaid") return fence?.(tokens, index, ...rest) ?? "";
    return `<Diagram source="${encodeURIComponent(token.content)}" />`;
  };
}

/** Keeps `{{ }}` in a text what it is: Vue would run it as an expression. */
export function escapeMustaches(markdown: MarkdownRenderer): void {
  const { rules } = markdown.renderer;
  for (const name of ["text", "code_inline"]) {
    const rule = rules[name];
    rules[name] = (...given) => (rule?.(...given) ?? "").replaceAll("{{", "&#123;&#123;");
  }
}
