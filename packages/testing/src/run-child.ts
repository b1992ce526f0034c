import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Runs a module in a process of its own, with a JSON value on its standard input. Returns the JSON value that it prints. Throws what it
 * writes to standard error.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows the type of the answer
export function runChild<Answer>(module: URL, input: unknown): Answer {
  const { stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(module)], {
    input: JSON.stringify(input),
    encoding: "utf8",
  });
  if (stderr !== "") throw new Error(stderr);
  return JSON.parse(stdout) as Answer;
}
