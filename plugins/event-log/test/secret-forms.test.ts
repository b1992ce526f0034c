import { generateKeyPairSync } from "node:crypto";
import * as fc from "fast-check";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { findSecrets } from "../src/secret-forms.ts";

const alnum = (length: number): string =>
  "aB3dE5gH7jK9mN1pQ2".repeat(Math.ceil(length / 18)).slice(0, length);
const PEM = generateKeyPairSync("ed25519")
  .privateKey.export({ type: "pkcs8", format: "pem" })
  .toString()
  .trim();

const taken = (text: string): readonly string[] =>
  findSecrets(text).map(({ start, end }) => text.slice(start, end));

describe("secrets are recognized by their form", () => {
  it.each(readCases<[string, string]>(import.meta, "secrets"))(
    "%s, wherever it stands",
    (_, secret) => {
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
    },
  );

  it.each<[string, string]>([
    ...readCases<[string, string]>(import.meta, "announced"),
    [`https://${alnum(40)}@github.com/a/b.git`, alnum(40)],
  ])("after what announces them: %s", (text, secret) => {
    expect(taken(text)).toContainEqual(expect.stringContaining(secret));
  });

  it("a private key that is cut off, up to the end", () => {
    expect(taken(`x ${PEM.slice(0, -10)}`)).toEqual([PEM.slice(0, -10)]);
  });

  it.each(readCases<string>(import.meta, "no-secrets"))("and nothing else: %s", (text) => {
    expect(taken(text)).toEqual([]);
  });

  it("every span lies within the text, in order, and none touches another", () => {
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

// Each of these has many beginnings and no end. A fourfold text must not take sixteen times as long; the limit of a minute only catches
// quadratic time.
it.each(readCases<string>(import.meta, "pieces"))(
  "looking for secrets takes linear time: a megabyte of %j",
  { timeout: 60_000 },
  (piece) => {
    expect(
      findSecrets(`password ${piece.repeat(Math.ceil(1_000_000 / piece.length))}`),
    ).toBeDefined();
  },
);
