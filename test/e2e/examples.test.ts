// Each project below docs/examples does what its page says.
import { cpSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { spawnSync } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { scratch } from "./bylaw.ts";
import { enginesIn, signal } from "./engine-kit.ts";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLES = join(ROOT, "docs/examples");

const blockOf = (page: string, language: string): string =>
  new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "m").exec(page)?.[1] ?? "";

/** Runs the commands of an example's page in a copy with everything installed. */
function follow(name: string): { readonly stdout: string; readonly cwd: string } {
  const home = scratch({ "bin/npx": '#!/bin/sh\nexec "$@"\n' });
  const cwd = join(home, name);
  cpSync(join(EXAMPLES, name), cwd, { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(cwd, "node_modules"));
  const engine = join(home, "run");
  onTestFinished(() => enginesIn(engine).forEach((pid) => signal(pid, "SIGKILL")));
  const script = blockOf(readFileSync(join(cwd, "README.md"), "utf8"), "sh")
    .replace(/^npm install\n/, "")
    .replace(/^npx bylaw install .*/gm, `$& --engine '${engine}'`);
  const path = [join(home, "bin"), join(ROOT, "node_modules/.bin"), process.env["PATH"] ?? ""];
  const { status, stdout, stderr } = spawnSync("sh", ["-c", `chmod +x ../bin/npx\n${script}`], {
    cwd,
    encoding: "utf8",
    env: { HOME: home, PATH: path.join(delimiter), NO_COLOR: "1" },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return { stdout, cwd };
}

test.each(["coding-agent", "ai-sdk", "mcp-proxy", "governed-run"])(
  "docs/examples/%s prints what its page says",
  (name) => {
    const page = readFileSync(join(EXAMPLES, name, "README.md"), "utf8");
    const said = blockOf(page, "text");
    expect(said).not.toBe("");
    const { stdout } = follow(name);
    expect(stdout.slice(-said.length)).toBe(said);
  },
);
