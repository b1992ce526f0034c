import { parseXml, XmlElement } from "@rgrove/parse-xml";
import { MAX_TESTS } from "../test-run.ts";
import {
  idOf,
  relativeToWorkspace,
  isFileName,
  unreadable,
  type ReadCases,
  type Status,
  type TestCase,
} from "./report.ts";

const MAX_DEPTH = 100;
// Characters that XML forbids but reporters write, mostly for colors.
const CONTROLS = /[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/g;
const NOT_RUN = /^(?:notrun|disabled|skipped|ignored|pending)$/i;
const BUILD_FAILED = /^\[(?:build|setup) failed\]$/;
// The reasons that node:test gives for a test that never ran.
const NEVER_RAN = /^(?:hookFailed|cancelledByParent|parentAlreadyFinished)$/;

/** The numbers of elements below a suite: at any depth, or directly below it, where each suite counts as one. */
interface Sums {
  tests: number;
  failures: number;
  errors: number;
  skipped: number;
}

const none = (): Sums => ({ tests: 0, failures: 0, errors: 0, skipped: 0 });

/** Reads JUnit XML in the dialects of node:test, vitest, jest-junit, pytest, go-junit-report and surefire. */
export function readJunitCases(text: string, workspace: string | undefined): ReadCases {
  if ((text.match(/<testcase\b/g)?.length ?? 0) > MAX_TESTS)
    unreadable(`The report has more than ${MAX_TESTS} tests`);
  const { root } = parseXml(text.replace(CONTROLS, "\ufffd"));
  if (root === null || (root.name !== "testsuites" && root.name !== "testsuite")) {
    return unreadable("The root element must be `testsuites` or `testsuite`");
  }
  const cases: TestCase[] = [];
  walk(root, [], cases, workspace);
  return { cases, coverage: null };
}

function walk(
  suite: XmlElement,
  path: readonly string[],
  cases: TestCase[],
  workspace: string | undefined,
): Sums {
  if (path.length > MAX_DEPTH) unreadable(`The report is nested deeper than ${MAX_DEPTH} levels`);
  const deep = none();
  const direct = none();
  let nested = false;
  for (const child of suite.children) {
    if (!(child instanceof XmlElement)) continue;
    if (child.name === "testcase") {
      const has = (name: string): boolean =>
        child.children.some((part) => part instanceof XmlElement && part.name === name);
      const found = {
        failures: has("failure"),
        errors: has("error"),
        skipped: has("skipped") || NOT_RUN.test(child.attributes["status"] ?? ""),
      };
      for (const sums of [deep, direct]) {
        sums.tests += 1;
        for (const kind of ["failures", "errors", "skipped"] as const)
          sums[kind] += found[kind] ? 1 : 0;
      }
      cases.push(caseOf(child, path, found, workspace));
    } else if (child.name === "testsuite" || child.name === "testsuites") {
      nested = true;
      const name = child.attributes["name"];
      const below = walk(
        child,
        name === undefined ? [...path, ""] : [...path, relativeToWorkspace(name, workspace)],
        cases,
        workspace,
      );
      for (const kind of ["tests", "failures", "errors", "skipped"] as const)
        deep[kind] += below[kind];
      direct.tests += 1;
      direct.failures += below.failures > 0 ? 1 : 0;
    }
  }
  agree(suite, deep, direct, { nested });
  return deep;
}

function caseOf(
  { attributes, children }: XmlElement,
  path: readonly string[],
  found: { readonly failures: boolean; readonly errors: boolean; readonly skipped: boolean },
  workspace: string | undefined,
): TestCase {
  const name = relativeToWorkspace(attributes["name"] ?? "", workspace);
  const owner =
    attributes["classname"] === undefined
      ? undefined
      : relativeToWorkspace(attributes["classname"], workspace);
  const file =
    attributes["file"] === undefined
      ? undefined
      : relativeToWorkspace(attributes["file"], workspace);
  const failure = children.find(
    (part): part is XmlElement => part instanceof XmlElement && part.name === "failure",
  );
  const whole =
    isFileName(name, owner) || (file !== undefined && file === name) || BUILD_FAILED.test(name);
  const blocked = found.failures && (whole || NEVER_RAN.test(failure?.attributes["type"] ?? ""));
  let status: Status = "passed";
  if (found.errors || blocked) status = "error";
  else if (found.failures) status = "failed";
  else if (found.skipped) status = "skipped";
  // node:test gives every test the class `test`, or repeats the names of its suites.
  const shown = owner === "test" || owner === path.join(".") ? undefined : owner;
  return { id: idOf([file, ...path, shown, name]), status };
}

// node:test counts only the direct children of a suite; all other reporters count at any depth.
function agree(
  suite: XmlElement,
  deep: Sums,
  direct: Sums,
  { nested }: { readonly nested: boolean },
): void {
  for (const kind of ["tests", "failures", "errors", "skipped"] as const) {
    const said = suite.attributes[kind];
    if (said === undefined || said === "" || (kind === "skipped" && nested)) continue;
    if (!/^\d{1,9}$/.test(said)) unreadable(`\`${kind}\` of a suite is not a number`);
    if (![deep[kind], direct[kind]].includes(Number(said))) {
      unreadable(`A suite says \`${kind}="${said}"\` but has ${deep[kind]}`);
    }
  }
}
