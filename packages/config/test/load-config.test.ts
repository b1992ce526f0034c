import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { createConfiguredKernel, loadConfig, type BundledPackages } from "../src/index.ts";
import { PACKAGES, RULES, WORDS, project } from "./project.ts";

const MODULE = `
import { words } from "acme-words";
import { rules } from "acme-rules";
import { defineConfig } from "@bylaw/kernel";
export default defineConfig({ extends: [rules], plugins: [words({ tools: ["push"] })], fallback: "deny" });
`;
const JSON_CONFIG = `{
  "extends": ["acme-rules"],
  "plugins": [{ "use": "acme-words", "options": { "tools": ["push"] } }],
  "fallback": "deny"
}`;
const YAML = `
extends: [acme-rules]
plugins:
  - use: acme-words
    options: { tools: [push] }
fallback: deny
`;
const TOML = `
extends = ["acme-rules"]
fallback = "deny"
[[plugins]]
use = "acme-words"
options = { tools = ["push"] }
`;
const SEVEN = {
  "bylaw.config.ts": MODULE.replace("words({", "words(<{ tools: string[] }>{"),
  "bylaw.config.mts": MODULE,
  "bylaw.config.js": MODULE,
  "bylaw.config.mjs": MODULE,
  "bylaw.config.json": JSON_CONFIG,
  "bylaw.config.yaml": YAML,
  "bylaw.config.toml": TOML,
} as const;

const call = (tool: string) => ({ hook: "beforeToolCall", tool, args: {} }) as const;

async function error(work: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await work;
  } catch (thrown) {
    const { code, message, fix, source } = thrown as Record<string, unknown>;
    expect(message).not.toContain("\n");
    return {
      code,
      message,
      ...(fix === undefined ? {} : { fix }),
      ...(source === undefined ? {} : { source }),
    };
  }
  throw new Error("loaded");
}

describe("every format gives the same configuration", () => {
  test.each(Object.entries(SEVEN))("%s", async (name, text) => {
    const root = project({ [name]: text, "deep/er/x.txt": "" }, PACKAGES);
    const { kernel, file, report } = await createConfiguredKernel({ cwd: join(root, "deep/er") });
    expect(file).toBe(join(root, name));
    expect(await kernel.decide(call("push"))).toMatchObject({
      effect: "deny",
      from: name,
      code: "rule_denied",
    });
    expect(await kernel.decide(call("drop_table"))).toMatchObject({
      effect: "deny",
      from: `${name} > acme-rules`,
    });
    expect(await kernel.decide(call("read"))).toMatchObject({ effect: "deny", code: "fallback" });
    expect(report).toEqual([
      {
        plugin: "acme-words",
        version: "1.2.3",
        from: `${name} > acme-rules`,
        excludedRules: [],
        options: { tools: ["drop_table"] },
      },
      {
        plugin: "acme-words",
        version: "1.2.3",
        from: name,
        excludedRules: [],
        options: { tools: ["push"] },
      },
    ]);
  });

  test.each(Object.entries(SEVEN))("%s with a byte order mark and CRLF", async (name, text) => {
    const root = project({ [name]: `\ufeff${text.replaceAll("\n", "\r\n")}` }, PACKAGES);
    const { kernel } = await createConfiguredKernel({ cwd: root });
    expect(await kernel.decide(call("push"))).toMatchObject({
      effect: "deny",
      code: "rule_denied",
    });
  });

  test.each(Object.keys(SEVEN))(
    "an empty %s is an error and does not allow anything",
    async (name) => {
      const root = project({ [name]: " \n" });
      expect(await error(loadConfig({ cwd: root }))).toEqual({
        code: "BYLAW_CONFIG_INVALID",
        message: "The configuration is empty",
        fix: "Run `bylaw init` in a new folder",
        source: { file: join(root, name) },
      });
    },
  );

  test.each(Object.keys(SEVEN))("%s in invalid UTF-8", async (name) => {
    const root = project({ [name]: Uint8Array.from([0x23, 0xff, 0xfe, 0x0a]) });
    expect(await error(loadConfig({ cwd: root }))).toMatchObject({
      code: "BYLAW_CONFIG_INVALID",
      message: "The configuration is not valid UTF-8 text",
      source: { file: join(root, name) },
    });
  });

  test.each(Object.keys(SEVEN))("%s that is a directory", async (name) => {
    const root = project({ [`${name}/x`]: "" });
    expect(await error(loadConfig({ cwd: root }))).toMatchObject({ code: "BYLAW_CONFIG_INVALID" });
    expect(await error(loadConfig({ cwd: root, file: name }))).toMatchObject({
      message: expect.stringContaining("is a directory, not a file"),
      source: { file: join(root, name) },
    });
  });
});

