import { describe, expect, test } from "vitest";
import { analyze } from "../src/index.ts";
import { doubtsOf, effectsOf, hazardsOf } from "./told.ts";

/** What the first command that is this program does more than its name says. */
function does(line: string, name: string): readonly string[] {
  const found = analyze(line).commands.find(({ argv }) => argv[0]?.text === name);
  return found?.hazards.map((hazard) => hazard.does) ?? [];
}

describe("settings of ssh are known or unknown, never guessed", () => {
  test.each([
    `ssh -o '"ProxyCommand" id' x`,
    `ssh -o '"ProxyCommand"=id' x`,
    "ssh -o '=ProxyCommand=id' x",
    "ssh -o '=ProxyCommand id' x",
    "ssh -o '          ProxyCommand=id' x",
    "ssh -o ' ProxyCommand=id' x",
    "ssh -o $'ProxyCommand\\rid' x",
    "ssh -o $'\\tProxyCommand\\tid' x",
    "ssh -o 'ProxyCommand==id' x",
    "ssh -o 'Match exec id' x",
    "ssh -o NewSetting=id x",
    "ssh -o Compression x",
    'ssh -o "$x" h',
    "scp -o '\"ProxyCommand\"=id' a h:b",
  ])("%s", (line) => {
    expect(hazardsOf(line).some((hazard) => hazard.endsWith(":run"))).toBe(true);
    expect(doubtsOf(line)).toContain("inline_code");
  });

  test.each([
    "ssh -o ConnectTimeout=5 h",
    "ssh -o 'BatchMode yes' h",
    "ssh -o 'Port = 22' h",
    'ssh -o "Port=$p" h',
    "ssh -oUser=x h",
    "ssh -o LogLevel=QUIET -G h",
  ])("%s is plain", (line) => {
    expect(hazardsOf(line)).toEqual([]);
    expect(doubtsOf(line)).toEqual([]);
  });

  test("another name of the host is a connection, a key a file", () => {
    expect(effectsOf("ssh -o HostName=evil.example -o IdentityFile=k h")).toEqual([
      "network evil.example",
      "read k",
      "network h",
    ]);
  });
});

describe("programs of awk", () => {
  test.each([
    'awk \'BEGIN{print "a",\n"b" > "out"}\'',
    "awk 'BEGIN{print 1 ||\n2 > \"out\"}'",
    "awk 'BEGIN{print 1 &&\n\n2 > \"out\"}'",
    "awk 'BEGIN{print 1, # c\n2 > \"out\"}'",
    "awk 'BEGIN{print 1 ?\n2 :\n3 > \"out\"}'",
    "awk 'BEGIN{print 1,\\\n2 > \"out\"}'",
    'awk \'BEGIN{print "x" > "-"}\'',
    "awk -e 'BEGIN{print 1,' -e '2 > \"out\"}'",
    'awk \'BEGIN{print "x" > "/dev/fd/3"}\'',
    'awk \'BEGIN{print "x" > "/dev/stdout" "x"}\'',
  ])("%s writes", (line) => expect(does(line, "awk")).toContain("write"));

  test.each([
    "awk 'BEGIN{not /2;system(\"id\");x=1/ 3}'",
    "awk 'BEGIN{case /2;system(\"id\");x=1/ 3}'",
    "awk 'BEGIN{and /2;system(\"id\");x=1/ 3}'",
    "awk 'BEGIN{or /2;\"id\"|getline;x=1/ 3}'",
    "awk 'BEGIN{length /2;system(\"id\");x=1/ 3}'",
    "awk 'BEGIN{getline /2;system(\"id\");x=1/ 3}'",
    'awk \'BEGIN{$/"/;system("id");x="/}\'',
    "awk 'BEGIN{switch (x) /2;system(\"id\");x=1/ 3}'",
    "awk '/[/]/{system(\"id\")}/]/'",
    "awk 'BEGIN{1exit/x/;system(\"id\")}'",
    "awk 'BEGIN{print 1 \\ ; system(\"id\")}'",
  ])("%s runs, or is not known", (line) => {
    expect(does(line, "awk")).toContain("run");
  });

  test.each([
    "awk 'BEGIN{getline x[1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1] < \"/etc/shadow\"; print x[18]}'",
    "awk 'BEGIN{while ((getline l < f) > 0) print l}'",
    'awk \'BEGIN{SYMTAB["ARGV"][1] = "/etc/shadow"}{print}\'',
  ])("%s loads", (line) => expect(does(line, "awk")).toContain("load"));

  test.each([
    "awk '{print $1,\n$2}' f",
    "awk '/=>/ { n /= 2; print n }' f",
    "awk '{a = b / c\nd = 1 / 2\nprint a}' f",
    "awk '$1 ~ /x/ && !/y/ {print}' f",
    "awk '{ if (/x/) print; else print /y/ }' f",
    "awk 'NR > 1 && length($0) > 80' f",
    "awk '{ n += $1 * 1.5e3 } END { print n / NR > \"/dev/stderr\" }' f",
    "awk 'BEGIN { while ((getline l < \"-\") > 0) print l }'",
  ])("%s is plain", (line) => {
    expect(hazardsOf(line)).toEqual([]);
    expect(doubtsOf(line)).toEqual([]);
  });
});

