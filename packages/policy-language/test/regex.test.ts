import * as fc from "fast-check";
import { readCases } from "@bylaw/testing";
import { expect, test } from "vitest";
import { call, effectOf, run } from "./calls.ts";

const atom = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "b", "ab", " ", "-a") },
  fc.constantFrom(".", "[ab]", "[^a]", "\\.", "\\|", "\\(", "[a|]", "\\d"),
);
const quantified = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(inner, fc.constantFrom("", "", "", "*", "+", "?", "{2}"))
    .map(([text, mark]) => (text.length > 1 && mark !== "" ? `(${text})${mark}` : text + mark));
const sequence = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(quantified(inner), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
const choice = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom("(", "(?:"), fc.array(sequence(inner), { minLength: 1, maxLength: 3 }))
    .map(([open, parts]) => `${open}${parts.join("|")})`);
const nested = sequence(fc.oneof(atom, choice(fc.oneof(atom, choice(atom)))));
const source = fc.oneof(
  nested,
  fc.array(nested, { minLength: 2, maxLength: 3 }).map((parts) => parts.join("|")),
  nested.map((text) => `^${text}$`),
);
const text = fc
  .array(fc.constantFrom("a", "b", "ab", "aa", " ", "-a", ".", "|", "(", "7", "x"), {
    maxLength: 5,
  })
  .map((parts) => parts.join(""));

test("the literal start and end that are searched first hide no match", () => {
  let matched = 0;
  fc.assert(
    fc.property(source, fc.array(text, { minLength: 3, maxLength: 12 }), (regex, texts) => {
      const reference = new RegExp(`^(?:${regex})$`, "su");
      for (const value of texts) {
        const wanted = reference.test(value);
        if (wanted) matched++;
        const denied =
          effectOf(
            [{ action: "deny", tool: "t", args: { a: { regex } } }],
            call("t", { a: value }),
          ) === "deny";
        expect([regex, value, denied]).toEqual([regex, value, wanted]);
      }
    }),
    { numRuns: 750 },
  );
  expect(matched).toBeGreaterThan(500);
});

test("alternatives at the start are found by their literal names", () => {
  const rule = { action: "deny", command_regex: "(curl|git( .*)? push|(rm|dd) x)( .*)?" };
  for (const line of readCases<string>(import.meta, "alternatives")) {
    expect([line, effectOf([rule], run(line))]).toEqual([line, "deny"]);
  }
  for (const line of ["curlx", "git pull", "rm y", "make $X", "echo 'rm x'"])
    expect([line, effectOf([rule], run(line))]).toEqual([line, "abstain"]);
});

test("a denied command far back in a long line is found, or the line is not allowed", () => {
  const far = (count: number, command: string): string =>
    `frobnicate ${"word ".repeat(count)}${command}`;
  expect(
    effectOf(
      [{ action: "deny", command_regex: "git (push|pull)( .*)?" }],
      run(far(3000, "git push x")),
    ),
  ).toBe("deny");
  expect(
    effectOf(
      [{ action: "deny", command_regex: "git (push|pull)( .*)?" }],
      run(far(300, "git log")),
    ),
  ).toBe("abstain");
  expect(
    effectOf([{ action: "deny", command_regex: ".* push( .*)?" }], run(far(3000, "git push x"))),
  ).toBe("deny");
  expect(
    effectOf(
      [{ action: "deny", command_regex: "[a-z]+ push( .*)?" }],
      run(far(3000, "git push x")),
    ),
  ).toBe("ask_user");
});
