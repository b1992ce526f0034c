import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const entry = new URL("../src/index.ts", import.meta.url).href;

it("the README's examples run and print what they claim", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
  const code = blocks.join("\n").replaceAll('"@bylaw/kernel"', JSON.stringify(entry));
  const promised = [...code.matchAll(/^\/\/ (.+)$/gm)].map(([, line]) => line);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module-typescript", "--disable-warning=ExperimentalWarning", "--eval", code],
    { cwd: fileURLToPath(new URL("..", import.meta.url)) },
  );
  expect(promised).toHaveLength(1);
  expect(stdout.trimEnd().split("\n")).toEqual(promised);
});
