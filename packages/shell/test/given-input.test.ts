import { describe, expect, test } from "vitest";
import { analyze } from "../src/index.ts";

/** The programs of a line that may get something to read from it. */
const readers = (line: string): readonly (string | undefined)[] =>
  analyze(line).commands.flatMap(({ argv, hasInput }) =>
    hasInput === true ? [argv[0]?.text] : [],
  );

describe("hasInput", () => {
  test.each([
    ["id | frob", "frob"],
    ["id | frob | wc -l", "frob wc"],
    ["id |& frob", "frob"],
    ["frob <<< x", "frob"],
    ["frob <<EOF\nx\nEOF", "frob"],
    ["frob < in", "frob"],
    ["frob <> in", "frob"],
    ["frob <&3", "frob"],
    ["frob < <(id)", "frob"],
    ["frob /dev/fd/3 3< in", "frob"],
    ["{ frob; wc; } < in", "frob wc"],
    ["{ frob; } 3< in", "frob"],
    ["id | (frob; wc)", "frob wc"],
    ["if true; then frob; fi < in", "true frob"],
    ["while read x; do frob; done < in", "read frob"],
    ["id | while read x; do frob; done", "read frob"],
    ["id | for x in 1 2; do frob; done", "frob"],
    ["id | sudo frob", "sudo frob"],
    ["sudo frob < in", "sudo frob"],
    ["id | sh -c 'frob'", "sh frob"],
    ["id | xargs frob", "xargs frob"],
    ["id | echo $(frob)", "echo frob"],
    ["id | tee >(frob)", "tee frob"],
    ["coproc frob", "frob"],
    ["exec < in; frob", "exec frob"],
    ["frob; exec 0< in", "frob exec"],
    ["eval 'exec < in'; frob", "eval exec frob"],
    ["f() { frob; }; id | f", "frob id f"],
  ])("is set in %s for %s", (line, programs) => {
    expect(readers(line).join(" ")).toBe(programs);
  });

  test.each([
    ...["frob x", "frob > out", "frob 2>&1", "frob && wc", "frob $(id)", "frob | tee"],
    ...["cat <(frob)", "(frob)", "sh -c frob", "f() { frob; }; f", "exec frob", "frob &"],
  ])("is not set for the first program of %s", (line) => {
    expect(readers(line)).not.toContain("frob");
  });
});
