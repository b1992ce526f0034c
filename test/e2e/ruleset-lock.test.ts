import { generateKeyPairSync } from "node:crypto";
import { createRequire } from "node:module";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { bylawHere, json, scratch, type Ran } from "./bylaw.ts";
import { INDEX, NAME, NOW, OLD, packageAt, POLICY, ruleset, type Files } from "./ruleset-kit.ts";

const LOCK = ".bylaw/rulesets.lock.json";
const check = (cwd: string): Promise<Ran> => bylawHere("check --tool refund", { cwd });
const put = (cwd: string, folder: string, files: Files): void => {
  for (const [file, text] of Object.entries(packageAt(folder, files)))
    writeFileSync(join(cwd, file), text);
};
const LOOSE = {
  manifest: { version: "2.0.0" },
  "policy.toml": POLICY.replace('"deny"', '"ask_user"'),
};

/** Installs what a ruleset imports. */
function install(cwd: string): string {
  mkdirSync(join(cwd, "node_modules/@bylaw"), { recursive: true });
  for (const name of ["kernel", "plugin-policy"])
    symlinkSync(
      dirname(createRequire(import.meta.url).resolve(`@bylaw/${name}/package.json`)),
      join(cwd, "node_modules/@bylaw", name),
    );
  return cwd;
}

/** A project that accepted version 1.0.0, which is kept as the older one. */
async function accepted(
  config = "bylaw.config.json",
  text = `{"extends":["${NAME}"]}`,
): Promise<string> {
  const cwd = install(scratch({ ...packageAt(OLD), ...packageAt(NOW), [config]: text }));
  const ran = await ruleset(cwd, `accept ${NAME}`);
  expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: "" });
  expect(ran.stdout).toMatch(/^accepted @acme\/rules 1\.0\.0 sha256:[0-9a-f]{64} in \.bylaw/);
  return cwd;
}

describe("a lock of rulesets", () => {
  test("lets the accepted version decide, and a looser one only once a person has seen what it loosens", async () => {
    const cwd = await accepted();
    expect(await check(cwd)).toMatchObject({ code: 1 });
    put(cwd, NOW, LOOSE);
    const refused = await check(cwd);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(
      "BYLAW_RULESET_UNACCEPTED: The installed files of `@acme/rules` are not those of 1.0.0",
    );
    expect(refused.stderr).toContain("fix: Run `bylaw ruleset accept @acme/rules`");
    const before = readFileSync(join(cwd, LOCK), "utf8");
    const told = await ruleset(cwd, `accept ${NAME} --against ${OLD}`);
    expect(told).toMatchObject({ code: 1, stderr: "" });
    expect(told.stdout).toContain("deny → ask_user bare refund {}");
    expect(told.stdout).toContain("Nothing was recorded. To accept that, add `--looser`.");
    expect(readFileSync(join(cwd, LOCK), "utf8")).toBe(before);
    const recorded = json(await ruleset(cwd, `accept ${NAME} --against ${OLD} --looser --json`));
    expect(recorded).toMatchObject({ recorded: true, looser: { than: "1.0.0", number: 1 } });
    expect(await check(cwd)).toMatchObject({ code: 3 });
  });

  test("takes a stricter version at once", async () => {
    const cwd = await accepted();
    put(cwd, NOW, { manifest: { version: "1.1.0" }, "policy.toml": `default = "deny"\n${POLICY}` });
    expect(await ruleset(cwd, `accept ${NAME} --against ${OLD}`)).toMatchObject({ code: 0 });
    expect(await check(cwd)).toMatchObject({ code: 1 });
  });

  test.each([
    ["a configuration that is data", "bylaw.config.json", undefined],
    [
      "a configuration that is code",
      "bylaw.config.mjs",
      `import { rules } from "${NAME}"; export default { extends: [rules] };`,
    ],
  ])("refuses changed code before it runs: %s", async (_, config, text) => {
    const cwd = await accepted(config, text);
    put(cwd, NOW, {
      "index.js": `import { writeFileSync } from "node:fs"; writeFileSync("ran", "");\n${INDEX}`,
    });
    expect((await check(cwd)).stderr).toContain("BYLAW_RULESET_UNACCEPTED");
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });

  test("refuses an installed ruleset that it does not have, also below another", async () => {
    const name = "@acme/base";
    const base = { manifest: { name }, "index.js": INDEX.replace(NAME, name) };
    const over = INDEX.replace(
      "import { policy }",
      `import { rules as base } from "${name}";\nimport { policy }`,
    ).replace("plugins:", "extends: [base], plugins:");
    const cwd = install(
      scratch({
        ...packageAt(NOW, { "index.js": over }),
        ...packageAt(`node_modules/${name}`, base),
        "bylaw.config.json": `{"extends":["${NAME}"]}`,
      }),
    );
    expect(await ruleset(cwd, `accept ${NAME}`)).toMatchObject({ code: 0 });
    expect((await check(cwd)).stderr).toContain("The ruleset `@acme/base` was never accepted");
    expect(await ruleset(cwd, `accept ${name}`)).toMatchObject({ code: 0 });
    expect(await check(cwd)).toMatchObject({ code: 1 });
  });

  test("refuses a link, a lock that is broken, and an older version that is not the accepted one", async () => {
    const cwd = await accepted();
    put(cwd, OLD, LOOSE);
    put(cwd, NOW, { ...LOOSE, manifest: { version: "2.1.0" } });
    const other = await ruleset(cwd, `accept ${NAME} --against ${OLD} --looser`);
    expect(other.stderr).toContain(`${OLD} is not the 1.0.0 that was accepted`);
    rmSync(join(cwd, NOW, "policy.toml"));
    symlinkSync(join(cwd, OLD, "policy.toml"), join(cwd, NOW, "policy.toml"));
    expect((await check(cwd)).stderr).toContain("policy.toml is a link");
    for (const text of ["{", '{"rulesets":{"a":{}}}', "[]"]) {
      writeFileSync(join(cwd, LOCK), text);
      expect((await check(cwd)).stderr).toContain("BYLAW_LOCK_INVALID");
    }
  });
});

