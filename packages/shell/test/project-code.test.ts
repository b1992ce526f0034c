import { describe, expect, it } from "vitest";
import { analyze } from "../src/index.ts";

/** The paths whose code the commands of a line run as parts of a project. */
const projectsOf = (line: string): readonly string[] =>
  analyze(line).commands.flatMap(({ effects }) =>
    effects.flatMap((effect) => (effect.kind === "project" ? (effect.path.text ?? "?") : [])),
  );

describe("a program runs the code of a project", () => {
  it.each([
    ["pytest /tmp/x", ["/tmp/x"]],
    ["python3 -m unittest /tmp/x/t.py", ["/tmp/x/t.py"]],
    ["poetry run pytest /tmp/x", ["/tmp/x"]],
    ["go test /tmp/x/...", ["/tmp/x"]],
    ["cmake --build /tmp/x", ["/tmp/x"]],
    ["make -C /tmp/x test", ["/tmp/x"]],
    ["npm --prefix /tmp/x test", ["/tmp/x"]],
    ["git -C /tmp/x log", ["/tmp/x"]],
    ["bats /tmp/x", ["/tmp/x"]],
    ["php artisan test /tmp/x", ["artisan", "test", "/tmp/x"]],
    ["php-cs-fixer fix /tmp/x", ["fix", "/tmp/x"]],
    ["markdownlint-cli2 /tmp/x", ["/tmp/x"]],
    ["eslint ../x", ["../x"]],
  ])("in what it is given: %s", (line, paths) => {
    expect(new Set(projectsOf(line))).toEqual(new Set(paths));
  });

  it.each([
    ["cd /tmp/x && make", ["/tmp/x"]],
    ["cd /tmp && cd x && npm test", ["/tmp/x"]],
    ["(cd ../x && git status)", ["../x"]],
    ["cd a || cd b; make", ["b", "a"]],
    ["for d in /tmp/*; do (cd $d && make); done", ["/tmp"]],
    ["pushd /tmp/x && cargo test && popd", ["/tmp/x"]],
    ["cd /tmp/x && git fetch", ["/tmp/x"]],
    ["cd /tmp/x && babel src", ["/tmp/x"]],
    ["cd /tmp/x && npx tsup", ["/tmp/x"]],
    ["cd /tmp/x && bundle list", ["/tmp/x"]],
    ["cd /tmp/x && cargo metadata", ["/tmp/x"]],
    ["cd /tmp/x && terraform validate", ["/tmp/x"]],
  ])("in its working folder: %s", (line, paths) => {
    expect(new Set(projectsOf(line))).toEqual(new Set(paths));
  });

  it.each([
    "make",
    "git apply /tmp/x",
    "cd /tmp/x && ls",
    "cat /tmp/x",
    "mypy /tmp/x",
    "tar xf a -C /tmp/x",
  ])("but not: %s", (line) => {
    expect(projectsOf(line)).toEqual([]);
  });
});