describe("pagers read options and keys inside of their options", () => {
  test.each([
    "less -p $'h\\n!id\\n' f",
    "less -p$'h\\r!id\\r' f",
    "less $'+/h\\r!id\\r' f",
    "less '+/x$-oout' f",
    "less $'-i+!id\\n' f",
    "less $'-Px$+!id\\n' f",
    "less $'-x4+!id\\n' f",
    "less $'--prompt=x$+!id\\n' f",
    "less --tabs=4oout f",
    "less --cmd='!id' f",
    "less --frobnicate f",
    'less -p "$x" f',
    "man -r $'x$+!id\\n' ls",
    "man --prompt='x$-oout' ls",
    "man -p 'id' ls --frobnicate",
    "man -T/tmp/x ls",
    "man -m ../../tmp ls",
    "man -L ../x ls",
    'man -r "$x" ls',
    "more $'+/h\\n!id\\n' f",
  ])("%s", (line) => expect([line, hazardsOf(line).length]).not.toEqual([line, 0]));

  test.each([
    "-x4oout",
    "-y4oout",
    "-z4oout",
    "-j4oout",
    "-b4oout",
    "-h4oout",
    "'-x4,8oout'",
    "'-Px$-oout'",
    "'--tabs=4$-oout'",
  ])("cat f | less %s", (option) =>
    expect(
      does(`cat f | less ${option}`, "less").filter((what) => what === "write" || what === "run"),
    ).not.toEqual([]),
  );

  test.each([
    "less -x4 f",
    "less -x 4,8 f",
    "less -j.5 f",
    "less -N -S -R f",
    "less -p foo f",
    "less +/foo f",
    "less --tabs=4 f",
    "man 3 printf",
    "man -k foo",
    "man -S 2:3 open",
    "man -r 'page x' ls",
  ])("%s is plain", (line) => expect(hazardsOf(line)).toEqual([]));
});

describe("letters that take the words after them in turn", () => {
  test.each([
    ["tree -Lo 2 out", "write out"],
    ["tree -Po x out", "write out"],
    ["tree -oL out 2", "write out"],
    ["tree -HTo . t out", "write out"],
    ["tree -L2o out", "write out"],
    ["tar tfX a.tar x", "read x"],
    ["tar cvf a.tar src", "write a.tar"],
  ])("%s: %s", (line, effect) => {
    expect(effectsOf(line)).toContain(effect);
  });

  test("a value that looks like an option is one no more", () => {
    expect(hazardsOf("tree -LI 2 -o")).toEqual([]);
    expect(effectsOf("tree -L2 src")).toEqual(["read+ src"]);
    expect(hazardsOf("tar tf a.tar")).toEqual([]);
    expect(hazardsOf("tar tQf a.tar").length).toBeGreaterThan(0);
    expect(hazardsOf('tar t"$x" a.tar').length).toBeGreaterThan(0);
  });
});

describe("options of git that others take back", () => {
  test.each([
    ["git branch --list --no-list new", "new:write"],
    ["git branch --show-current --no-show-current new", "new:write"],
    ["git branch --no-list --list new", "new:write"],
    ["git branch --points-at HEAD --no-points new", "new:write"],
    ["git tag -l --no-li v1", "v1:write"],
    ["git fetch -f . a:b", "-f:write"],
    ["git fetch . +a:b", "+a:b:write"],
    ["git fetch --prune", "--prune:delete"],
    ["git fetch -p", "-p:delete"],
    ["git fetch --prune-tags", "--prune-tags:delete"],
    ["git fetch --set-upstream origin main", "--set-upstream:configure"],
    ["git fetch --refmap=+a:b origin", "--refmap=+a:b:write"],
    ["git log --show-signature", "--show-signature:run"],
    ["git log '--format=%h%G?'", "--format=%h%G?:run"],
    ["git log --pretty='% GS'", "--pretty=% GS:run"],
    ["git show --format=%GK", "--format=%GK:run"],
    ["git rev-list '--pretty=%G?' HEAD", "--pretty=%G?:run"],
    ["git for-each-ref --format='%(signature)'", "--format=%(signature):run"],
    ["git branch --format='%(*signature:grade)'", "--format=%(*signature:grade):run"],
  ])("%s: %s", (line, hazard) => expect(hazardsOf(line)).toContain(hazard));

  test.each([
    "git branch --list --no-color x",
    "git branch --contains HEAD --no-contains v1 x",
    "git branch --merged main --no-merged x",
    "git log --format=%h%n%s%an",
    "git for-each-ref --format='%(refname)'",
    "git fetch --no-tags origin main",
  ])("%s is plain", (line) => expect(hazardsOf(line)).toEqual([]));
});

describe("scripts of sed", () => {
  test.each(["sed ':a e id' f", "sed 'b a e id' f", "sed $'t\\ta e id' f", "sed 'séaàe id' f"])(
    "%s runs",
    (line) => expect(does(line, "sed")).toContain("run"),
  );
  test.each(["sed 'w /dev/stdout ' f", "sed 's/a/b/w /dev/stdout ' f"])("%s writes", (line) =>
    expect(does(line, "sed")).toContain("write"),
  );
  test.each([
    "sed ':a;N;$!ba;s/\\n/ /g' f",
    "sed -e :a -e '$!N;s/x/y/;ta' f",
    "sed '/x/{:a;n;ba}' f",
    "sed -n '/x/{p;q}' f",
  ])("%s is plain", (line) => expect(hazardsOf(line)).toEqual([]));
});
