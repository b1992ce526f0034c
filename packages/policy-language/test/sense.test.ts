import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effectOf, run } from "./calls.ts";
import type { RuleData } from "./toml.ts";

const deny = (command: string): readonly RuleData[] => [{ action: "deny", command }];
const decided = (pattern: string, line: string): string => effectOf(deny(pattern), run(line));

describe("a deny of an option is one of all its spellings, wherever it stands", () => {
  test.each([
    [
      "git commit --no-verify *",
      ["git commit -n", "git commit -nm x", "git commit -m x -n", "git -C sub commit -anm x", "git commit --no-veri"],
    ],
    ["git commit -n *", ["git commit --no-verify -m x"]],
    ["git add --all *", ["git add -A", "git add . -A", "git stage --all"]],
    ["git branch -D *", ["git branch --delete --force x", "git branch -df x", "git branch x -D"]],
    ["git branch --delete --force *", ["git branch -D x"]],
    ["git push --force *", ["git push -f", "git push origin main -f", "git push origin +main", "git push -uf origin main"]],
    ["git push --delete *", ["git push origin :main", "git push -d origin main"]],
    ["chown -R *", ["chown --recursive me x", "chown me x -R", "chown --recurs me x"]],
    ["tar -x *", ["tar xf a", "tar zxvf a", "tar --extract -f a", "tar --get -f a", "tar -C d -xf a"]],
    ["tar xf *", ["tar -xf a", "tar --extract --file=a", "tar -f a -x"]],
    ["cp -r *", ["cp -a a b", "cp --archive a b", "cp --recursive a b"]],
    ["cp -a *", ["cp -dR --preserve=all a b"]],
    ["kill -9 *", ["kill -KILL 1", "kill -SIGKILL 1", "kill -s KILL 1", "kill -n 9 1", "kill --signal=sigkill 1"]],
    ["kill -KILL *", ["kill -9 1"]],
    ["kubectl apply -f *", ["kubectl apply --filename x", "kubectl apply --filename=x", "kubectl apply -fx", "kubectl -n a apply -f x"]],
    [
      "curl -X POST *",
      [
        "curl http://x -X POST",
        "curl -XPOST x",
        "curl --request POST x",
        "curl --request=POST x",
        "curl -sXPOST x",
        "curl -d a x",
        "curl x --json a",
        "curl -F a=b x",
      ],
    ],
    ["curl -d *", ["curl --data=a -X PUT u", "curl -sda u"]],
    ["curl --request=P* *", ["curl -XPUT x", "curl x -X PATCH"]],
    ["terraform apply -auto-approve *", ["terraform apply --auto-approve"]],
  ])("%s", (pattern, lines) => {
    expect(lines.map((line) => [line, decided(pattern, line)])).toEqual(lines.map((line) => [line, "deny"]));
  });
});

describe("what only looks alike is not denied", () => {
  test.each([
    [
      "git commit --no-verify *",
      ["git commit -m -n", "git commit -m 'x -n'", "git commit --no-edit", "git commit -a", "git commit -- -n", "git merge -n x"],
    ],
    ["git branch -D *", ["git branch -d x", "git branch --delete x", "git branch -f x"]],
    ["git push --force *", ["git push --force-with-lease", "git push origin main", "git push --follow-tags"]],
    ["tar -x *", ["tar cf x a", "tar tf x", "tar -cf x y"]],
    ["kill -9 *", ["kill 9", "kill -15 1", "kill -s TERM 9", "kill -l 9"]],
    ["curl -X POST *", ["curl x", "curl -X GET x", "curl -G -d POST x", "curl -X PUT -d x y", "curl -H 'X: POST' x"]],
    ["cp -r *", ["cp a b", "cp -t r a"]],
    ["kubectl apply -f *", ["kubectl apply -k x", "kubectl get -f x"]],
    ["npm publish *", ["npm pack", "npm run publish"]],
    ["npm run deploy", ["npm run build", "npm deploy", "npm run"]],
    ["yarn run *", ["yarn install"]],
  ])("%s", (pattern, lines) => {
    expect(lines.map((line) => [line, decided(pattern, line)])).toEqual(lines.map((line) => [line, "abstain"]));
  });
});

