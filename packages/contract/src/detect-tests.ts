import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type Json } from "@bylaw/kernel";

/** A test command for a project, and the manifest that suggests it. */
export interface ProposedTestCommand {
  readonly argv: readonly string[];
  readonly format: "junit" | "json" | "tap";
  readonly report: string;
  readonly source: string;
}

type Proposal = Omit<ProposedTestCommand, "source">;

/**
 * Words in a manifest that name a test runner, the most certain first. Text of the manifest never
 * becomes part of a command. Each command also prints its failures, because agents see the output and not the report.
 */
const NODE_RUNNERS: readonly (readonly [RegExp, Proposal])[] = [
  [
    /\bvitest\b/,
    {
      argv: [
        "npx",
        "vitest",
        "run",
        "--reporter=default",
        "--reporter=json",
        "--outputFile=report.json",
      ],
      format: "json",
      report: "report.json",
    },
  ],
  [
    /\bjest\b/,
    {
      argv: ["npx", "jest", "--ci", "--json", "--outputFile=report.json"],
      format: "json",
      report: "report.json",
    },
  ],
  [
    /\bnode\b.*--test\b/,
    {
      argv: [
        "node",
        "--test",
        "--test-reporter=junit",
        "--test-reporter-destination=report.xml",
        "--test-reporter=spec",
        "--test-reporter-destination=stdout",
      ],
      format: "junit",
      report: "report.xml",
    },
  ],
];
const PYTEST: Proposal = {
  argv: ["pytest", "--junitxml=report.xml"],
  format: "junit",
  report: "report.xml",
};
const GO: Proposal = {
  argv: ["gotestsum", "--junitfile", "report.xml", "./..."],
  format: "junit",
  report: "report.xml",
};
const PYTHON =
  /^(pyproject\.toml|pytest\.ini|tox\.ini|setup\.(py|cfg)|requirements[\w-]*\.txt|conftest\.py)$/;

/** The test command of a project, from its manifests. Undefined if none names a test runner. */
export function detectTests(folder: string): ProposedTestCommand | undefined {
  const names = namesIn(folder);
  const runner = names.includes("package.json")
    ? nodeRunner(join(folder, "package.json"))
    : undefined;
  if (runner !== undefined) return { ...runner, source: "package.json" };
  const python = names.find((name) => PYTHON.test(name));
  if (python !== undefined) return { ...PYTEST, source: python };
  return names.includes("go.mod") ? { ...GO, source: "go.mod" } : undefined;
}

function nodeRunner(file: string): Proposal | undefined {
  const manifest = manifestIn(file);
  const scripts = isJsonObject(manifest) ? manifest["scripts"] : undefined;
  const script = isJsonObject(scripts) ? scripts["test"] : undefined;
  const said = typeof script === "string" ? script : "";
  const installed = ["devDependencies", "dependencies"]
    .flatMap((key) => {
      const list = isJsonObject(manifest) ? manifest[key] : undefined;
      return isJsonObject(list) ? Object.keys(list) : [];
    })
    .join("\n");
  const found = [said, installed].flatMap((text) =>
    NODE_RUNNERS.filter(([words]) => words.test(text)),
  );
  return found[0]?.[1];
}

function manifestIn(file: string): Json {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Json;
  } catch {
    return null;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
