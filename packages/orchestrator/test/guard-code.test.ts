import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { serve } from "./kit.ts";

const CONFIG = `
import { defineConfig } from "@bylaw/kernel";
import { artifacts } from "@bylaw/plugin-artifacts";
import { phases } from "@bylaw/plugin-phases";
import { tasks } from "@bylaw/plugin-tasks";
import { tokens } from "@bylaw/plugin-tokens";

const common = { contract: "contract.yaml", tools: ["note", "slow", "broken"] };
const keys = [{ id: "x", file: "token.secret" }];
export default defineConfig({ plugins: [phases(common), artifacts(common), tasks(), tokens({ ...common, keys })] });
`;
const MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));
// Node looks for packages in the folder `.node_modules` there.
const HOME = dirname(
  createRequire(import.meta.url)
    .resolve.paths("x")
    ?.find((path) => path.endsWith(".node_modules")) ?? "",
);
const KERNEL = realpathSync(join(MODULES, "@bylaw/kernel"));

let folder: string;
let work: string;
const put = (name: string, text: string): string => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text, { mode: 0o600 });
  return join(folder, name);
};
beforeEach(() => {
  folder = temporaryFolder();
  work = join(folder, "work");
  mkdirSync(work);
  symlinkSync(MODULES, join(folder, "node_modules"));
  put("token.secret", "t".repeat(64));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** The error with which the server does not start. Asserts that it created neither a file in the workspace nor a data folder. */
async function refusal(
  settings: object = {},
  options: object = {},
): Promise<{ readonly message: string; readonly fix: string }> {
  const started = await serve({ settings, ...options }, folder).catch(
    (error: unknown) => error as Error,
  );
  expect(started).toMatchObject({ code: "BYLAW_SERVER_WRITABLE" });
  expect(existsSync(join(folder, "data"))).toBe(false);
  return started as unknown as Awaited<ReturnType<typeof refusal>>;
}

describe("a server does not start where agents could change what it runs", () => {
  it("because one of its packages is in the workspace, under any name", async () => {
    const { message, fix } = await refusal({ workspace: dirname(KERNEL) });
    expect(message).toContain(`the workspace \`${dirname(KERNEL)}\``);
    expect(fix).toContain(`bylaw serve --workspace ${dirname(KERNEL)}`);
    symlinkSync(dirname(KERNEL), join(folder, "link"));
    expect((await refusal({ workspace: join(folder, "link") })).message).toContain(
      `the workspace \`${join(folder, "link")}\``,
    );
  });

  it("because it starts in the workspace, where a file of settings could be created", async () => {
    const cwd = vi.spyOn(process, "cwd").mockReturnValue(work);
    const { message } = await refusal();
    cwd.mockRestore();
    expect(message).toContain(join(work, "bylaw.serve.json"));
    const named = join(work, "deep", "serve.json");
    expect((await refusal({}, { settings_file: named })).message).toContain(named);
  });

  it("because its configuration is in the workspace, before any of it runs", async () => {
    const config = put(
      "work/bylaw.config.mjs",
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(join(folder, "ran"))}, "");`,
    );
    expect((await refusal({ config })).message).toContain(config);
    symlinkSync(config, join(folder, "bylaw.config.mjs"));
    expect((await refusal({ config: join(folder, "bylaw.config.mjs") })).message).toContain(
      `leads to \`${config}\``,
    );
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  it("because PATH or NODE_OPTIONS names something in the workspace", async () => {
    vi.stubEnv("PATH", `${process.env["PATH"]}:${join(work, ".venv/bin")}`);
    expect(await refusal()).toMatchObject({
      message: expect.stringContaining("`PATH`") as string,
      fix: expect.stringContaining("`PATH`") as string,
    });
    vi.unstubAllEnvs();
    vi.stubEnv(
      "NODE_OPTIONS",
      `--max-old-space-size=4000 --import=${pathToFileURL(join(work, "hook.mjs")).href}`,
    );
    expect((await refusal()).message).toContain(join(work, "hook.mjs"));
  });

  it("because a file in the workspace is a hard link to one of its modules", async () => {
    const rules = put("rules.mjs", "export default 1");
    mkdirSync(join(work, "node_modules"));
    linkSync(rules, join(work, "node_modules", "other.mjs"));
    const config = put("bylaw.config.mjs", `import "./rules.mjs";\n${CONFIG}`);
    const settings = { contract: undefined, config };
    await expect(serve({ settings }, folder)).rejects.toMatchObject({
      code: "BYLAW_SERVER_WRITABLE",
      message: expect.stringContaining(join(work, "node_modules", "other.mjs")) as string,
    });
    rmSync(join(work, "node_modules"), { recursive: true });
    await (await serve({ settings }, folder)).close();
  });

  it.runIf(HOME !== "." && existsSync(HOME))(
    "because packages are looked up in a missing folder of the workspace",
    async () => {
      const names = readdirSync(HOME);
      vi.stubEnv("PATH", "/usr/bin");
      expect((await refusal({ workspace: HOME })).message).toContain(`the workspace \`${HOME}\``);
      expect(readdirSync(HOME)).toEqual(names);
    },
  );
});

describe("an import of the configuration from the workspace keeps the server from starting", () => {
  it.each(readCases<[string, string, string]>(import.meta, "imports"))(
    "%s",
    async (_, text, name) => {
      put("work/rules.mjs", "export default 1");
      put("work/rules.json", "{}");
      put("work/rules.cjs", "module.exports = 1");
      put("between.mjs", 'import "./work/rules.mjs"');
      symlinkSync(join(work, "rules.mjs"), join(folder, "link.mjs"));
      for (const file of ["bylaw.config.mjs", "bylaw.config.ts"]) {
        const config = put(file, `${text}\n${CONFIG}`);
        const started = await serve({ settings: { contract: undefined, config } }, folder).catch(
          (error: unknown) => error,
        );
        expect(started, file).toMatchObject({
          code: "BYLAW_SERVER_WRITABLE",
          message: expect.stringContaining(`\`${join(work, name)}\``) as string,
        });
      }
    },
  );

  it("but not an import from outside it", async () => {
    put("rules.mjs", "export default 1");
    const config = put("bylaw.config.mjs", `import "./rules.mjs";\n${CONFIG}`);
    await (await serve({ settings: { contract: undefined, config } }, folder)).close();
  });
});
