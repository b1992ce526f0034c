import { describe, expect, test } from "vitest";
import { analyze } from "../src/index.ts";
import { doubtsOf, runsOf } from "./told.ts";
import { commandsOf, filesOf } from "./kit.ts";

describe("a script of which a part is not known still shows its commands", () => {
  test.each([
    ['bash -c "rm -rf $DIR"', "rm -rf ?"],
    ['bash -c "rm -rf $DIR/build"', "rm -rf ?"],
    ["sh -c \"rm -rf '$1'\"", "rm -rf ?"],
    ['sh -c "$PRE; rm -rf build"', "rm -rf build"],
    ['sh -c "cd $DIR && rm -rf build"', "rm -rf build"],
    ['bash -c "rm -rf $(ls)"', "rm -rf ?"],
    ['eval "rm -rf $DIR"', "rm -rf ?"],
    ["eval rm -rf $DIR", "rm -rf ?"],
    ["eval rm -rf build $(id) '&&' ls", "ls"],
    ['su -c "rm -rf $DIR"', "rm -rf ?"],
    ['watch "rm -rf $DIR"', "rm -rf ?"],
    ['trap "rm -rf $TMP" EXIT', "rm -rf ?"],
    ["bash <<E\nrm -rf $DIR\nE", "rm -rf ?"],
    ["bash <<-E\n\techo $x\n\trm -rf build\nE", "rm -rf build"],
    ['bash <<< "rm -rf $DIR"', "rm -rf ?"],
    ['at now <<< "rm -rf $DIR"', "rm -rf ?"],
    ['npx -c "rm -rf $DIR"', "rm -rf ?"],
    ['git submodule foreach "rm -rf $DIR"', "rm -rf ?"],
    ['GIT_EDITOR="rm -rf $X" git commit', "rm -rf ?"],
    ["env -S 'rm ${X}' -rf build", "rm ? -rf build"],
    ["bash -c \"bash -c 'rm -rf $DIR'\"", "rm -rf ?"],
  ])("%s: %s", (line, run) => {
    expect(commandsOf(line).map((text) => text.replace(/\S*<\?>\S*/g, "?"))).toContain(run);
    expect(doubtsOf(line)).toContain("dynamic_script");
  });
  test("a remote one is marked", () => {
    expect(runsOf('ssh h "rm -rf $DIR"')).toContain("rm -rf ? @");
    expect(runsOf("ssh h <<E\nrm -rf $DIR\nE")).toContain("rm -rf ? @");
  });
  test("what is not known is no file of that name, in quotes neither", () => {
    expect(filesOf("bash -c \"cat '$X' y\"", "cat")).toEqual(["read:?", "read:y"]);
    expect(analyze('bash -c "$X"').commands).toHaveLength(1);
  });
  test("a script that is known has no holes", () => {
    expect(doubtsOf("bash -c 'rm -rf \"$DIR\"'")).toEqual([]);
    expect(doubtsOf("trap 'rm -rf \"$TMP\"' EXIT")).toEqual([]);
  });
});