describe("finding", () => {
  test("takes the nearest configuration, and does not search if a file is given", async () => {
    const root = project({
      "bylaw.config.json": '{"fallback": "deny"}',
      "a/bylaw.config.toml": 'fallback = "ask_user"',
      "a/b/x": "",
    });
    expect(await loadConfig({ cwd: join(root, "a/b") })).toEqual({
      file: join(root, "a/bylaw.config.toml"),
      config: { fallback: "ask_user" },
    });
    expect(
      (await loadConfig({ cwd: join(root, "a/b"), file: "../../bylaw.config.json" })).config,
    ).toEqual({ fallback: "deny" });
  });

  test("refuses two configurations in one folder and names both", async () => {
    const root = project({ "bylaw.config.json": "{}", "bylaw.config.ts": "export default {}" });
    expect(await error(loadConfig({ cwd: root }))).toMatchObject({
      code: "BYLAW_CONFIG_INVALID",
      message: "The folder has two configurations, `bylaw.config.ts` and `bylaw.config.json`",
    });
  });

  test("says where it searched if there is no configuration", async () => {
    const root = project({ "x/y": "" });
    expect(await error(loadConfig({ cwd: join(root, "x") }))).toMatchObject({
      code: "BYLAW_CONFIG_MISSING",
      fix: "Run `bylaw init`, or name a file with `--config` or `--policy`",
    });
    expect(await error(loadConfig({ cwd: root, file: "gone.toml" }))).toMatchObject({
      code: "BYLAW_CONFIG_MISSING",
      source: { file: join(root, "gone.toml") },
    });
  });

  test("refuses an extension that it does not know", async () => {
    const root = project({ "config.ini": "x" });
    expect(await error(loadConfig({ cwd: root, file: "config.ini" }))).toMatchObject({
      message: expect.stringContaining("`.ini` is not a configuration format"),
    });
  });
});

test.each(["bylaw.config.ts", "bylaw.config.mjs"])(
  "%s with a misspelt key is refused with the nearest known key",
  async (name) => {
    const refusal = async (text: string) =>
      await error(loadConfig({ cwd: project({ [name]: text }) }));
    expect(await refusal('export default { falback: "deny" };')).toMatchObject({
      code: "BYLAW_CONFIG_INVALID",
      message: expect.stringContaining("Unknown key `falback`"),
      fix: "Did you mean `fallback`?",
      source: { file: expect.stringContaining(name) },
    });
    expect((await refusal("export default { colour: undefined };")).fix).toMatch(
      /^Known keys: extends, /,
    );
  },
);

