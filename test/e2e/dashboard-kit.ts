// Starts `bylaw ui` over a store, and a real browser for its page.
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { createNodeKernel } from "@bylaw/config";
import { openRun, type Run } from "@bylaw/log";
import { policy } from "@bylaw/plugin-policy";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { BIN } from "./bylaw.ts";

export const BROWSER = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => existsSync(path));
if (BROWSER === undefined)
  console.warn("no browser: `apt-get install chromium` lets the tests of the dashboard run");

export const FLAGS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: BROWSER ?? "", args: FLAGS });

const WIDE = { width: 1_280, height: 800 };
/** A light page, a dark one, and one on a phone. */
export const VIEWS = [
  ["light", { colorScheme: "light", viewport: WIDE }],
  ["dark", { colorScheme: "dark", viewport: WIDE }],
  ["phone", { colorScheme: "dark", viewport: { width: 390, height: 800 } }],
] as const;

let browser: Promise<Browser> | undefined;

/** Opens a page in the browser of the test file until the test ends. An error in the page fails the test. */
export async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  browser ??= openBrowser();
  const context = await (await browser).newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.on("pageerror", ({ message }) => {
    throw new Error(`the page failed: ${message}`);
  });
  return page;
}

/** Markup, and a sign that reverses the text after it. */
export const HOSTILE = `<img src=x onerror="document.title='taken over'">\u202egnp.exe`;

const POLICY = `
[[rules]]
name = "no-force-push"
action = "deny"
command = "git push --force *"
reason = "A force push can overwrite other people's commits."
fix = "Push to a branch and open a pull request."

[[rules]]
name = "look"
action = "allow"
command = ["git status *", "ls *"]
`;

/** Opens a run in the store of a project. Its policy has an allow, an ask and a deny. The run is closed when the test ends. */
export async function openProjectRun(folder: string, name = "main"): Promise<Run> {
  mkdirSync(join(folder, ".bylaw"), { recursive: true });
  const store = await openSqliteStore(join(folder, ".bylaw/store.db"));
  const kernel = createNodeKernel(
    { plugins: [policy({ text: POLICY, discover: "none" })] },
    { cwd: folder, workspace: folder, home: folder },
  );
  const run = await openRun(kernel, { run: name, store });
  onTestFinished(async () => {
    await run.close();
    await store.close();
  });
  return run;
}

export const call = (run: Run, agent: string, command: string, task?: string) =>
  run.toolCall({
    ...{ agent, tool: "bash", args: { command }, interactive: true },
    ...(task === undefined ? {} : { task }),
  });

/** A running `bylaw ui`. */
export interface Ui {
  readonly url: string;
  readonly origin: string;
  readonly pid: number;
  readonly stop: () => Promise<number | null>;
}

const running = new Set<ChildProcess>();

/** Starts `bylaw ui` until the test ends. */
export async function startUi(
  cwd: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Ui> {
  const child = spawn(process.execPath, [BIN, "ui", "--json", ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.add(child);
  const gone = new Promise<number | null>((resolve) => child.once("exit", resolve));
  void gone.then(() => running.delete(child));
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    void gone.then((code) => reject(new Error(`bylaw ui ended with ${code}`)));
  });
  const { url } = JSON.parse(line) as { readonly url: string };
  const stop = () => {
    child.kill("SIGTERM");
    return gone;
  };
  onTestFinished(async () => void (await stop()));
  return { url, origin: new URL(url).origin, pid: child.pid ?? 0, stop };
}

/** Ends every server that is still running: for `afterAll`. */
export function endUis(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** Ends every server that is still running, and the browser: for `afterAll`. */
export async function endPages(): Promise<void> {
  endUis();
  const opened = browser;
  // Another test file may use this module in the same process.
  browser = undefined;
  await (await opened)?.close();
}

const axe = join(dirname(createRequire(import.meta.url).resolve("axe-core")), "axe.min.js");

/** What axe finds against WCAG 2.2, levels A and AA, and whether the page is wider than the window. */
export async function violationsIn(page: Page): Promise<readonly string[]> {
  await page.evaluate(readFileSync(axe, "utf8"));
  return (await page.evaluate(`(async () => {
    const { violations } = await axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] });
    const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 200) + " " + failureSummary));
    return document.documentElement.scrollWidth <= innerWidth ? found : [...found, "wider than the window"];
  })()`)) as readonly string[];
}
