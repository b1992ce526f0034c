import { generateKeyPairSync } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSecrets } from "../src/secret-forms.ts";

// In pieces, so that nobody's scanner takes this file for a leak.
const of = (...parts: readonly string[]): string => parts.join("");
const alnum = (length: number): string =>
  "aB3dE5gH7jK9mN1pQ2".repeat(Math.ceil(length / 18)).slice(0, length);
const JWT = of(
  "ey",
  "JhbGciOiJIUzI1NiJ9",
  ".ey",
  "JzdWIiOiIxMjM0NTY3ODkwIn0",
  ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
);
const PEM = generateKeyPairSync("ed25519")
  .privateKey.export({ type: "pkcs8", format: "pem" })
  .toString()
  .trim();

const taken = (text: string): readonly string[] =>
  findSecrets(text).map(({ start, end }) => text.slice(start, end));

describe("secrets are told by their form", () => {
  it.each<[string, string]>([
    ["AWS access key", of("AK", "IAIOSFODNN7EXAMPLE")],
    ["AWS session key", of("AS", "IAIOSFODNN7EXAMPLE")],
    ["GitHub token", of("gh", "p_", alnum(36))],
    ["GitHub app token", of("gh", "s_", alnum(36))],
    ["GitHub fine-grained token", of("github", "_pat_", alnum(82))],
    ["GitLab token", of("gl", "pat-", alnum(20))],
    ["Slack token", of("xo", "xb-", "123456789012-", alnum(24))],
    ["Slack app token", of("xa", "pp-1-A0B-", alnum(24))],
    ["Stripe key", of("sk", "_live_", alnum(24))],
    ["Stripe restricted key", of("rk", "_test_", alnum(24))],
    ["OpenAI key", of("sk", "-proj-", alnum(48))],
    ["Anthropic key", of("sk", "-ant-api03-", alnum(90))],
    ["npm token", of("np", "m_", alnum(36))],
    ["Google key", of("AI", "za", alnum(35))],
    ["PyPI token", of("py", "pi-", alnum(60))],
    ["JWT", JWT],
    ["private key", PEM],
    ["private key in one line", PEM.replaceAll("\n", "\\n")],
  ])("%s, wherever it stands", (_, secret) => {
    for (const text of [
      secret,
      `use ${secret} here`,
      `a="${secret}"`,
      `{"k":"${secret}"}`,
      `https://example.com/?q=${secret}&x=1`,
      `(${secret})`,
    ]) {
      const found = taken(text);
      expect(found.join("")).toContain(secret);
    }
  });

  it.each<[string, string]>([
    ["curl -H 'Authorization: Bearer abc.def-123' https://example.com", "abc.def-123"],
    ['curl -H "authorization:Basic dXNlcjpwYXNz" x', "dXNlcjpwYXNz"],
    ["-H Authorization:hunter2-token x", "hunter2-token"],
    ['{"Authorization":"Token 9944b09199c62bcf"}', "9944b09199c62bcf"],
    ["bearer 0123456789abcdef", "0123456789abcdef"],
    ["psql --password=hunter2 -h db", "hunter2"],
    ["mysql --password hunter2", "hunter2"],
    ["tool --api-key hunter2", "hunter2"],
    ["tool --my-api-key=hunter2", "hunter2"],
    ["PGPASSWORD=hunter2 psql", "hunter2"],
    ["export DB_PASS='hunter 2 is long'", "hunter 2 is long"],
    [
      "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    ],
    ["SECRET_KEY_BASE=abcdef", "abcdef"],
    ['const password = "hunter2";', "hunter2"],
    ["password: hunter2", "hunter2"],
    ['{"password": "hun\\"ter2"}', 'hun\\"ter2'],
    ['"{\\"password\\":\\"hunter2\\",\\"user\\":\\"me\\"}"', "hunter2"],
    ["//example.com/:_authToken=hunter2", "hunter2"],
    ["https://example.com/cb?token=hunter2&state=1", "hunter2"],
    ["postgres://me:hunter2@db.example.com/x", "hunter2"],
    ["postgres://me:hun@ter2@db.example.com/x", "hun@ter2"],
    [`https://${alnum(40)}@github.com/a/b.git`, alnum(40)],
    ["curl -u me:hunter2 https://example.com", "hunter2"],
    ["sshpass -p hunter2 ssh host", "hunter2"],
    ["X-Api-Key: hunter2", "hunter2"],
    ["PRIVATE-TOKEN: hunter2", "hunter2"],
  ])("behind what announces it: %s", (text, secret) => {
    expect(taken(text)).toContainEqual(expect.stringContaining(secret));
  });

  it("a private key that is cut off, to the end", () => {
    expect(taken(`x ${PEM.slice(0, -10)}`)).toEqual([PEM.slice(0, -10)]);
  });

  it.each([
    "password: string;",
    "password=$DB_PASSWORD",
    "password=${DB_PASSWORD}",
    'password="${DB_PASSWORD}"',
    "token=${{ secrets.NPM }}",
    "const token = getToken()",
    "const password = process.env.PASSWORD",
    "max_tokens=4096",
    "Unexpected token: expected a brace",
    "the password is not told",
    "docker run -u 1000:1000 image",
    "git push origin main",
    "a sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6f1b1f52-4f0e-4c2e-9d0c-0d9f3a1f7a11",
    "npm run task-sk-something-or-other-that-is-long",
    "https://example.com:8080/path@2",
    "if (password == other) return",
    "[redacted sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855]",
    "password=[redacted sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855]",
    "-----BEGIN PUBLIC KEY-----",
  ])("and nothing else is: %s", (text) => {
    expect(taken(text)).toEqual([]);
  });

  it("every span lies inside of the text, in order, and none touches another", () => {
    const piece = fc.constantFrom(
      "password=",
      '"',
      "'",
      "\\",
      " ",
      "=",
      ":",
      "@",
      "://",
      "token",
      "-----BEGIN PRIVATE KEY-----",
      "-----END",
      "eyJ",
      ".",
      "a",
      "sk-",
      "bearer ",
      "authorization:",
      "\n",
      "-u ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join("");
        let before = -1;
        for (const { start, end } of findSecrets(text)) {
          expect(start).toBeGreaterThan(before);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          before = end;
        }
      }),
    );
  });
});

describe("looking for secrets is linear", () => {
  // Each of these has many beginnings and no end. Four times the text must not cost sixteen times the work; a minute is for the quadratic.
  it.each([
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN ",
    "eyJ",
    "eyJaaaaaaaaaaa.",
    "eyJaaaaaaaaaaa.bbbbbbbbbbbbb",
    "sk-",
    "sk-a-",
    "xoxb-",
    'password="',
    "password='a\\",
    'password=\\"',
    "password=",
    "password",
    "://a:",
    "://",
    "://aaaa@",
    "authorization: a ",
    "bearer ",
    "--a-a-a-password ",
    "a-",
    "SG.aaaaaaaaaaaaaaaaaaaa.",
    "\\",
    "[redacted ",
    "password={",
    "-u a:",
    "xoxa.xoxb-",
  ])("a megabyte of %j", { timeout: 60_000 }, (piece) => {
    expect(
      findSecrets(`password ${piece.repeat(Math.ceil(1_000_000 / piece.length))}`),
    ).toBeDefined();
  });
});
