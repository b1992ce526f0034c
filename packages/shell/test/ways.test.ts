import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { does } from "./kit.ts";

describe("a path that goes up and comes back finds what its line makes lead elsewhere", () => {
  it.each([
    ["ln -s .git/hooks h && echo x > ../ws/h/pre-commit", "write:.git/hooks/pre-commit"],
    ["ln -s .git/hooks h && echo x > ./../WS/./H//pre-commit", "write:.git/hooks/pre-commit"],
    ["ln -s /etc h && cat ../../a/ws/h/shadow", "read:/etc/shadow"],
    ["ln -s /etc a/b/h && cat ../../../o/ws/src/a/b/h/shadow", "read:/etc/shadow"],
    ["ln -s /etc h && cd ../ws && cat h/shadow", "read:/etc/shadow"],
    ["ln -s /etc h && cd ../../a/ws/src/.. && cat h/shadow", "read:/etc/shadow"],
    ["ln -s /etc h && cd .. && cat ws/h/shadow", "read:/etc/shadow"],
    ["cd src && ln -s /etc ../h && cat ../../ws/h/shadow", "read:/etc/shadow"],
    ["ln -s /etc h && cat x/../../ws/h/shadow", "read:/etc/shadow"],
    ["ln -s /etc h && cat ../w*/h", "read:/etc"],
    ["ln -s /etc h && cat ../*/h", "read:/etc"],
    // It may be called like the link.
    ["ln -s / h && cat ../h/h/etc/shadow", "read://etc/shadow"],
    ["ln -s / h && cat /srv/h/h/etc/shadow", "read://etc/shadow"],
    // The way round.
    ["ln -s ../home ../ws/b && cat b/.aws/credentials", "read:../ws/../home/.aws/credentials"],
    ["ln -s /etc ../WS/./b && cat B/shadow", "read:/etc/shadow"],
    ["ln -s /etc ../../a/ws/src/b && cat src/b/shadow", "read:/etc/shadow"],
    ["ln -s /etc ../../a/ws/b && cat ../ws/b/shadow", "read:/etc/shadow"],
    ["(cd ../ws && ln -s /home/dev b); cat b/.aws/credentials", "read:/home/dev/.aws/credentials"],
    ["(cd ../ws && ln -s ../home b); cat b/.aws/credentials", "read:../ws/../home/.aws/credentials"],
    ["ln -s /etc ../ws/b && cat b*", "read:/etc"],
    ["cp -al a ../ws/b; echo x > b/c", "write:a/../a/c/../c"],
    ["mv src/up ../ws/w; echo x > w/y", "write:src/../src/up/../up/y/../y"],
    // A folder by its whole name, or that of the user, and one told from where the line is.
    ["ln -s /etc ../ws/b && cat /srv/ws/b/shadow", "read:/etc/shadow"],
    ["ln -s /etc /srv/ws/b && cat ../ws/b/shadow", "read:/etc/shadow"],
    ["ln -s /etc /srv/ws/b && cat ../../srv/ws/b/shadow", "read:/etc/shadow"],
    ["ln -s /etc ~/ws/b && cat ../ws/b/shadow", "read:/etc/shadow"],
    ["ln -s /etc ../ws/b && cat ~/ws/b/shadow", "read:/etc/shadow"],
    ["ln -s /etc ~/b && cat /home/dev/b/shadow", "read:/etc/shadow"],
    ["ln -s /etc /home/dev/b && cat ~/b/shadow", "read:/etc/shadow"],
    ["ln -s /etc ~/b && cat ~/../dev/b/shadow", "read:/etc/shadow"],
  ])("%s", (line, effect) => {
    expect(does(line)).toContain(effect);
  });

  it.each([
    "git checkout evil x && cat ../ws/x/.aws/credentials",
    "git checkout evil x && cat ../ws/./X/.aws/credentials",
    "git checkout evil x && cd ../ws && cat x/.aws/credentials",
    "git checkout evil x && cat ../w*/x/.aws/credentials",
    "git checkout evil x && cat ../../*/w*/x/.aws/credentials",
    "git checkout evil ../ws/x && cat x/.aws/credentials",
    "git checkout evil ../ws/x && cat */.aws/credentials",
    "git checkout evil ../ws && cat x/.aws/credentials",
    "git checkout evil /srv/ws && cat x/.aws/credentials",
    "git checkout evil ~ && cat ~/x/.aws/credentials",
    "cd src && git checkout evil ../x && cat ../../ws/x/.aws/credentials",
    "tar xf a.tar -C d && cat ../ws/d/x/.aws/credentials",
    "tar xf a.tar -C ../ws/d && cat d/x/.aws/credentials",
    "tar xf a.tar -C ../ws && cat x/.aws/credentials",
    "tar xf a.tar -C ../ws && cat */.aws/credentials",
    "tar xf a.tar -C ../../a && cat x/.aws/credentials",
    "tar xf a.tar -C ../../a/ws && cat x/.aws/credentials",
    "tar xf a.tar -C ../.. && cat ../x/.aws/credentials",
    "(cd ../../private/tmp/ws && tar xf a.tar) && cat x/.aws/credentials",
    "cp -aT evil ../ws && cat x/k",
    "cp -a evil/. ../ws && cat x/k",
    "cp -a evil/. ../../a && cat x/.aws/credentials",
    "unzip a.zip -d d && cat ../ws/d/x/.aws/credentials",
    "git worktree add w evil && cat ../ws/w/x/.aws/credentials",
    "patch -p1 y < p && cat y",
    "patch -p1 y < p && cat ../ws/y/.aws/credentials",
    "ln -s /etc h && cat ../*/h/shadow",
    "ln -s /etc h && cat a/../../*/h/shadow",
    "ln -s /etc a/h && cat a/b/../*/shadow",
    "ln -s /etc ../ws/h && cat */shadow",
    // Behind a link `..` is above what it leads to.
    "ln -s /etc/ssh /srv/ws/b && cat b/../shadow",
    "ln -s /etc/ssh ../ws/b && cat b/../shadow",
    "ln -s /etc/ssh b && cat ../ws/b/../shadow",
    "ln -s /etc/ssh d/b && cat d/e/../b/../shadow",
    `ln -s /etc/ssh d/b && cat ${"d/../".repeat(20)}d/e/../b/../shadow`,
    "ln -s ../home d/l && mv d/l ../ws/l && cat l/k",
    `ln -s /etc ../h && cat ${"h/".repeat(40)}shadow`,
  ])("or nobody knows: %s", (line) => {
    expect(does(line)).toContain("unknown");
  });

  it.each([
    ["ln -s ../shared/lib lib && npm test", []],
    ["ln -s ../shared/lib lib && cat ../README.md lib/x", ["read:lib", "read:README.md", "unknown"]],
    ["ln -s ../app/config/app.json app && cat app", ["unknown"]],
    ["ln -s ../main/node_modules node_modules && ls node_modules/.bin", ["unknown"]],
    ["cd ../other && npm ci && cd -", ["unknown"]],
    ["tar xf a.tar -C build && ls ../README.md", ["unknown"]],
    ["tar xf a.tar -C ../site/public && cat README.md", ["unknown"]],
    ["tar xf a.tar -C ../site && rm a.tar", ["unknown"]],
    ["tar xf a.tar -C ../site && ls . ..", ["unknown"]],
    ["git checkout HEAD~1 -- ../lib/a.ts && cat README.md ../b.ts", ["unknown"]],
    ["cp -a src ../backup && cat ../backup/README.md", ["unknown"]],
    ["cp -a src ../backup && cat README.md src/a", ["unknown", "read:src/../src/README.md/../README.md"]],
    ["cp -a src docs ../backup && cp -a src ../other && cat ../backup/src/a ../other/src/a", ["unknown"]],
    ["mv ../a.ts ../b.ts && cat ../b.ts c.ts", ["unknown", "read:../a.ts/../c.ts"]],
  ])("and nothing else: %s", (line, effects) => {
    const all = does(line);
    expect(all.length).toBeGreaterThanOrEqual(effects.length === 0 ? 1 : 0);
    for (const effect of effects.length === 0 ? ["unknown"] : effects) expect(all).not.toContain(effect);
  });

  it("as bash does it", () => {
    for (const line of [
      "ln -s .git h && echo x > ../ws/h/evil",
      "ln -s .git h && cd ../ws && echo x > h/evil",
      "ln -s ../.git src/h && cd src && echo x > ../../ws/src/h/evil",
      "ln -s .git ../ws/h && echo x > h/evil",
      "(cd ../ws && ln -s .git h); echo x > h/evil",
      "cp -aT from ../ws && echo x > up/evil",
      "cp -aT from . && echo x > up/evil",
      "cp -aT from ../ws && echo x > ../ws/up/evil",
    ]) {
      const root = realpathSync(mkdtempSync(join(tmpdir(), "bylaw-ways-")));
      onTestFinished(() => rmSync(root, { recursive: true, force: true }));
      for (const folder of ["ws/.git", "ws/src", "ws/from"]) mkdirSync(join(root, folder), { recursive: true });
      execFileSync("ln", ["-s", ".git", join(root, "ws/from/up")]);
      execFileSync("bash", ["-c", line], { cwd: join(root, "ws"), stdio: "ignore" });
      expect([line, existsSync(join(root, "ws/.git/evil"))]).toEqual([line, true]);
      const said = does(line);
      expect(
        said.some((effect) => /^unknown$|^write:.*\.git\/evil$|from\/up\/\.\.\/up\/evil\/\.\.\/evil$/.test(effect)),
        `${line}: ${said.join(" ")}`,
      ).toBe(true);
    }
  });
});
