import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DefaultTheme } from "vitepress";
import { commandNames } from "../commands/[command].paths.ts";
import { addressOf, ROOT } from "./pages.ts";

type Group = DefaultTheme.SidebarItem;

const pages = (text: string, names: readonly string[]): Group => ({
  text,
  collapsed: false,
  items: names.map((name) => page(name === "concepts" ? "docs/index.md" : `docs/${name}.md`)),
});

const all = (text: string, pattern: string): Group => ({
  text,
  collapsed: true,
  items: globSync(pattern, { cwd: ROOT }).sort().map(page),
});

/** A page under its own title. */
function page(file: string): Group {
  const [, title = file] = /^# (.+)$/m.exec(readFileSync(join(ROOT, file), "utf8")) ?? [];
  return { text: title.replaceAll("`", ""), link: `/${addressOf(file).replace(/\.md$/, "")}` };
}

export const guide: readonly Group[] = [
  pages("Start", ["concepts", "hosts", "mcp", "configuration"]),
  pages("Policies", [
    "policy",
    "test-a-policy",
    "lint",
    "import",
    "migrate",
    "rulesets",
    "approvals",
  ]),
  pages("Workflows", ["workflow", "contract", "gates", "evidence", "tasks", "enforcement"]),
  pages("Steps", ["run-a-workflow", "behaviors", "coordinator", "run-on-many-machines"]),
  pages("Service", ["serve", "sdk", "tools", "operate", "monitoring", "scale"]),
  pages("Records", ["runs", "event-log", "event-log-writing", "stores", "status", "report"]),
  pages("Extend", ["write-a-check", "write-a-plugin", "hooks", "versioning"]),
];

/** The pages that `service/[part].paths.ts` makes from the routes, by their tags. */
const SERVICE = ["tasks", "tools", "approvals", "consensus", "events", "audit", "state", "server"];

export const HOOKS = ["beforeToolCall", "onTransition", "onBehavior", "onEnforcement"] as const;

const named = (text: string, links: Readonly<Record<string, string>>): Group => ({
  text,
  collapsed: true,
  items: Object.entries(links).map(([name, link]) => ({ text: name, link })),
});

const each = (names: readonly string[], folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, `/${folder}/${name}`]));

export const reference: readonly Group[] = [
  {
    ...named("For developers", {
      "Agent developer guide": "/sdk",
      "Workflow YAML reference": "/packages/contract",
      "API reference": "/api/",
      "Security and threat model": "/security",
    }),
    collapsed: false,
  },
  pages("Reference", [
    "cli",
    "errors",
    "event-log-types",
    "performance",
    "compat-gemini",
    "compat-radium",
  ]),
  named("Commands", each(commandNames(), "commands")),
  named("Hooks", each(HOOKS, "hook")),
  named("Routes of the service", each(SERVICE, "service")),
  all("Plugins", "plugins/*/README.md"),
  all("Rulesets", "rulesets/*/README.md"),
  all("Hosts", "packages/host-*/README.md"),
  all("Packages", "packages/!(host-*)/README.md"),
  all("Examples", "docs/examples/*/README.md"),
  all("Decisions", "docs/decisions/[0-9][0-9][0-9][0-9]-*.md"),
];
