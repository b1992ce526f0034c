import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createConfiguredKernel, parseData } from "@bylaw/config";
import { resolveSettings } from "@bylaw/orchestrator";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { filesAt, root, textOf } from "./workspaces.ts";

const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  strictTypes: false,
  strictRequired: false,
});
const schemaNamed = (name: string): object =>
  JSON.parse(textOf(`packages/cli/schemas/${name}.json`)) as object;
const configuration = ajv.compile(schemaNamed("config"));
const settings = ajv.compile(schemaNamed("serve"));
const operators = ajv.compile(schemaNamed("operators"));

const folder = temporaryFolder();
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));

function mistakes(validate: ValidateFunction, value: unknown): readonly string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message = "" }) => `${instancePath} ${message}`,
  );
}

const node = (...args: readonly string[]) =>
  spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });

it("every published schema is current", () => {
  const { status, stdout, stderr } = node(join(root, "tools/schemas.ts"), "--check");
  expect({ status, told: `${stdout}${stderr}` }).toEqual({ status: 0, told: "" });
});

/** The blocks of a page in a data format that hold a configuration. */
const blocksOf = (page: string): readonly (readonly [name: string, text: string])[] =>
  Array.from(
    textOf(page).matchAll(/^```(json|yaml|toml)\n([\s\S]*?)^```$/gm),
    ([, kind, text = ""], at) => [`${page} block ${at + 1}.${kind}`, text] as const,
  );

const files = filesAt("{docs/examples,packages/create-bylaw/templates}/*/bylaw.config.json");
const configurations = [
  ...files.map((file) => [file, textOf(file)] as const),
  ...blocksOf("docs/configuration.md"),
];

it("there are configurations to try", () => {
  expect(files.length).toBeGreaterThan(3);
  expect(configurations.length).toBeGreaterThan(files.length + 3);
});

it.each(configurations)("%s is valid", async (name, text) => {
  const { value } = await parseData(name, text);
  expect(mistakes(configuration, value)).toEqual([]);
});

it.each(["json", "yaml", "toml"])("what `init --format %s` writes is valid", async (format) => {
  const own = join(folder, format);
  const ran = node(join(root, "packages/cli/bin/bylaw.js"), "init", own, "--format", format);
  expect(ran).toMatchObject({ status: 0, stderr: "" });
  const name = `bylaw.config.${format}`;
  const text = readFileSync(join(own, name), "utf8");
  expect(mistakes(configuration, (await parseData(name, text)).value)).toEqual([]);
  const [, named = ""] = /schema(?:=|":? "?| )(\.[^"\s]+)/.exec(text) ?? [];
  expect(filesAt(named.replace("./node_modules/@bylaw/cli", "packages/cli"))).toHaveLength(1);
});

it("a package that is not Bylaw's may have any options", () => {
  const plugins = ["own-plugin", { use: "@acme/plugin", options: { anything: [1] } }];
  expect(mistakes(configuration, { extends: ["@acme/rules"], plugins })).toEqual([]);
});

it.each(readCases<object>(import.meta, "configurations-refused"))(
  "a configuration that the schema refuses does not load: %j",
  async (config) => {
    expect(mistakes(configuration, config)).not.toEqual([]);
    const file = join(folder, "bylaw.config.json");
    writeFileSync(file, JSON.stringify(config));
    await expect(createConfiguredKernel({ file })).rejects.toMatchObject({
      code: expect.stringMatching(/^BYLAW_(?:CONFIG|OPTIONS)_INVALID$/),
    });
  },
);

it("the line of the schema changes no setting", () => {
  const written = { $schema: "./node_modules/@bylaw/cli/schemas/serve.json", port: 8_080 };
  expect(mistakes(settings, written)).toEqual([]);
  writeFileSync(join(folder, "bylaw.serve.json"), JSON.stringify(written));
  expect(resolveSettings({ cwd: folder }).settings).toEqual(
    resolveSettings({ flags: { port: "8080" }, cwd: root }).settings,
  );
});

it.each(readCases<object>(import.meta, "settings-refused"))(
  "settings that the schema refuses do not start a server: %j",
  (wrong) => {
    expect(mistakes(settings, wrong)).not.toEqual([]);
    writeFileSync(join(folder, "wrong.json"), JSON.stringify(wrong));
    expect(() => resolveSettings({ file: "wrong.json", cwd: folder })).toThrow("Settings: ");
  },
);

it("operators are as the page of approvals says", () => {
  const blocks = blocksOf("docs/approvals.md").filter(([, text]) => text.includes("operators"));
  expect(blocks.length).toBeGreaterThan(1);
  for (const [name, text] of blocks) {
    const whole = text.replaceAll("sha256:…", `sha256:${"0".repeat(64)}`);
    expect(mistakes(operators, JSON.parse(whole)), name).toEqual([]);
    expect(mistakes(operators, JSON.parse(whole.replaceAll("token", "tokens"))), name).not.toEqual(
      [],
    );
  }
});
