import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ContractError,
  lintContract,
  lintContractFile,
  loadContract,
  parseContract,
} from "../src/index.ts";
import * as fc from "fast-check";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { brief, changed, CLEAN, findingsIn, MIGRATED } from "./kit.ts";

function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = temporaryFolder();
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(join(root, file, ".."), { recursive: true });
    writeFileSync(join(root, file), content);
  }
  return root;
}

describe("a hostile text", () => {
  const laughs = [
    "a: &a [x, x, x, x, x, x, x, x, x]",
    ...Array.from(
      { length: 12 },
      (_, i) =>
        `${"bcdefghijklm"[i] ?? ""}: &${"bcdefghijklm"[i] ?? ""} [${`*${"abcdefghijkl"[i] ?? ""}, `.repeat(9)}]`,
    ),
  ].join("\n");
  it.each([
    ["a billion laughs", laughs, "contract_yaml"],
    [
      "an alias",
      changed(
        CLEAN,
        ["[read_files, grep]", "&t [read_files, grep]"],
        ["allowed_tools: [read_files]\n", "allowed_tools: *t\n"],
      ),
      "contract_yaml",
    ],
    ["a merge key", changed(CLEAN, ["  mode: strict", "  <<: { mode: strict }"]), "contract_yaml"],
    ["a custom tag", changed(CLEAN, ["name: Small", "name: !!js/function 'x'"]), "contract_yaml"],
    [
      "a tag that turns a boolean into text",
      changed(CLEAN, ["enabled: true, exp", "enabled: !!str true, exp"]),
      "contract_yaml",
    ],
    ["another version of YAML", `%YAML 1.1\n---\n${CLEAN}`, "contract_yaml"],
    ["two documents", `${CLEAN}---\n${CLEAN}`, "contract_yaml"],
    [
      "a key `__proto__`",
      changed(CLEAN, ["  mode: strict", "  __proto__: { mode: strict }"]),
      "contract_yaml",
    ],
    ["a key that is a number", changed(CLEAN, ["  mode: strict", "  1: strict"]), "contract_yaml"],
    [
      "a key that is a list",
      changed(CLEAN, ["  mode: strict", "  ? [mode]\n  : strict"]),
      "contract_yaml",
    ],
    ["a number that is not valid", changed(CLEAN, ["7200", ".nan"]), "contract_yaml"],
    ["brackets without end", `a: ${"[".repeat(100_000)}`, "contract_yaml"],
    [
      "lists that are nested too deeply",
      changed(CLEAN, ['value: ""', `value: ${"[".repeat(60)}${"]".repeat(60)}`]),
      "contract_yaml",
    ],
    ["10 MB", `# ${"x".repeat(10_000_000)}\n`, "contract_text"],
    ["half a surrogate", `name: "\ud800"\n`, "contract_text"],
    ["bytes that are not UTF-8", Uint8Array.from([0x6e, 0x3a, 0x20, 0xff, 0xfe]), "contract_text"],
    ["UTF-16", Buffer.from(CLEAN, "utf16le"), "contract_yaml"],
    ["only a comment", "# phases\n", "contract_yaml"],
    ["a list", "- phases\n", "contract_yaml"],
    [
      "a path of a condition that begins elsewhere",
      changed(CLEAN, ['"$.plan_document.title"', "plan_document.title"]),
      "wrong_value",
    ],
    ["a name with a line break", changed(CLEAN, ["id: PLAN", 'id: "PLAN\\n"']), "wrong_value"],
    [
      "half a surrogate in an escape",
      changed(CLEAN, ["name: Small", 'name: "\\ud800"']),
      "contract_yaml",
    ],
    [
      "a name with an invisible character",
      changed(CLEAN, ["id: PLAN", 'id: "PL\\u200bAN"']),
      "wrong_value",
    ],
    [
      "a name that is displayed backwards",
      changed(CLEAN, ["id: PLAN", "id: PLAN\u202e"]),
      "wrong_value",
    ],
    ["a name with blanks around it", changed(CLEAN, ["id: PLAN", 'id: " PLAN"']), "wrong_value"],
  ])("%s is an error with a place, and does not throw", (_, text, code) => {
    const { contract, findings } = lintContract(text, "c.yaml");
    expect(contract).toBeUndefined();
    expect(
      findings.filter(({ severity }) => severity === "error").map((finding) => finding.code),
    ).toContain(code);
    for (const { line, column, message } of findings) {
      expect([
        line >= 1,
        column >= 1,
        message.length < 2000,
        /[\p{Cc}\p{Cf}]/u.test(message),
      ]).toEqual([true, true, true, false]);
    }
  });

  it("with thousands of mistakes gives at most a thousand findings, with an error among them", () => {
    const many = changed(CLEAN, [
      "tools: [deploy]",
      `tools: [${"deploy, ".repeat(3000)}deploy]\nnmae: x`,
    ]);
    const findings = findingsIn(many);
    expect(findings.length).toBeLessThanOrEqual(1001);
    expect(brief(findings)).toContain("error unknown_key");
  });

  it("with tens of thousands of keys is refused key by key", () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join("\n");
    expect(findingsIn(keys).length).toBeGreaterThan(99);
  });

  it("of any kind never throws", () => {
    const parts = fc.constantFrom(
      "phases:",
      "\n",
      "  - ",
      "id: ",
      "{",
      "}",
      "[",
      "]",
      ": ",
      "&a ",
      "*a",
      "!!x ",
      "|",
      ">",
      "'",
      '"',
      "#",
      "\t",
      "%",
      "---\n",
      "PLAN",
      "~",
      "1",
      "? ",
      ", ",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(parts, { maxLength: 40 }).map((list) => list.join("")),
          fc.string({ unit: "binary" }),
        ),
        (text) => {
          const { contract, findings } = lintContract(text, "c.yaml");
          return (
            contract === undefined &&
            findings.length > 0 &&
            findings.every(({ message }) => !/[\p{Cc}\p{Cf}]/u.test(message))
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it("made from a good one by dropping or repeating lines never throws, and loads only without an error", () => {
    const lines = CLEAN.split("\n");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(lines.length - 1), fc.constantFrom("drop", "twice", "swap")), {
          minLength: 1,
          maxLength: 4,
        }),
        (edits) => {
          const copy = [...lines];
          for (const [at, kind] of edits) {
            if (kind === "drop") copy.splice(at, 1);
            else if (kind === "twice") copy.splice(at, 0, lines[at] ?? "");
            else copy.splice(at, 2, copy[at + 1] ?? "", copy[at] ?? "");
          }
          const { contract, findings } = lintContract(copy.join("\n"), "c.yaml");
          return (
            (contract !== undefined) === findings.every(({ severity }) => severity === "warning")
          );
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("all mistakes at once", () => {
  it("a wrong shape does not hide faults elsewhere", () => {
    const text = changed(
      CLEAN,
      ["mode: strict", "mode: strct"],
      ["gate: built", "gate: build"],
      ["[git_commit]\ntrans", "[git_comit]\ntrans"],
      ["name: Small", "nmae: Small"],
    );
    expect(brief(findingsIn(text))).toEqual(
      expect.arrayContaining([
        "error unknown_key",
        "error wrong_value",
        "error unknown_gate",
        "error unknown_tool",
      ]),
    );
  });

  it("each says what is expected", () => {
    const text = changed(
      CLEAN,
      ['"$.plan_document.title"', "plan_document.title"],
      ["expiry_seconds: 7200", "secret_env_var: a-b"],
      ["monitoring:\n", 'monitoring:\n  export: { path: "a\\n" }\n'],
    );
    expect(findingsIn(text).map(({ message }) => /must be (.*), not /.exec(message)?.[1])).toEqual([
      "a path that begins with `$.`",
      "the name of an environment variable",
      "a name in one line, all of it visible, without blanks around it",
    ]);
  });

  it("a misspelt key is read as the nearest known key, so that the rest can be checked", () => {
    expect(brief(findingsIn(changed(CLEAN, ["gate: built }", "gat: built }"])))).toEqual([
      "error unknown_key",
    ]);
  });

  it("the thrown error names the first finding, counts the others and contains all", () => {
    const text = changed(
      CLEAN,
      ["gate: built", "gate: build"],
      ["[git_commit]\ntrans", "[git_comit]\ntrans"],
    );
    let thrown: unknown;
    try {
      parseContract(text, "c.yaml");
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ContractError);
    expect(thrown).toMatchObject({
      code: "BYLAW_CONTRACT_INVALID",
      message: expect.stringMatching(/^c\.yaml:\d+:\d+: Unknown .* \(and 1 more\)$/) as string,
    });
    expect(brief((thrown as ContractError).findings)).toEqual([
      "error unknown_tool",
      "error unknown_gate",
    ]);
  });
});

describe("the same contract", () => {
  it("WF-48 with a byte order mark, other line ends or comments has the same places and the same digest", () => {
    const { digest } = parseContract(CLEAN, "c.yaml");
    expect(parseContract(`\ufeff${CLEAN}`, "c.yaml").digest).toBe(digest);
    expect(parseContract(CLEAN.replaceAll("\n", "\r\n"), "c.yaml").digest).toBe(digest);
    expect(parseContract(Buffer.from(`${CLEAN}# end\n`), "other.yaml").digest).toBe(digest);
    expect(
      parseContract(changed(CLEAN, ["expiry_seconds: 7200", "expiry_seconds: 7201"]), "c.yaml")
        .digest,
    ).not.toBe(digest);
    const wrong = changed(CLEAN, ["gate: built", "gate: build"]);
    const places = (text: string): readonly unknown[] =>
      findingsIn(text).map(({ line, column, code }) => [line, column, code]);
    expect(places(wrong.replaceAll("\n", "\r\n"))).toEqual(places(wrong));
  });

  it("is frozen at every level", () => {
    const frozen = (value: unknown): boolean =>
      typeof value !== "object" ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(parseContract(MIGRATED.text, "c.yaml"))).toBe(true);
  });
});

describe("schema files", () => {
  const WITH_FILE = changed(
    CLEAN,
    ["schema: plan", "schema: schemas/own.json"],
    [
      "schemas:\n  plan:\n    type: object\n    required: [title]\n    properties:\n      title: { type: string, minLength: 1 }\n",
      "schemas_dir: more\n",
    ],
  );

  it("are read next to the contract, then in `schemas_dir`, and are part of the digest", () => {
    const one = loadContract(
      join(folder({ "c.yaml": WITH_FILE, "schemas/own.json": '{"type":"object"}' }), "c.yaml"),
    );
    expect(one.phases[0]?.artifacts[0]?.schema).toEqual({
      ref: "schemas/own.json",
      from: "file",
      value: { type: "object" },
    });
    expect(one.protectedPaths).toEqual(["c.yaml", "schemas/own.json", "more"]);
    const other = loadContract(
      join(folder({ "c.yaml": WITH_FILE, "more/own.json": '{"type":"array"}' }), "c.yaml"),
    );
    expect(other.phases[0]?.artifacts[0]?.schema?.value).toEqual({ type: "array" });
    expect(other.digest).not.toBe(one.digest);
  });

  it.each([
    ["differs", '{"type":"string"}'],
    ["is not JSON", "mine"],
    ["is not a schema", '{"type":"everything"}'],
  ])(
    "are not read if an inline schema has the name, so a file that %s does no harm",
    (_, content) => {
      const text = changed(CLEAN, ["schema: plan", "schema: schemas/plan"]);
      const { contract, findings } = lintContractFile(
        join(folder({ "c.yaml": text, "schemas/plan": content }), "c.yaml"),
      );
      expect(findings).toEqual([]);
      expect(contract?.phases[0]?.artifacts[0]?.schema).toMatchObject({
        from: "inline",
        value: { type: "object" },
      });
    },
  );

  it.each(readCases<[string, string, string]>(import.meta, "refused"))(
    "%s are refused",
    (_, ref, code) => {
      const outside = folder({ "own.json": "{}" });
      const root = folder({
        "c.yaml": changed(WITH_FILE, ["schemas/own.json", ref]),
        "schemas/bad.json": "{",
        "schemas/list.json": "[]",
        "schemas/ref.json": '{"$ref":"https://example.com/x"}',
      });
      symlinkSync(join(outside, "own.json"), join(root, "schemas/out.json"));
      symlinkSync(outside, join(root, "away"));
      expect(brief(lintContractFile(join(root, "c.yaml")).findings)).toContain(`error ${code}`);
    },
  );

  it("do not exist for a text without a folder", () => {
    expect(brief(findingsIn(WITH_FILE))).toEqual(["error unknown_schema"]);
  });
});

describe("a file that cannot be read", () => {
  it.each([
    ["missing", "none.yaml"],
    ["a directory", "."],
  ])("%s has a code of its own", (_, name) => {
    expect(() => loadContract(join(folder({}), name))).toFailWith("BYLAW_CONTRACT_UNREADABLE");
  });

  it.skipIf(process.platform === "win32")("a pipe is refused without waiting for it", () => {
    const root = folder({});
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(root, "pipe.yaml")]);
    expect(() => loadContract(join(root, "pipe.yaml"))).toFailWith("BYLAW_CONTRACT_UNREADABLE");
  });
});
