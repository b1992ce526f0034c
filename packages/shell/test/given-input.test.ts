import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { analyze } from "../src/index.ts";

/** The programs of a line that may get something to read from it. */
const readers = (line: string): readonly (string | undefined)[] =>
  analyze(line).commands.flatMap(({ argv, hasInput }) =>
    hasInput === true ? [argv[0]?.text] : [],
  );

describe("hasInput", () => {
  test.each(readCases<[string, string]>(import.meta, "set"))(
    "is set in %s for %s",
    (line, programs) => {
      expect(readers(line).join(" ")).toBe(programs);
    },
  );

  test.each([
    ...["frob x", "frob > out", "frob 2>&1", "frob && wc", "frob $(id)", "frob | tee"],
    ...["cat <(frob)", "(frob)", "sh -c frob", "f() { frob; }; f", "exec frob", "frob &"],
  ])("is not set for the first program of %s", (line) => {
    expect(readers(line)).not.toContain("frob");
  });
});
