import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { analyze } from "../src/index.ts";
import { effectsOf } from "./told.ts";

const hostsOf = (line: string): readonly string[] =>
  analyze(line).commands.flatMap(({ effects }) =>
    effects.flatMap((effect) => (effect.kind === "network" ? [effect.host ?? "?"] : [])),
  );

test.each(readCases<[string, string[]]>(import.meta, "hosts"))(
  "the hosts of a command include those that its settings redirect it to: %s",
  (line, hosts) => expect(new Set(hostsOf(line))).toEqual(new Set(hosts)),
);

describe("files in the arguments of a script, in options and in an expression", () => {
  test.each(readCases<[string, string[]]>(import.meta, "files"))("%s", (line, effects) =>
    expect(effectsOf(line)).toEqual(expect.arrayContaining(effects)),
  );

  test.each(readCases<[string, string]>(import.meta, "does-nothing"))(
    "%s does nothing to %s",
    (line, name) => expect(effectsOf(line).filter((effect) => effect.endsWith(name))).toEqual([]),
  );
});
