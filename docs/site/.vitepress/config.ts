import { join } from "node:path";
import { defineConfig } from "vitepress";
import { guide, reference } from "./navigation.ts";
import {
  addressOf,
  escapeMustaches,
  ROOT,
  readable,
  renderDiagrams,
  rewriteLinks,
  slugOf,
} from "./pages.ts";

export default defineConfig({
  title: "Bylaw",
  description: "Rules for AI agents: what they may do next, and proof of what happened",
  srcDir: ROOT,
  srcExclude: readable.exclude,
  rewrites: addressOf,
  cleanUrls: true,
  // A page that links to nothing fails the build.
  ignoreDeadLinks: false,
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify: slugOf },
    config(markdown) {
      markdown.use(rewriteLinks).use(renderDiagrams).use(escapeMustaches);
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Start", link: "/" },
      { text: "Concepts", link: "/concepts" },
      { text: "Playground", link: "/playground" },
      { text: "Commands", link: "/cli" },
      { text: "API", link: "/api/" },
    ],
    sidebar: [...guide, ...reference],
  },
  vite: {
    // Policies are read as on Linux.
    define: { "process.platform": '"linux"', "process.version": '"v24.0.0"' },
    resolve: {
      alias: ["crypto", "fs", "module", "path", "url"].map((name) => ({
        find: `node:${name}`,
        replacement: join(import.meta.dirname, "theme/playground/empty-disk.ts"),
      })),
    },
    server: { host: "127.0.0.1" },
    preview: { host: "127.0.0.1" },
  },
});
