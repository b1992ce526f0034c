import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { beforeAll, describe, expect, it } from "vitest";

const sdk = join(import.meta.dirname, "..");
const source = join(sdk, "../sdk-python");
const scratch = temporaryFolder();
const venv = join(scratch, "venv");
const python = join(venv, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");

interface Ran {
  readonly status: number | null;
  readonly output: string;
}

function run(program: string, args: readonly string[], cwd = scratch): Ran {
  // No package index, so that nothing is downloaded. No bytecode beside the sources.
  const env = {
    ...process.env,
    PIP_NO_INDEX: "1",
    PIP_FIND_LINKS: "",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    PYTHONDONTWRITEBYTECODE: "1",
  };
  const { status, stdout, stderr } = spawnSync(program, [...args], { cwd, env, encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
}

const present =
  run("python3", ["-c", "import sys, venv, pip; sys.exit(sys.version_info < (3, 9))"]).status === 0;
if (!present)
  console.warn(
    "The Python client is not tested: there is no python3 of 3.9 or later with venv and pip here.",
  );

describe.skipIf(!present)("the Python client", () => {
  beforeAll(() => {
    // With the existing pip, because installing another would take most of the time of these tests.
    expect(
      run("python3", ["-m", "venv", "--system-site-packages", "--without-pip", venv]),
    ).toMatchObject({ status: 0 });
  });

  it("is installed by pip without a network, with its version and without dependencies", () => {
    expect(run(python, ["-m", "pip", "install", "--quiet", source])).toEqual({
      status: 0,
      output: "",
    });
    const { output } = run(python, ["-m", "pip", "list", "--local", "--format=json"]);
    const { version } = JSON.parse(readFileSync(join(sdk, "package.json"), "utf8")) as {
      version: string;
    };
    const installed = JSON.parse(output) as readonly {
      readonly name: string;
      readonly version: string;
    }[];
    expect(installed).toEqual([{ name: "bylaw-sdk", version }]);
  });

  it("builds the same wheel each time, and pip installs the same wheel", () => {
    const build = (folder: string): string => {
      const code = `import sys; sys.path.insert(0, ${JSON.stringify(join(source, "backend"))}); import bylaw_build, os; os.makedirs(${JSON.stringify(folder)}); print(bylaw_build.build_wheel(${JSON.stringify(folder)}))`;
      const { status, output } = run("python3", ["-c", code], source);
      expect(status).toBe(0);
      return join(folder, output.trim());
    };
    const [one, other] = [build(join(scratch, "one")), build(join(scratch, "other"))];
    const digest = (file: string): string =>
      createHash("sha256").update(readFileSync(file)).digest("hex");
    expect(digest(one)).toBe(digest(other));
    expect(readdirSync(join(scratch, "one"))).toEqual([
      expect.stringMatching(/^bylaw_sdk-.*-py3-none-any\.whl$/),
    ]);
    expect(
      run(python, ["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", one]),
    ).toEqual({ status: 0, output: "" });
  });

  it("passes its own tests", () => {
    const { status, output } = run(python, [
      "-W",
      "error",
      "-m",
      "unittest",
      "discover",
      "-s",
      join(source, "tests"),
    ]);
    expect(output).toMatch(/^OK$/m);
    expect(status).toBe(0);
  });
});
