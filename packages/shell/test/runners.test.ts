import { describe, expect, test } from "vitest";
import { doubtsOf, hazardsOf, runsOf } from "./told.ts";

describe("a command that a runner gets is found", () => {
  test.each([
    "env -S rm -rf build",
    "env -Srm -rf build",
    "env -iS rm -rf build",
    "env -u A -S rm -rf build",
    "env --split-string rm -rf build",
    "env --split-string=rm -rf build",
    "env -S 'A=1 rm' -rf build",
    "env -S '-i rm' -rf build",
    "sudo env -S rm -rf build",
    "setarch -R rm -rf build",
    "setarch --3gb rm -rf build",
    "setarch x86_64 rm -rf build",
    "runuser root -c 'rm -rf build'",
    "runuser -l root -c 'rm -rf build'",
    "nodemon --exec rm -rf build",
    "nodemon -e js -x rm -rf build",
    "hyperfine 'rm -rf build'",
    "hyperfine --prepare 'rm -rf build' ls",
    "hyperfine --setup='rm -rf build' ls",
    "chokidar x -c 'rm -rf build'",
    "start-server-and-test 'rm -rf build' 80 test",
    "conda run -n x rm -rf build",
    "mise exec node@20 -- rm -rf build",
    "mise x -- rm -rf build",
    "pyenv exec rm -rf build",
    "perf stat -e cycles rm -rf build",
    "direnv exec . rm -rf build",
  ])("%s", (line) => {
    expect(runsOf(line)).toContain("rm -rf build");
    expect(hazardsOf(line).some((hazard) => hazard.endsWith(":run"))).toBe(true);
  });
  test.each([
    "gcloud compute ssh x --command 'rm -rf build'",
    "gcloud compute ssh x --command='rm -rf build'",
    "gcloud compute ssh x -- rm -rf build",
    "fly ssh console -C 'rm -rf build'",
    "heroku run 'rm -rf build'",
    "heroku run -a x rm -rf build",
    "pssh -h hosts rm -rf build",
  ])("%s, on another machine", (line) => expect(runsOf(line)).toContain("rm -rf build @"));
  test("a subcommand of git is a program of its own, too", () => {
    expect(runsOf("git-push origin main")).toEqual(["git push origin main"]);
    expect(runsOf("/usr/lib/git-core/git-push")).toEqual(["git push"]);
    expect(runsOf("git-frob x")).toEqual([]);
  });
  test.each([
    "bun run build",
    "nodemon server.js",
    "conda activate x",
    "conda install curl",
    "heroku logs --tail",
    "perf stat ls",
    "gcloud compute instances list",
    "start-server-and-test start 80 test",
    "mise install",
  ])("%s is known", (line) => expect(doubtsOf(line)).toEqual([]));
  test("a package to install is no program that runs", () => {
    for (const line of [
      "choco install curl",
      "brew install curl",
      "apt install curl",
      "winget install curl",
      "apk add curl",
    ]) {
      expect(runsOf(line)).toEqual([]);
    }
  });
});

describe("code from the input", () => {
  test.each([
    ["make -f - <<< 'x:;id'", "inline_code"],
    ["cat m | make -f -", "dynamic_script"],
    ["make -f /dev/stdin <<< x", "inline_code"],
    ["make -f- < m", "dynamic_script"],
    ["make --file=/proc/self/fd/0 < m", "dynamic_script"],
    ["make -f <(cat m)", "dynamic_script"],
    ["awk -f - x", "dynamic_script"],
    ["awk -f /dev/stdin <<< 1", "inline_code"],
    ["python3 /dev/stdin <<< 1", "inline_code"],
    ["node /dev/fd/0 < x", "inline_code"],
  ])("%s: %s", (line, code) => expect(doubtsOf(line)).toContain(code));
  test.each(["make -f Makefile.dev x", "awk -f x.awk y", "python3 x.py < y"])(
    "%s is a file",
    (line) => expect(doubtsOf(line)).toEqual([]),
  );
  test("a file of code is a hazard of awk", () =>
    expect(hazardsOf("awk -f x.awk y")).toEqual(["-f:load"]));
});

describe("what does nothing besides is known", () => {
  test.each([
    "IFS= read -r l",
    "while IFS=, read -ra parts; do echo x; done < f",
    "IFS=: mapfile a < f",
    "node -p 1",
    "node -p 'process.version'",
    "node -e 'console.log(\"a\");'",
    "python3 -c 'print(1)'",
    "sqlite3 a.db .tables",
    "sqlite3 a.db '.schema x' 'select 1'",
    "alias ll='ls -la'",
    "alias a=b c='d e'",
    "find . -name '*.sh' -exec bash -n {} \\;",
    "# rm x",
    "(( i++ ))",
  ])("%s", (line) => expect(doubtsOf(line)).toEqual([]));
  test.each([
    ["IFS=x ls", "state"],
    ["IFS=x", "state"],
    ["node -p x", "inline_code"],
    ["node -p '`${x}`'", "inline_code"],
    ["node -e \"console.log('a', require('fs'))\"", "inline_code"],
    ["node -p '\"a\"+x'", "inline_code"],
    ["python3 -c 'print(x)'", "inline_code"],
    ["python3 -c \"print(f'{x}')\"", "inline_code"],
    ["perl -e 'print(1)'", "inline_code"],
    ["sqlite3 a.db '.shell id'", "inline_code"],
    ["sqlite3 a.db '.tables\n.shell id'", "inline_code"],
    ["alias ls=frob; ls", "state"],
    ["ls; alias ls=frob", "state"],
    ["find . -exec bash {} \\;", "dynamic_script"],
    ["find $X -exec bash -n {} \\;", "dynamic_script"],
  ])("%s is not: %s", (line, code) => expect(doubtsOf(line)).toContain(code));
  test("awk that writes to nowhere has no hazard", () => {
    expect(hazardsOf("awk '{print > \"/dev/null\"}' f")).toEqual([]);
    expect(hazardsOf("awk '{print > \"x\"}' f")).toEqual(['{print > "x"}:write']);
  });
  test("a refspec that names a local branch is a hazard", () => {
    expect(hazardsOf("git fetch origin +a:main")).toEqual(["+a:main:write"]);
    expect(hazardsOf("git fetch origin a:main")).toEqual(["a:main:write"]);
    expect(hazardsOf("git fetch origin main")).toEqual([]);
    expect(hazardsOf("file -z x")).toEqual(["-z:run"]);
    expect(hazardsOf("ssh -G h -o ProxyCommand=id")).toEqual(["-o:run"]);
  });
});
