import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Whether a Python is installed that can run the client. */
export const PYTHON =
  spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;

/** Runs a Python program with access to the client, and parses the JSON that it prints. */
export function python(program: string, environment: Readonly<Record<string, string>>): unknown {
  const { status, stdout, stderr } = spawnSync("python3", ["-c", program], {
    encoding: "utf8",
    timeout: 60_000,
    env: {
      ...process.env,
      ...environment,
      PYTHONPATH: join(import.meta.dirname, "../../packages/sdk-python/src"),
      PYTHONDONTWRITEBYTECODE: "1",
    },
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