describe("a deny of a subcommand or a program is one of all its names", () => {
  test.each([
    ["docker run --privileged *", ["docker container run --privileged x"]],
    ["docker container run *", ["docker run x"]],
    ["docker rm -f *", ["docker container rm -f x"]],
    ["docker rmi *", ["docker image rm x", "docker image remove x"]],
    ["docker compose down *", ["docker-compose down"]],
    ["docker-compose up *", ["docker compose -f x up"]],
    ["npm run deploy", ["npm run-script deploy", "npm rum deploy", "npm urn deploy"]],
    ["npm rum deploy", ["npm run deploy"]],
    ["npm install *", ["npm i x", "npm in x", "npm ins x", "npm add x"]],
    ["npm test *", ["npm t", "npm run test", "npm run-script test -- x"]],
    ["npm exec *", ["npx x", "npm x y"]],
    ["npx *", ["npm exec x"]],
    ["pnpm remove *", ["pnpm rm x", "pnpm un x", "pnpm uninstall x"]],
    ["yarn run deploy", ["yarn deploy"]],
    ["yarn deploy", ["yarn run deploy"]],
    ["helm uninstall *", ["helm delete x", "helm del x", "helm un x"]],
    ["cargo publish *", ["cargo +nightly publish", "cargo +1.80 publish --dry-run"]],
    ["cargo run *", ["cargo r", "cargo +nightly r"]],
    ["git add *", ["git stage ."]],
    ["pip install *", ["pip3 install x", "pip3.12 install x", "python -m pip install x", "python3 -m pip install x"]],
    ["pip3 install *", ["pip install x"]],
    ["brew uninstall *", ["brew rm x", "brew remove x"]],
  ])("%s", (pattern, lines) => {
    expect(lines.map((line) => [line, decided(pattern, line)])).toEqual(lines.map((line) => [line, "deny"]));
  });
});

test("a value that is not known may be the one that is denied", () => {
  expect(decided("curl -X POST *", "curl -X$M http://x")).toBe("ask_user");
  expect(decided("curl -X POST *", "curl http://x -X $M")).toBe("ask_user");
  expect(decided("curl -X POST *", 'curl -X "P$M" http://x')).toBe("ask_user");
  expect(decided("curl -X POST *", 'curl -X "G$M" http://x')).toBe("abstain");
  expect(decided("git commit --no-verify *", 'git commit -n -m "$M"')).toBe("deny");
});

test("an allow is still what is written", () => {
  const allow = (command: string, line: string): string => effectOf([{ action: "allow", command }], run(line));
  expect(allow("git commit -n *", "git commit --no-verify")).toBe("abstain");
  expect(allow("npm run build", "npm run-script build")).toBe("abstain");
  expect(allow("pip list *", "pip3 list")).toBe("abstain");
  expect(allow("npx tsc *", "npm exec tsc")).toBe("abstain");
  expect(allow("docker ps *", "docker container ls")).toBe("abstain");
});

test("what is denied by how it looks stays denied where the program is known", () => {
  const word = fc.constantFrom(
    "-f",
    "-n",
    "--force",
    "--all",
    "-rf",
    "-m",
    "x",
    "commit",
    "push",
    "run",
    "--",
    "-D",
    "--name=x",
    "*",
    "$X",
    "+a",
    "-x1",
  );
  const words = fc.array(word, { maxLength: 5 });
  const patternWords = words.map((list) => list.filter((one) => !/[$]/.test(one)));
  const strength = ["abstain", "ask_user", "deny"];
  fc.assert(
    fc.property(
      patternWords,
      words,
      fc.constantFrom("git", "npm", "cp", "curl", "docker", "tar", "kubectl", "kill"),
      (pattern, given, program) => {
        const of = (name: string): number =>
          strength.indexOf(decided([name, ...pattern].join(" "), [name, ...given.map((one) => (one === "*" ? "y" : one))].join(" ")));
        expect(of(program)).toBeGreaterThanOrEqual(of("frobnicate"));
      },
    ),
    { numRuns: 400 },
  );
});
