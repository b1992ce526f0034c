import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { does } from "./kit.ts";

/** A new folder that is removed after the test. */
function folder(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "bylaw-links-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

const bash = (text: string, cwd: string): unknown =>
  execFileSync("bash", ["-c", text], { cwd, stdio: "ignore" });

describe("a path is unknown after a command that may make a link", () => {
  it.each([
    "ln -s ../.. src/up && echo x > src/up/y",
    "ln -s .git g; cp a g/hooks/pre-commit",
    "ln -s . d; echo x > d/secret",
    "ln -s /etc e; cat e/shadow",
    "ln secret x; echo a > x",
    "ln secret src/x; echo a > src/x",
    "ln -sr secret src/x; echo a > src/x",
    "symlink ../secret src/x; echo a > src/x",
    "link secret x && tee x < a",
    "cp -al a b; echo x > b/c",
    "mv src/up src/w; echo x > src/w/y",
    "git mv src/up src/w; echo x > src/w/y",
    "rsync -a src/up/ w; echo x > w/y",
    "cd src; ln -s /etc e; cat e/shadow",
    "ln -s /etc src/e; echo x > /srv/repo/src/e/y",
    "ln -s /etc /srv/repo/src/e; echo x > src/e/y",
    "ln -s a b; ln -s b c; echo x > c/d",
    "(ln -s / r); tee r/etc/x < a",
    "bash -c 'ln -s /etc r'; echo > r/x",
    "sudo ln -s /etc r && cat r/shadow",
    "for i in 1 2; do ln -s /etc q; done; echo > q/x",
    "ln -s /etc q & echo > ./q//x",
    "cp -a src/up lib/ && echo x > lib/up/y",
    "cp -a src/up lib/. && echo x > lib/up/y",
    "cd lib && cp -a ../up ./ && echo x > up/y",
    "rsync -a src/ lib/ && echo x > lib/up/y",
    "rsync -a --exclude-from=x src/up w && echo x > w/y",
    "cp -a src/. lib && echo x > lib/up/y",
    "cp -a src/ lib && echo x > lib/src/up/y",
    "cp -a src/up src/lib x/lib && echo x > x/lib/up/y",
    "cp -a a x/a && echo x > x/a/a/l/y",
    "cp -a src/up w < a && echo x > w/y",
    "mv src/up w < a && echo x > w/y",
    "ln -s /etc/shadow x; cat *",
    "ln -s /etc/shadow notes; cat [a-z]*s",
    "ln -s /etc/shadow notes; cat N*",
    "ln -s /etc/shadow d/x; cat d/*",
    "ln -s /etc/shadow d/x; cat */x",
    "ln -s /etc/shadow d/x; cat /srv/repo/d/*",
    "ln -s /etc/shadow /srv/repo/d/x; cat d/*",
    "cd d; ln -s /etc/shadow x; cat *",
    "ln -s /etc/shadow x; find . -name 'x*' -exec cat {} +",
    "ln -s ../out l; git rm -rf l",
    "ln -s ../out l; git rm -f l/x",
    "mv a.md b.ts && cat *.ts",
    "ln -s . d; ln -s /etc d/e; cat e/shadow",
    "ln -s /etc d/e; ln -s . d; cat e/shadow",
    "ln -s . d; cp -s /etc/shadow d/e; cat e",
    "ln -s . d; ln -sr /etc d/e; cat e/shadow",
    "ln -s . a; ln -s . a/b; ln -s /etc a/b/c; cat c/shadow",
    "ln -s src d; ln -s /etc d/lib/e; cat src/lib/e/shadow",
    "ln -s /srv/x d; ln -s /etc d/e; cat /srv/x/e/shadow",
    "cd src; ln -s . d; ln -s /etc d/e; cat e/shadow",
    "ln -s . d; mv src/up d/w; echo x > w/y",
    "ln -s . d; ln secret d/x; echo a > x",
    "ln -s . d; ln -s /etc/shadow d/x; cat *",
    "(cd s && ln -s ../b ../n) && rm -rf n/",
    "ln -s ../b n; rm -rf n//",
    "ln -s ../b n; rm -rf n/.",
    "ln -s ../b a; ln -s a n; rm -rf n/",
    "mv e/g q/; cat q/lf",
    "mv e/g q.//; cat q./lf",
    "git mv e/g q/; cat q/lf",
    "cp -a e/g ./q/; echo x > q/lf",
    "ln -s dir/* l; echo x > l/a",
    'ln -s "$X" l; echo x > l/a',
    "ln -s /etc l; cat l/*",
    "ln -tsrc secret; echo a > src/secret",
    "ln -s ../.. src/up; cd src/up; echo x > ../y",
    "ln -s ../.. src/up; echo x > src/up/../y",
    "cp -a src/up . && echo x > up/y",
    "rsync -a src/ . && echo x > up/y",
    "rsync -a src/ .. && echo x > ../a/up/y",
    "rsync -a host:src/ lib/ && echo x > lib/up/y",
    "rsync -aR src/up lib && echo x > lib/src/up/y",
    "cp -a --parents src/up lib && echo x > lib/src/up/y",
    "cp $O src/up lib/ && echo x > lib/up/y",
    "cp * lib/ && echo x > lib/up/y",
    "cp -a src/up l*/ && echo x > lib/up/y",
    "mv src/u* lib/ && echo x > lib/up/y",
    String.raw`find src -name up -exec cp -a {} lib/ \; && echo x > lib/up/y`,
    String.raw`find src -name up -exec mv {} lib/ \; && echo x > lib/up/y`,
    "ln -s /etc l; cat */shadow",
    "ln -s /etc l; cat *?/shadow",
    "ln -s /etc l; rm */x",
    "ln -s /etc l; rm *?/x",
    "ln -s /etc d/l; cat d/*/shadow",
    "ln -s /etc d/l; cat /srv/repo/d/*/shadow",
    "ln -s /etc d/l; cat ./*/l/shadow",
    "tar xf a.tar && cat *",
    "tar xf a.tar && cat n*",
    "tar xf a.tar && rm */x",
    "tar -xf a.tar -C out && cat out/*",
    "tar -xf a.tar -C out && cat */x",
    "tar -xf a.tar && find . -name '*.md' -exec cat {} +",
    "mv *.md docs/ && cat docs/*",
    "tar -xf a.tar -C out && echo x > out/up/y",
    "tar xf a.tar && echo x > up/y",
    "tar xf a.tar && echo x > /srv/repo/up/y",
    "busybox tar -xf a.tar; echo x > up/y",
    "unzip a.zip -d out && echo x > out/up/y",
    "cpio -id -D out < a.cpio && echo x > out/up/y",
    "find src | cpio -pd out && echo x > out/src/up/y",
    "pax -r -f a.pax && echo x > up/y",
    "7z x a.7z -oout && echo x > out/up/y",
    "patch -p1 < a.diff && echo x > up/y",
    "git checkout HEAD~1 -- src/l && echo x > src/l/y",
    "git checkout HEAD~1 -- . && echo x > src/l/y",
    "git restore -s HEAD~1 src/ && echo x > src/l/y",
    "git checkout HEAD~1 -- src/l clone && echo x > src/l",
    "git restore -s HEAD~1 src && echo x > src/l/y",
    "git clone url out && echo x > out/l/y",
    "git worktree add out && echo x > out/l/y",
    "git checkout HEAD~1 -- src/l mv && echo x > src/l/y",
    "git restore -s HEAD~1 mv src/l && echo x > src/l/y",
    "tar -xf a.tar -C /srv/repo && echo x > up/y",
    "cp -a src/. /srv/repo/ && echo x > up/y",
    "ln -s /etc l; touch *.md",
    "ln -s /etc d/l; touch *",
    "ln -s /etc d/l; touch d/*.md e/*",
    "ln -s /etc l; find . -name '*.orig' -delete",
    "tar xf a.tar && find . -name '*.orig' -delete",
    "tar -xf a.tar -C out && cat *.md",
    "mv a.ts b.ts && cat *.md",
    "mv a b; echo x > c",
    "ln -s ../src/a src/b && echo x > src/b",
    "ln -s /etc l; echo x > lib/y",
    "mv a b c d e f g h lib && git add lib && echo x >> lib/log",
    "cp -r a b lib; echo x > lib/c",
    "mv *.md docs/ && git add docs/ && ls docs",
    "mkdir out && tar xzf a.tgz -C out && echo x > src/a",
    "ln -s . d; ln -s /etc d/e; cat f/shadow",
    "ln -s lib d; ln -s /etc d/e; cat e/shadow",
    "git checkout -- src/a && ls src",
    "tar -xf a.tar -C /srv/out && echo x > /srv/other/y",
    "ln -s ../b s/t/up/n && echo x > n/z",
    "(cd s && ln -s prot t/up/q) && cat q/f",
    "mv s/in s/t/up/n; cat n/f",
    "mv s/in n; cat s/t/up/n/f",
    "mv s/in n; echo x > s/t/up/n/z",
    "mv s/in b; cat e/g/z",
    "mv s/in n; cat q/../q/up/n/f",
    "ln -s a b; rm -rf e/g/",
    "ln -s a b; rm -rf e/g",
    "ln -s .git/hooks h && echo x > ../ws/h/pre-commit",
    "ln -s .git/hooks h && echo x > ./../WS/./H//pre-commit",
    "ln -s /etc h && cat ../../a/ws/h/shadow",
    "ln -s /etc a/b/h && cat ../../../o/ws/src/a/b/h/shadow",
    "ln -s /etc h && cd ../ws && cat h/shadow",
    "ln -s /etc h && cd ../../a/ws/src/.. && cat h/shadow",
    "ln -s /etc h && cd .. && cat ws/h/shadow",
    "cd src && ln -s /etc ../h && cat ../../ws/h/shadow",
    "ln -s /etc h && cat x/../../ws/h/shadow",
    "ln -s /etc h && cat ../w*/h",
    "ln -s /etc h && cat ../*/h",
    "ln -s / h && cat ../h/h/etc/shadow",
    "ln -s / h && cat /srv/h/h/etc/shadow",
    "ln -s ../home ../ws/b && cat b/.aws/credentials",
    "ln -s /etc ../WS/./b && cat B/shadow",
    "ln -s /etc ../../a/ws/src/b && cat src/b/shadow",
    "ln -s /etc ../../a/ws/b && cat ../ws/b/shadow",
    "(cd ../ws && ln -s /home/dev b); cat b/.aws/credentials",
    "(cd ../ws && ln -s ../home b); cat b/.aws/credentials",
    "ln -s /etc ../ws/b && cat b*",
    "cp -al a ../ws/b; echo x > b/c",
    "mv src/up ../ws/w; echo x > w/y",
    "ln -s /etc ../ws/b && cat /srv/ws/b/shadow",
    "ln -s /etc /srv/ws/b && cat ../ws/b/shadow",
    "ln -s /etc /srv/ws/b && cat ../../srv/ws/b/shadow",
    "ln -s /etc ~/ws/b && cat ../ws/b/shadow",
    "ln -s /etc ../ws/b && cat ~/ws/b/shadow",
    "ln -s /etc ~/b && cat /home/dev/b/shadow",
    "ln -s /etc /home/dev/b && cat ~/b/shadow",
    "ln -s /etc ~/b && cat ~/../dev/b/shadow",
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
    "ln -s /etc/ssh /srv/ws/b && cat b/../shadow",
    "ln -s /etc/ssh ../ws/b && cat b/../shadow",
    "ln -s /etc/ssh b && cat ../ws/b/../shadow",
    "ln -s /etc/ssh d/b && cat d/e/../b/../shadow",
    "ln -s ../home d/l && mv d/l ../ws/l && cat l/k",
    "ln -s ../shared/lib lib && cat ../README.md lib/x",
    "ln -s ../app/config/app.json app && cat app",
    "ln -s ../main/node_modules node_modules && ls node_modules/.bin",
    "tar xf a.tar -C build && ls ../README.md",
    "tar xf a.tar -C ../site/public && cat README.md",
    "tar xf a.tar -C ../site && ls . ..",
    "git checkout HEAD~1 -- ../lib/a.ts && cat README.md ../b.ts",
    "cp -a src ../backup && cat ../backup/README.md",
    "cp -a src ../backup && cat README.md src/a",
    "cp -a src docs ../backup && cp -a src ../other && cat ../backup/src/a ../other/src/a",
    "mv ../a.ts ../b.ts && cat ../b.ts c.ts",
    "cp -a a b && echo x > B",
    "mv a b && echo x > b/../c",
    "mv a b && cat x/../b",
    "mv a* b && cat b",
    "mv a b && ln -s c b && cat b",
    "mv a b && mv b/c d && cat d",
    "sudo mv a b && mv b c && cat c/d",
    "find . -name a -exec mv {} b + && cat b",
    "ls | xargs -I{} mv {} b && cat b",
    'mv "$X" b && cat b',
    "tar xf a.tar && cat a.tar",
    "cpio -iu -F a.cpio && cat a.cpio",
    "tar xf a.tar -C out --one-top-level=new && cd new",
    "tar $O a.tar && cat x",
    "git clone u out && cat out/x",
    "rsync -a host:a b && cat b",
    "git checkout other -- a && cat a",
    "patch a < p && cat a",
    "patch -p1 < p; ./a/b",
    "busybox ln -s / r; cat r/x",
    "/bin/LN -s / r; cat r/x",
    "curl u | tar x; cat x/y",
    "mv a b | cat b/c",
    "if mv a b; then cat b/c; fi",
    "env -S 'ln -s / r'; cat r/x",
    "ln -sf a b; ./b",
    "tar xf a.tgz && ./configure",
    "rename s/a/b/ d/a && cat b",
    "mv a b && mv b c && cat c",
    Array.from({ length: 9 }, () => "mv a b").join("; ") + "; cat b",
  ])("%s", (line) => {
    expect(does(line)).toContain("unknown");
  });

  it.each([
    "cp a b; echo x >> b",
    "ln -s /etc l; rm l",
    "ln -s /etc l; rm *",
    "ln -s /etc l; rm *?",
    "tar xf a.tar && rm *.tgz",
    "ln -s a b",
    "cp *.ts lib/ && cat lib/a.ts",
    "tar xzf a.tgz && rm a.tgz && ls",
    "tar -czf a.tgz src && cat a.tgz src/a",
    "git checkout -b topic && git add src/a && git commit -m x",
    "git checkout -- . && ls",
    "ln -s ../shared/lib lib && npm test",
    "cd ../other && npm ci && cd -",
    "tar xf a.tar -C ../site && rm a.tar",
    "cat a && mv b c",
    "mkdir -p b && cp -r a b",
    "rm -f b; ln -s a b",
    "mv a b && npm test",
    "tar xf a.tgz -C out && cd out && make",
    "git clone u out && cd out && npm ci",
    "git worktree add ../out && cd ../out && npm ci",
    "mv a b && git add b && git commit -m x",
    "cp *.ts lib && cat lib/a.ts",
  ])("but not in %s", (line) => {
    expect(does(line)).not.toContain("unknown");
  });

  // Real paths are resolved before the line runs, and a name said twice resolves to nothing where it is a link.
  it.each([
    ["mv a b && cat b", "read:a/../a"],
    ["mv a b && cat ./b", "read:a/../a"],
    ["mv a/c b && echo x > b", "write:a/../a/c/../c"],
    ["mv a d/ && cat d/a", "read:a/../a"],
    // Where `d` is no folder, it is `a` now.
    ["mv a d && cat d/a", "read:a/../a/a/../a"],
    ["cp -r a b && ls b", "read:a/../a"],
    ["cp -al a b && echo x > b", "write:a/../a"],
    ["cp -s /srv/a b && echo x > b", "write:/srv/../srv/a/../a"],
    ["git mv a b && echo x > b", "write:a/../a"],
    ["cd d && mv a b && cat b", "read:d/../d/a/../a"],
    ["mv a b && rm -r b/", "delete:a/../a"],
  ])("what was moved or copied to exactly this path must be no link: %s", (line, effect) => {
    expect(does(line)).toContain(effect);
  });

  it("as bash runs it", () => {
    for (const line of [
      "ln -s ../.. src/up && echo x > src/up/out",
      "mv src/there src/w; echo x > src/w/out",
      "cp -a src/there src/w; echo x > src/w/out",
      "cd src && ln -s ../.. up && cd up && echo x > out",
      "ln -s . d; ln -s ../.. d/e; echo x > e/out",
      "ln -s . d; ln -s $PWD/../.. d/e; echo x > e/out",
      "ln -s . d; ln -s . d/e; ln -s ../.. d/e/f; echo x > f/out",
      "ln -s src d; ln -s ../../.. d/e; echo x > src/e/out",
      "ln -s src d; cp -s $PWD/../../out d/e; echo x > src/e",
      "ln -s . d; mv src/there d/e; echo x > e/out",
      "ln -s . d; ln ../../out d/e; echo x > e",
      "mv src/there w; mv w v; echo x > v/out",
      "mv src/in w && echo x > w/in/out",
      "mv src/in w && mv w/in v && echo x > v/out",
    ]) {
      const root = folder();
      mkdirSync(join(root, "a/work/src/in"), { recursive: true });
      const file = join(root, line.includes("/out d/e") ? "out" : "a/none");
      writeFileSync(file, "");
      for (const link of ["there", "in/in"])
        execFileSync("ln", ["-s", "../..", join(root, "a/work/src", link)]);
      bash(line, join(root, "a/work"));
      const outside = ["out", "a/out", "a/work/out"].some(
        (path) => existsSync(join(root, path)) && readFileSync(join(root, path), "utf8") === "x\n",
      );
      expect([line, outside]).toEqual([line, true]);
      expect(does(line), line).toContain("unknown");
    }
  });

  it("as bash runs it, with links that are put into a folder", () => {
    for (const line of [
      "cp -a src/up src/lib/ && echo x > src/lib/up/evil",
      "cp -a src/up src/lib/. && echo x > src/lib/up/evil",
      "cd src/lib && cp -a ../up ./ && echo x > up/evil",
      "cp -a src/up src/lib src/x && echo x > src/x/up/evil",
      "cp -a from/. src/lib && echo x > src/lib/up/evil",
      "mv src/u* src/lib/ && echo x > src/lib/up/evil",
      "O=-a; cp $O src/up src/lib/ && echo x > src/lib/up/evil",
      String.raw`find src -maxdepth 1 -name up -exec cp -a {} src/lib/ \; && echo x > src/lib/up/evil`,
      "tar -xf a.tar -C src/lib && echo x > src/lib/up/evil",
      "patch -p1 -s < a.diff && echo x > src/l/evil",
      "git checkout -q HEAD -- src/l && echo x > src/l/evil",
      "git restore src/l && echo x > src/l/evil",
      "git clone -q . src/c && echo x > src/c/src/l/evil && mv src/c/.git/evil .git",
    ]) {
      const root = folder();
      for (const name of ["src/lib", "src/x", "from"])
        mkdirSync(join(root, name), { recursive: true });
      bash(
        "git init . && ln -s ../.git src/l && git add src && git -c user.name=a -c user.email=a commit -m l && rm src/l",
        root,
      );
      bash("git show --format= HEAD > a.diff", root);
      // Where they are they lead out of the folder.
      bash("ln -s ../../.git src/up && ln -s ../../.git from/up && tar -C src -cf a.tar up", root);
      bash(line, root);
      expect([line, existsSync(join(root, ".git/evil"))]).toEqual([line, true]);
      expect(does(line), line).toContain("unknown");
    }
  });

  it("as bash runs it, with paths that go up and come back", () => {
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
      const root = folder();
      for (const name of ["ws/.git", "ws/src", "ws/from"])
        mkdirSync(join(root, name), { recursive: true });
      execFileSync("ln", ["-s", ".git", join(root, "ws/from/up")]);
      bash(line, join(root, "ws"));
      expect([line, existsSync(join(root, "ws/.git/evil"))]).toEqual([line, true]);
      expect(does(line), line).toContain("unknown");
    }
  });
});
