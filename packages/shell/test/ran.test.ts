import { expect, it } from "vitest";
import { analyze } from "../src/index.ts";
import { ran } from "./bash.ts";
import { codesOf } from "./kit.ts";
import { probes } from "./probes.ts";

it("reports everything that bash runs, or reports it as unknown", () => {
  const lines = probes().filter((_, index) => index % 9 === 0);
  const truth = ran(lines);
  const missed = lines.filter((line, index) => {
    const analysis = analyze(line);
    return (
      truth[index] &&
      codesOf(analysis).length === 0 &&
      !analysis.commands.some(({ argv }) => argv[0]?.text === "pwned")
    );
  });
  expect(missed).toEqual([]);
  expect(truth.filter(Boolean).length).toBeGreaterThan(250);
});
