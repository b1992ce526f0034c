import { expect, test } from "vitest";
import { json, workplace } from "./bylaw.ts";

const CONFIG = `import { defineConfig, definePlugin, defineRuleset } from "@bylaw/kernel";
import { z } from "zod";
const store = definePlugin({
  name: "@acme/store", version: "1.2.0",
  options: z.strictObject({ url: z.string(), keep: z.number().default(3) }),
  rules: () => [{ name: "full" }, { name: "slow" }], apply() {},
});
const gone = definePlugin({ name: "@acme/gone", version: "1.0.0", options: z.strictObject({}), apply() {} });
const base = defineRuleset({ name: "@acme/base", plugins: [store({ url: "postgres://ann:s3cret@db/x?password=s3cret" }), gone({})] });
const team = defineRuleset({ name: "@acme/team", extends: [base] });
export default defineConfig({
  extends: [team, base],
  without: ["@acme/store/slow", "@acme/gone"],
  plugins: [store({ url: "sqlite:own.db", keep: 9 })],
  fallback: "deny",
});
`;

test("bylaw config show says which file or ruleset brings each setting, plugin and option", async () => {
  const { run } = workplace({ "bylaw.config.mjs": CONFIG });
  const ran = await run("config show");
  expect(ran).toEqual({
    code: 0,
    stdout: `bylaw.config.mjs
  fallback: deny (bylaw.config.mjs)
  approval_mode: ask (default)
  enforcement_mode: strict (default)
  deadline_ms: 10000 (default)
@acme/store 1.2.0
  from bylaw.config.mjs > @acme/base
  also bylaw.config.mjs > @acme/team > @acme/base (counts once)
    url: "postgres://ann:…@db/x?password=…"
    keep: 3
    without: slow
  from bylaw.config.mjs
    url: "sqlite:own.db"
    keep: 9
@acme/gone 1.0.0
  dropped bylaw.config.mjs > @acme/team > @acme/base (without)
  dropped bylaw.config.mjs > @acme/base (without)
`,
    stderr: "",
  });
  const why = json(await run("config show --why @acme/gone --json"));
  expect(why["plugins"]).toEqual([
    {
      plugin: "@acme/gone",
      version: "1.0.0",
      uses: [],
      dropped: ["bylaw.config.mjs > @acme/team > @acme/base", "bylaw.config.mjs > @acme/base"],
    },
  ]);
});

test("a mode that a plugin sets is told as such", async () => {
  const { run } = workplace({
    "bylaw.config.mjs": `import { definePlugin } from "@bylaw/kernel";
import { z } from "zod";
const lax = definePlugin({ name: "lax", version: "1.0.0", options: z.strictObject({}), grants: true,
  apply: (kernel) => kernel.enforcementMode("permissive") });
export default { plugins: [lax({})] };
`,
  });
  const { stdout } = await run("config show");
  expect(stdout).toContain("  enforcement_mode: permissive (a plugin)\n");
});

test.each([
  [
    "--why @acme/stroe",
    "The configuration has no plugin `@acme/stroe`\n  fix: Did you mean `@acme/store`?",
  ],
  ["--config nope.toml", "File not found: nope.toml"],
])("bylaw config show %s", async (args, says) => {
  const ran = await workplace({ "bylaw.config.mjs": CONFIG }).run(`config show ${args}`);
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain(says);
});