describe("data", () => {
  test.each(readCases<[string, string, number, string]>(import.meta, "advice"))(
    "%s %j is refused at its line with advice",
    async (name, text, line, fix) => {
      const root = project({ [name]: text });
      expect(await error(loadConfig({ cwd: root }))).toMatchObject({
        code: "BYLAW_CONFIG_INVALID",
        fix,
        source: { file: join(root, name), line },
      });
    },
  );

  test.each(readCases<[string, string, number | undefined]>(import.meta, "broken-files"))(
    "%s %.60j is refused",
    async (name, text, line) => {
      const root = project({ [name]: text });
      const { code, source } = await error(loadConfig({ cwd: root }));
      expect(["BYLAW_CONFIG_INVALID", "BYLAW_JSON_INVALID"]).toContain(code);
      expect(source).toMatchObject({
        file: join(root, name),
        ...(line === undefined ? {} : { line }),
      });
    },
  );

  test("a file over 1 MiB is refused without reading it", async () => {
    const root = project({ "bylaw.config.yaml": `#${"x".repeat(2 ** 20)}\nfallback: allow` });
    expect(await error(loadConfig({ cwd: root }))).toMatchObject({
      message: expect.stringContaining("more than 1 MiB"),
    });
  });

  test("a missing package is named with its line, and nobody is told to install a stranger's package", async () => {
    const root = project(
      { "bylaw.config.yaml": "plugins:\n  - acme-words\n  - acme-nothing\n" },
      PACKAGES,
    );
    expect(await error(loadConfig({ cwd: root }))).toEqual({
      code: "BYLAW_CONFIG_UNLOADABLE",
      message: "The package `acme-nothing` is not installed beside the configuration",
      fix: "Correct the name. If you know this package and trust it, install it first",
      source: { file: join(root, "bylaw.config.yaml"), line: 3, column: 5 },
    });
  });

  test.each([
    [
      "recommended",
      "Write `@bylaw/ruleset-recommended`, and run `npm install @bylaw/ruleset-recommended`",
    ],
    ["everydy", "Write `@bylaw/ruleset-everyday`, and run `npm install @bylaw/ruleset-everyday`"],
    ["@bylaw/ruleset-shop", "Run `npm install @bylaw/ruleset-shop`"],
    ["acme-listed", "Run `npm install`"],
    ["@acme/rules", "Correct the name. If you know this package and trust it, install it first"],
  ])("`extends: [%s]` without such a package: %s", async (name, fix) => {
    const root = project({
      "bylaw.config.yaml": `extends: ["${name}"]\n`,
      "package.json": '{ "devDependencies": { "acme-listed": "^1.0.0" } }',
    });
    expect(await error(loadConfig({ cwd: root }))).toMatchObject({ fix });
  });

  test.each(readCases<[string, string]>(import.meta, "package-names"))(
    "%s is refused, because the package must export the kind that the key expects",
    async (text, message) => {
      const root = project(
        { "bylaw.config.toml": text },
        {
          ...PACKAGES,
          "acme-alias": WORDS,
          "acme-broken": "throw new Error('boom\\n at x')".replace("\\n at x", ""),
        },
      );
      expect(await error(loadConfig({ cwd: root }))).toMatchObject({
        code: "BYLAW_CONFIG_UNLOADABLE",
        message,
        source: { line: 1 },
      });
    },
  );

  test("options that a plugin refuses are named with their line", async () => {
    const root = project(
      { "bylaw.config.toml": '[[plugins]]\nuse = "acme-words"\noptions = { tool = ["x"] }\n' },
      PACKAGES,
    );
    expect(await error(loadConfig({ cwd: root }))).toMatchObject({
      code: "BYLAW_OPTIONS_INVALID",
      message: expect.stringContaining("acme-words"),
      source: { file: join(root, "bylaw.config.toml"), line: 1 },
    });
  });
});

describe("modules", () => {
  test.each(["ts", "mjs"])(
    "a throwing bylaw.config.%s is an error with its line and no stack trace",
    async (ending) => {
      const name = `bylaw.config.${ending}`;
      const root = project({
        [name]: '\nconst x = 1;\nthrow new Error("boom " + x);\nexport default {};\n',
      });
      expect(await error(loadConfig({ cwd: root }))).toEqual({
        code: "BYLAW_CONFIG_UNLOADABLE",
        message: "The configuration failed to load: boom 1",
        source: { file: join(root, name), line: 3, column: 7 },
      });
    },
  );

  test.each([
    ["bylaw.config.ts", "\n\nconst = 4;", 3],
    ["bylaw.config.mjs", "\n\nconst = 4;", undefined],
  ])("%s with a syntax error", async (name, text, line) => {
    const root = project({ [name]: text });
    const { code, source } = await error(loadConfig({ cwd: root }));
    expect(code).toBe("BYLAW_CONFIG_UNLOADABLE");
    expect(source).toMatchObject({
      file: join(root, name),
      ...(line === undefined ? {} : { line }),
    });
  });

  test.each(["ts", "mts", "js", "mjs"])(
    "bylaw.config.%s that imports a package that is not installed",
    async (ending) => {
      const root = project({
        [`bylaw.config.${ending}`]: 'import "acme-nothing";\nexport default {};',
      });
      expect(await error(loadConfig({ cwd: root }))).toMatchObject({
        code: "BYLAW_CONFIG_UNLOADABLE",
        message: "The configuration failed to load: `acme-nothing` cannot be found",
        fix: "Correct the name. If you know this package and trust it, install it first",
      });
    },
  );

  test.each(readCases<string>(import.meta, "no-configuration"))(
    "%s is not a configuration",
    async (text) => {
      const root = project({ "bylaw.config.ts": text });
      expect(await error(loadConfig({ cwd: root }))).toMatchObject({
        code: "BYLAW_CONFIG_INVALID",
        fix: "Write `export default defineConfig({ … })`",
      });
    },
  );

  test("TypeScript may import TypeScript, with any extension and syntax, and loading it leaves no file behind", async () => {
    const root = project({
      "bylaw.config.ts":
        'import { fallback } from "./settings";\nimport type { Config } from "@bylaw/kernel";\nexport default { fallback } satisfies Config;',
      "settings.ts":
        'enum Effect { Deny = "deny" }\nexport const fallback = Effect.Deny as const;'.replace(
          " as const",
          "",
        ),
    });
    const before = readdirSync(root, { recursive: true }).length;
    expect((await loadConfig({ cwd: root })).config).toEqual({ fallback: "deny" });
    expect(readdirSync(root, { recursive: true })).toHaveLength(before);
  });

  test("a project without packages of its own gets the bundled ones, in every format", async () => {
    const bundle = project({}, PACKAGES);
    const bundled: BundledPackages = {
      "acme-words": `file://${bundle}/node_modules/acme-words/i.js`,
      "acme-rules": `file://${bundle}/node_modules/acme-rules/i.js`,
      "@bylaw/kernel": import.meta.resolve("@bylaw/kernel"),
    };
    for (const [name, text] of Object.entries(SEVEN)) {
      const root = project({ [name]: text });
      const { kernel } = await createConfiguredKernel({ cwd: root, bundled });
      expect(await kernel.decide(call("push"))).toMatchObject({
        effect: "deny",
        code: "rule_denied",
      });
    }
  });

  test("a package of the project takes precedence over a bundled one", async () => {
    const bundle = project({}, { ...PACKAGES, "acme-words": WORDS.replace("1.2.3", "9.9.9") });
    const bundled = { "acme-words": `file://${bundle}/node_modules/acme-words/i.js` };
    for (const name of ["bylaw.config.ts", "bylaw.config.json"] as const) {
      const root = project({ [name]: SEVEN[name] }, PACKAGES);
      const { report } = await createConfiguredKernel({ cwd: root, bundled });
      expect(report.map(({ version }) => version)).toEqual(["1.2.3", "1.2.3"]);
    }
  });
});