describe("bylaw ruleset sign", () => {
  const keys = generateKeyPairSync("ed25519");
  const secret = keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const pem = keys.publicKey.export({ type: "spki", format: "pem" }).toString();
  const other = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" });
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
    type: "pkcs8",
    format: "pem",
  });
  const project = (): string => {
    const cwd = install(
      scratch({
        ...packageAt(OLD),
        ...packageAt(NOW),
        "bylaw.config.json": `{"extends":["${NAME}"]}`,
        "key.pem": secret,
        "pub.pem": pem,
        "other.pem": other,
        "rsa.pem": rsa,
      }),
    );
    for (const file of ["key.pem", "rsa.pem"]) chmodSync(join(cwd, file), 0o600);
    return cwd;
  };

  test("signs with a key from a file or the environment; a ruleset with a key needs its signature", async () => {
    const cwd = project();
    expect(await ruleset(cwd, `sign ${NOW} --key key.pem`)).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(cwd, NOW, "ruleset.jws"), "utf8")).toMatch(/^[\w-]+\.\.[\w-]+\n$/);
    expect((await ruleset(cwd, `accept ${NAME} --key other.pem`)).stderr).toContain(
      "BYLAW_RULESET_UNSIGNED: The signature is not by this key",
    );
    expect(existsSync(join(cwd, LOCK))).toBe(false);
    expect(await ruleset(cwd, `accept ${NAME} --key pub.pem`)).toMatchObject({ code: 0 });
    expect(await check(cwd)).toMatchObject({ code: 1 });
    put(cwd, NOW, { manifest: { version: "1.0.1" } });
    const stale = await ruleset(cwd, `accept ${NAME} --against ${OLD}`);
    expect(stale).toMatchObject({ code: 2, stdout: "" });
    expect(stale.stderr).toContain("BYLAW_RULESET_UNSIGNED");
    rmSync(join(cwd, NOW, "ruleset.jws"));
    expect((await ruleset(cwd, `accept ${NAME} --against ${OLD}`)).stderr).toContain(
      "The ruleset is not signed",
    );
    const signed = await bylawHere(`ruleset sign ${NOW}`, {
      cwd,
      env: { BYLAW_SIGNING_KEY: secret },
    });
    expect(signed).toMatchObject({ code: 0 });
    expect(await ruleset(cwd, `accept ${NAME} --against ${OLD}`)).toMatchObject({ code: 0 });
  });

  test("runs no code of files that are not signed, or that replace the accepted version", async () => {
    const cwd = project();
    const runs = `import { writeFileSync } from "node:fs"; writeFileSync("ran", "");\n${INDEX}`;
    await ruleset(cwd, `sign ${NOW} --key key.pem`);
    expect(await ruleset(cwd, `accept ${NAME} --key pub.pem`)).toMatchObject({ code: 0 });
    put(cwd, NOW, { manifest: { version: "1.0.1" }, "index.js": runs });
    const changed = await ruleset(cwd, `accept ${NAME} --against ${OLD}`);
    expect(changed.stderr).toContain("BYLAW_RULESET_UNSIGNED");
    await ruleset(cwd, `sign ${NOW} --key key.pem`);
    put(cwd, OLD, { "index.js": runs });
    const replaced = await ruleset(cwd, `accept ${NAME} --against ${OLD}`);
    expect(replaced.stderr).toContain("is not the 1.0.0 that was accepted");
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });

  test("refuses a signature that contains its own content", async () => {
    const cwd = project();
    await ruleset(cwd, `sign ${NOW} --key key.pem`);
    const file = join(cwd, NOW, "ruleset.jws");
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace("..", `.${Buffer.from("sha256:").toString("base64url")}.`),
    );
    expect((await ruleset(cwd, `accept ${NAME} --key pub.pem`)).stderr).toContain(
      "BYLAW_RULESET_UNSIGNED",
    );
  });

  test.each([
    ["pub.pem", "BYLAW_KEY_EXPOSED"],
    ["rsa.pem", "an Ed25519 private key in PKCS #8"],
    ["none.pem", "BYLAW_KEY_INVALID"],
    [undefined, "an Ed25519 private key in PKCS #8"],
  ])("refuses the key %s and leaves no signature", async (key, says) => {
    const cwd = project();
    const ran = await ruleset(cwd, `sign ${NOW}${key === undefined ? "" : ` --key ${key}`}`);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(says);
    expect(ran.stderr).not.toContain("MC4CAQAw");
    expect(existsSync(join(cwd, NOW, "ruleset.jws"))).toBe(false);
  });

  test("refuses a package that npm would publish without its signature", async () => {
    const cwd = scratch({ ...packageAt("rules"), "key.pem": secret });
    chmodSync(join(cwd, "key.pem"), 0o600);
    const ran = await ruleset(cwd, "sign rules --key key.pem");
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain('Add "ruleset.jws" to `files` in `package.json`');
    expect(existsSync(join(cwd, "rules/ruleset.jws"))).toBe(false);
  });
});
