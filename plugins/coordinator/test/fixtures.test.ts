import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createCatalogue,
  createLogVerifier,
  type LogFinding,
  type VerifyOptions,
} from "@bylaw/log";
import { coordinatorOrder } from "../src/index.ts";

interface Expected {
  readonly line: number;
  readonly rule: string;
  readonly severity: string;
  readonly knockOn?: boolean;
}

const folder = join(import.meta.dirname, "fixtures/event-log");
const { expected } = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")) as {
  readonly expected: Readonly<Record<string, readonly Expected[]>>;
};
const linesIn = (file: string): readonly string[] =>
  readFileSync(join(folder, file), "utf8").replace(/\n$/, "").split("\n");
const key = ({ line, rule, severity }: Expected | LogFinding): string =>
  `${line} ${severity} ${rule}`;

const verify = (
  lines: readonly string[],
  options: VerifyOptions = { order: coordinatorOrder },
): readonly LogFinding[] => {
  const verifier = createLogVerifier(options);
  return lines.flatMap((line) => verifier.line(line));
};

describe("the logs of the fixtures", () => {
  it("have an expectation each, and no expectation is without its log", () => {
    expect(globSync("{valid,invalid}/*.jsonl", { cwd: folder }).sort()).toEqual(
      Object.keys(expected).sort(),
    );
  });

  it.each(Object.entries(expected))("%s gives exactly the expected findings", (file, wanted) => {
    const found = verify(linesIn(file)).map(key);
    expect(
      found.filter(
        (finding) => !wanted.some((one) => one.knockOn === true && key(one) === finding),
      ),
    ).toEqual(wanted.filter(({ knockOn }) => knockOn !== true).map(key));
  });

  it.each(Object.keys(expected).filter((file) => file.startsWith("valid/")))(
    "%s holds under a strict catalogue too",
    (file) => {
      expect(
        verify(linesIn(file), {
          order: coordinatorOrder,
          catalogue: createCatalogue({ mode: "strict" }),
        }),
      ).toEqual([]);
    },
  );

  it("is held against the envelope alone where nothing else is asked", () => {
    expect(verify(linesIn("invalid/complete-without-auditor.jsonl"), {})).toEqual([]);
    expect(verify(linesIn("invalid/sequence-gap.jsonl"), {}).map(key)).toEqual([
      "5 warning SEQUENCE_GAP",
    ]);
  });
});
