import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { bylaw, scratch } from "./bylaw.ts";
import { shell } from "./shell.ts";

const page = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), "utf8");

// The tests run the built command, so nothing is installed.
const INSTALL = /^npm install .*\n/gm;

// A shell block, and the output that the page shows for it.
const BLOCK = /^```sh\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```\n)?/gm;

test.each(["cli.md", "configuration.md", "test-a-policy.md"])(
  "every command in docs/%s runs in order in one project, and prints what the page shows",
  (name) => {
    const cwd = scratch({ "README.md": "hello\n" });
    const blocks = [...page(name).matchAll(BLOCK)].filter(([, script = ""]) =>
      /^(npx )?bylaw /m.test(script),
    );
    expect(blocks.length).toBeGreaterThan(0);
    for (const [, script = "", printed] of blocks) {
      const { code, stdout, stderr } = shell(script.replace(INSTALL, ""), cwd);
      expect({ script, stderr }).toEqual({ script, stderr: "" });
      expect([0, 1, 3]).toContain(code);
      if (printed !== undefined) expect({ script, stdout }).toEqual({ script, stdout: printed });
    }
  },
);

test.each(["cli.md", "configuration.md", "test-a-policy.md"])(
  "docs/%s installs the command before it uses npx bylaw, which otherwise runs a stranger's package",
  (name) => {
    const text = page(name);
    const install = text.indexOf("npm install --save-dev @bylaw/cli");
    expect(install).toBeGreaterThan(-1);
    expect(install).toBeLessThan(text.indexOf("npx bylaw"));
  },
);

// A file that the page shows; the comment in its first line names it.
const FILE = /^```(?:ts|json|yaml|toml)\n(?:\/\/|#) (bylaw\.config\.\w+)\n([\s\S]*?)^```/gm;

test("every configuration in docs/configuration.md loads", () => {
  const files = [...page("configuration.md").matchAll(FILE)];
  expect(files.length).toBeGreaterThan(3);
  for (const [, file = "", text = ""] of files) {
    const cwd = scratch({ [file]: text, ".bylaw/policy.toml": 'default = "deny"\n' });
    const ran = bylaw("check --tool x --json", { cwd });
    expect({ file, text, stdout: ran.stdout }).toEqual({
      file,
      text,
      stdout: expect.stringContaining('"code":"fallback"') as string,
    });
  }
});
