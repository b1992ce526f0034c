import { spawnSync } from "node:child_process";
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { phases } from "@bylaw/plugin-phases";
import * as fc from "fast-check";
import type { Fuzz } from "./clock.ts";

const CONTRACT = join(import.meta.dirname, "../../rulesets/tdd/agent_workflow.yaml");
const FILES = ["src/a", "src/d/b", "lib/c", ".git/config", "node_modules/m/i", "../outside/f"];
const LINKS = [
  ["../..", "src/up"],
  ["../.git", "lib/g"],
  ["../agent_workflow.yaml", "lib/c2"],
  ["../lib", "src/L"],
] as const;
/** The paths in the workspace that no line may change. */
const KEPT = /^(?:agent_workflow\.yaml|\.git|node_modules)(?:\/|$)/;

const path = fc.constantFrom(
  ...[
    "x",
    "y",
    "src/x",
    "x/f",
    "x/q",
    "x/y",
    "x/../q",
    "src/x/q",
    "src/x/outside/f",
    "y/q",
    ".",
    "..",
    "src",
    "src/d",
    "src/d/x",
    "lib",
  ],
  ...[
    "src/up",
    "src/L/g/config",
    "lib/g",
    "lib/c2",
    "../outside",
    "../outside/f",
    ".git",
    "agent_workflow.yaml",
    "x/hooks/p",
    "x/config",
  ],
);
const shape = fc.constantFrom(
  ...[
    "ln -s A B",
    "ln -sf A B",
    "ln -sfn A B",
    "ln -sr A B",
    "ln A B",
    "ln -s A",
    "ln -st A B",
    "mv A B",
    "mv -T A B",
    "mv A B A",
  ],
  ...[
    "cp -a A B",
    "cp -r A B",
    "cp A B",
    "cp -rL A B",
    "cp -s A B",
    "cp -l A B",
    "cp -d A B",
    "cp -a A B A",
    "install -m644 src/a A",
  ],
  ...[
    "echo x > A",
    "echo x >> A",
    "echo x > A/q",
    "tee A < src/a",
    "touch A/t",
    "mkdir -p A/m",
    "rm A",
    "rm -rf A",
    "cd A",
  ],
  ...[
    "sed -i s/f/g/ A",
    "truncate -s0 A",
    "chmod 600 A",
    "dd if=src/a of=A",
    "split src/a A",
    "unlink A",
  ],
);
const command = fc.tuple(shape, path, path, path).map(([text, ...paths]) => {
  let at = 0;
  return text.replace(/\b[AB]\b/g, () => paths[at++ % paths.length] ?? "");
});
// The line makes a link that leads elsewhere, and then uses it.
const made = fc.constantFrom("x", "src/x", "src/d/x", "./x", "lib/../x");
const leads = fc.constantFrom(
  "..",
  "../..",
  ".",
  ".git",
  "../outside",
  "src/up",
  "lib/g",
  "lib/c2",
  "agent_workflow.yaml",
  "src",
  "node_modules",
);
const make = fc.constantFrom(
  "ln -s A B",
  "ln -sf A B",
  "ln -sr A B",
  "ln A B",
  "mv A B",
  "cp -a A B",
  "cp -d A B",
  "cp -al A B",
  "mv -T A B",
);
const use = fc.constantFrom(
  ...[
    "echo x > B",
    "echo x > B/q",
    "cp src/a B/q",
    "touch B/q",
    "cd B && echo x > q",
    "(cd B; echo x > q)",
    "mkdir -p B/m/n",
    "tee B/m < src/a",
  ],
  ...[
    "echo x > B/outside/f",
    "rm -rf B/outside",
    "rm B/f",
    "truncate -s0 B",
    "sed -i s/a/b/ B",
    "mv src/a B/q",
    "cd B; echo x > ../q",
    "echo x > B/config",
  ],
);
const through = fc
  .tuple(make, use, leads, made, fc.option(command), fc.constantFrom(" && ", "; "))
  .map(([first, second, lead, name, between, sign]) =>
    [first, ...(between === null ? [] : [between]), second]
      .join(sign)
      .replace(/\b[AB]\b/g, (letter) => (letter === "A" ? lead : name)),
  );
const soup = fc
  .tuple(
    command,
    fc.array(fc.tuple(fc.constantFrom(" && ", "; ", " || "), command), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.nat(14),
  )
  .map(([first, rest, odd]) => {
    const text = first + rest.flat().join("");
    return odd === 0 ? `(${text})` : odd === 1 ? `for i in 1 2; do ${text}; done` : text;
  });
const line = fc.oneof(through, soup);

/**
 * Tries lines full of links that lead out of a workspace, or to protected files. Runs what a phase with write access allows, and compares
 * the files. Returns a summary; throws if a line changed anything.
 */
export async function fuzzLinks({ runs, seed }: Fuzz): Promise<string> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "bylaw-fuzz-")));
  const [place, model] = [join(base, "place"), join(base, "model")];
  const workspace = join(place, "in/workspace");
  const fresh = join(model, "in/workspace");
  for (const file of FILES) {
    mkdirSync(dirname(join(fresh, file)), { recursive: true });
    writeFileSync(join(fresh, file), file);
  }
  cpSync(CONTRACT, join(fresh, "agent_workflow.yaml"));
  for (const [target, name] of LINKS) symlinkSync(target, join(fresh, name));
  const reset = (): void => {
    rmSync(place, { recursive: true, force: true });
    cpSync(model, place, { recursive: true, verbatimSymlinks: true });
  };
  reset();
  const contract = join(workspace, "agent_workflow.yaml");
  const kernel = createKernel({
    plugins: [phases({ contract, elsewhere: ["artifacts", "gates", "tokens"] })],
  });
  const before = stateOf(place, workspace);
  let ran = 0;
  const gotOut = async (command_line: string): Promise<boolean> => {
    const context = { task: "t1", phase: "IMPL", cwd: workspace, workspace, interactive: false };
    const call = {
      hook: "beforeToolCall",
      tool: "bash",
      args: { command: command_line },
      ...context,
    } as const;
    if ((await kernel.decide(call)).effect !== "allow") return false;
    ran += 1;
    spawnSync("bash", ["-c", command_line], { cwd: workspace, stdio: "ignore", timeout: 10_000 });
    const out = stateOf(place, workspace) !== before;
    reset();
    return out;
  };
  try {
    await fc.assert(
      fc.asyncProperty(line, async (text) => !(await gotOut(text))),
      { numRuns: runs, seed },
    );
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
  return `${runs} lines, ${ran} of them allowed and run`;
}

// Everything outside the workspace, and the protected files in it.
function stateOf(folder: string, workspace: string): string {
  const lines: string[] = [];
  const walk = (at: string): void => {
    for (const name of readdirSync(at).toSorted()) {
      const file = join(at, name);
      const seen = lstatSync(file);
      const inside = relative(workspace, file);
      const counts = inside.startsWith("..") || inside === "" || KEPT.test(inside);
      if (counts)
        lines.push(
          `${file} ${seen.isSymbolicLink() ? readlinkSync(file) : seen.isFile() ? readFileSync(file, "utf8") : "folder"}`,
        );
      if (seen.isDirectory()) walk(file);
    }
  };
  walk(folder);
  return lines.join("\n");
}
