import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { doubtsOf, hazardsOf } from "./told.ts";

describe("an argument that makes a program do more than its name says is a hazard", () => {
  test.each(
    readCases<readonly [string, string]>(
      new URL("cases/programs-hazards/arguments.jsonl", import.meta.url),
    ),
  )("%s", (line, hazard) => expect(hazardsOf(line)).toContain(hazard));

  test.each(
    readCases<readonly [string, string]>(
      new URL("cases/programs-hazards/git.jsonl", import.meta.url),
    ),
  )("%s", (line, hazard) => expect(hazardsOf(line)).toContain(hazard));
});

describe("what only looks like a hazard is none", () => {
  test.each(readCases<string>(new URL("cases/programs-hazards/no-hazards.jsonl", import.meta.url)))(
    "%s",
    (line) => {
      expect(hazardsOf(line)).toEqual([]);
      expect(doubtsOf(line)).toEqual([]);
    },
  );
});

describe("an option that no table lists could do anything", () => {
  test.each([
    ["frob --flag x", ["--flag:unknown"]],
    ["frob -v --no-config x", ["-v:unknown", "--no-config:unknown"]],
    ["frob -- -x", ["-x:unknown"]],
    ["./ls -l", ["-l:unknown"]],
    ["ls --frob", ["--frob:unknown"]],
    ["ls -l$", ["-l$:unknown"]],
    ["find . -frob", ["-frob:unknown"]],
    ["sed --frob p f", ["--frob:unknown"]],
    ["awk --frob 1 f", ["--frob:unknown"]],
    ["jq --frob . f", ["--frob:unknown"]],
    ["tar --frob -tf x", ["--frob:unknown"]],
    ["fd --frob x", ["--frob:unknown"]],
    ["git log --frob", ["--frob:unknown"]],
    ["git frob --x", ["frob:run", "--x:unknown"]],
    ["npm run lint -- --frob x", ["--frob:unknown"]],
    ["npm run lint -- --output x", ["--output:write"]],
    ["node x.js --eval y", ["--eval:run"]],
    ["node x.js -z", ["-z:unknown"]],
    ["python3 manage.py -c x", ["-c:unknown"]],
    ["python3 -m frob -c x", ["frob:run", "-c:unknown"]],
    ["cargo clippy -- -C linker=./x", ["-C:unknown"]],
    // The name may be that of another option of the program.
    ["eslint --report x", ["--report:unknown"]],
    ["rg --no-ignore-v x", ["--no-ignore-v:unknown"]],
  ])("%s: %j", (line, hazards) => expect(hazardsOf(line)).toEqual(hazards));

  test.each([
    "frob",
    "frob x y",
    "frob --help",
    "frob --dry-run --verbose --color=always x",
    "sort --rev f",
    "git log --onel",
    "git rev-parse --show-toplevel",
    "echo -n --frob",
    "test -f x",
    "ps -ef",
    "npm test -- --coverage",
    "node build/out.js --port 3000",
    "cargo clippy -- -D warnings",
    "mocha --grep x",
    "./gradlew test --tests x",
  ])("%s has none", (line) => expect(hazardsOf(line)).toEqual([]));
});

describe("a value that names code or a file is a hazard, and a plain one is none", () => {
  test.each([
    ["node --test --test-reporter=./x.js", "--test-reporter=./x.js:load"],
    ["go build -ldflags '-extld=./x'", "-ldflags:run"],
    ["go run a.example/x@latest", "a.example/x@latest:load"],
    ["gcc -Wl,--plugin=x a.c", "-Wl,--plugin=x:load"],
    ["gcc -fuse-ld=./x a.c", "-fuse-ld=./x:load"],
    ["clang -Xclang -load a.c", "-Xclang:load"],
    ["pytest -W error::x.Y", "-W:load"],
    ["pytest --cov-report=html:x", "--cov-report=html:x:write"],
    ["prettier --parser ./x.js a", "--parser:load"],
    ["vitest --pool ./x.js", "--pool:load"],
    ["java -XX:OnError=x a.B", "-XX:OnError=x:configure"],
    ["ps auxe", "auxe:load"],
  ])("%s: %s", (line, hazard) => expect(hazardsOf(line)).toContain(hazard));

  test.each([
    "node --test --test-reporter=tap",
    "go build -ldflags '-s -w' ./...",
    "go test -gcflags=all=-N ./...",
    "go run ./cmd/x",
    "gcc -Wall -fPIC -Wno-unused -fdiagnostics-color=always -fsyntax-only a.c",
    "pytest -W error --cov-report=term-missing",
    "prettier --parser babel --check a",
    "ps aux",
  ])("%s has none", (line) => expect(hazardsOf(line)).toEqual([]));
});