describe("a kernel from a configuration", () => {
  test("`without` drops plugins and rules of `extends`, and an entry that matches nothing is an error with the file", async () => {
    const root = project(
      {
        "drop/bylaw.config.json":
          '{"extends": ["acme-rules"], "without": ["acme-words/drop_table"]}',
        "miss/bylaw.config.json": '{"extends": ["acme-rules"], "without": ["acme-word"]}',
      },
      PACKAGES,
    );
    const { kernel, report } = await createConfiguredKernel({ cwd: join(root, "drop") });
    expect(await kernel.decide(call("drop_table"))).toMatchObject({
      effect: "ask_user",
      code: "fallback",
    });
    expect(report).toMatchObject([{ excludedRules: ["drop_table"] }]);
    expect(await error(createConfiguredKernel({ cwd: join(root, "miss") }))).toMatchObject({
      code: "BYLAW_WITHOUT_UNMATCHED",
      source: { file: join(root, "miss/bylaw.config.json") },
    });
  });

  test.each(readCases<[string, string]>(import.meta, "refused-modules"))(
    "%s is refused with its file",
    async (text, code) => {
      const root = project({ "bylaw.config.ts": text });
      expect(await error(createConfiguredKernel({ cwd: root }))).toMatchObject({
        code,
        source: { file: join(root, "bylaw.config.ts") },
      });
    },
  );

  test("plugins can be added from the configuration's own packages", async () => {
    const root = project({ "bylaw.config.json": JSON_CONFIG }, PACKAGES);
    const files: string[] = [];
    const { report } = await createConfiguredKernel({
      cwd: root,
      add: async (file) => {
        files.push(file);
        const { words } = (await import(`${root}/node_modules/acme-words/i.js`)) as {
          words: (options: object) => never;
        };
        return [words({ tools: ["added"] })];
      },
    });
    expect(files).toEqual([join(root, "bylaw.config.json")]);
    expect(report.at(-1)).toMatchObject({
      options: { tools: ["added"] },
      from: "bylaw.config.json",
    });
  });

  test("a folder named like a package is not a package", async () => {
    const root = project({
      "bylaw.config.json": '{"plugins": ["acme-local"]}',
      "acme-local/index.js": RULES,
    });
    mkdirSync(join(root, "node_modules/acme-local"));
    expect(await error(loadConfig({ cwd: root }))).toMatchObject({
      code: "BYLAW_CONFIG_UNLOADABLE",
    });
  });
});
