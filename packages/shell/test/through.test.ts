import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { does } from "./kit.ts";

describe("what a line does by way of a link that it makes, it does where the link leads", () => {
  it.each([
    ["ln -s ../.. src/up && echo x > src/up/y", "write:src/../../y"],
    ["ln -s .git g; cp a g/hooks/pre-commit", "write:.git/hooks/pre-commit"],
    ["ln -s . d; echo x > d/secret", "write:./secret"],
    ["ln -s /etc e; cat e/shadow", "read:/etc/shadow"],
    ["ln secret x; echo a > x", "write:secret/../secret"],
    ["ln secret src/x; echo a > src/x", "write:secret/../secret"],
    ["ln -sr secret src/x; echo a > src/x", "write:secret"],
    ["symlink ../secret src/x; echo a > src/x", "write:src/../secret"],
    ["link secret x && tee x < a", "write:secret/../secret"],
    ["cp -s /srv/secret x && echo a > x", "write:/srv/../srv/secret/../secret"],
    ["cp -al a b; echo x > b/c", "write:a/../a/c/../c"],
    ["mv src/up src/w; echo x > src/w/y", "write:src/../src/up/../up/y/../y"],
    ["git mv src/up src/w; echo x > src/w/y", "write:src/../src/up/../up/y/../y"],
    ["rsync -a src/up/ w; echo x > w/y", "write:src/../src/up/../up/y/../y"],
    ["cd src; ln -s /etc e; cat e/shadow", "read:/etc/shadow"],
    ["ln -s /etc src/e; echo x > /srv/repo/src/e/y", "write:/etc/y"],
    ["ln -s /etc /srv/repo/src/e; echo x > src/e/y", "write:/etc/y"],
    ["ln -s a b; ln -s b c; echo x > c/d", "write:a/d"],
    ["echo x > L/y; ln -s /etc l", "write:/etc/y"],
    ["(ln -s / r); tee r/etc/x < a", "write://etc/x"],
    ["bash -c 'ln -s /etc r'; echo > r/x", "write:/etc/x"],
    ["sudo ln -s /etc r && cat r/shadow", "read:/etc/shadow"],
    ["for i in 1 2; do ln -s /etc q; done; echo > q/x", "write:/etc/x"],
    ["ln -s /etc q & echo > ./q//x", "write:/etc/x"],
    ["cp -a src/up lib/ && echo x > lib/up/y", "write:src/../src/up/../up/y/../y"],
    ["cp -a src/up lib/. && echo x > lib/up/y", "write:src/../src/up/../up/y/../y"],
    ["cd lib && cp -a ../up ./ && echo x > up/y", "write:lib/../lib/../up/../up/y/../y"],
    ["rsync -a src/ lib/ && echo x > lib/up/y", "write:src/../src/up/../up/y/../y"],
    ["rsync -a --exclude-from=x src/up w && echo x > w/y", "write:src/../src/up/../up/y/../y"],
    ["cp -a src/. lib && echo x > lib/up/y", "write:src/../src/up/../up/y/../y"],
    ["cp -a src/ lib && echo x > lib/src/up/y", "write:src/../src/up/../up/y/../y"],
    ["cp -a src/up src/lib x/lib && echo x > x/lib/up/y", "write:src/../src/up/../up/y/../y"],
    ["cp -a a x/a && echo x > x/a/a/l/y", "write:a/../a/l/../l/y/../y"],
    ["cp -a src/up w < a && echo x > w/y", "write:src/../src/up/../up/y/../y"],
    ["mv src/up w < a && echo x > w/y", "write:src/../src/up/../up/y/../y"],
    ["ln -s /etc/shadow x; cat *", "read:/etc/shadow"],
    ["ln -s /etc/shadow notes; cat [a-z]*s", "read:/etc/shadow"],
    ["ln -s /etc/shadow notes; cat N*", "read:/etc/shadow"],
    ["ln -s /etc/shadow d/x; cat d/*", "read:/etc/shadow"],
    ["ln -s /etc/shadow d/x; cat */x", "read:/etc/shadow"],
    ["ln -s /etc/shadow d/x; cat /srv/repo/d/*", "read:/etc/shadow"],
    ["ln -s /etc/shadow /srv/repo/d/x; cat d/*", "read:/etc/shadow"],
    ["cd d; ln -s /etc/shadow x; cat *", "read:/etc/shadow"],
    ["ln -s /etc/shadow x; find . -name 'x*' -exec cat {} +", "read:/etc/shadow"],
    ["ln -s ../out l; git rm -rf l", "delete:../out"],
    ["ln -s ../out l; git rm -f l/x", "delete:../out/x"],
    ["mv a.md b.ts && cat *.ts", "read:a.md/../a.md"],
    ["ln -s . d; ln -s /etc d/e; cat e/shadow", "read:/etc/shadow"],
    ["ln -s /etc d/e; ln -s . d; cat e/shadow", "read:/etc/shadow"],
    ["ln -s . d; cp -s /etc/shadow d/e; cat e", "read:/etc/shadow"],
    ["ln -s . d; ln -sr /etc d/e; cat e/shadow", "read:/etc/shadow"],
    ["ln -s . a; ln -s . a/b; ln -s /etc a/b/c; cat c/shadow", "read:/etc/shadow"],
    ["ln -s src d; ln -s /etc d/lib/e; cat src/lib/e/shadow", "read:/etc/shadow"],
    ["ln -s /srv/x d; ln -s /etc d/e; cat /srv/x/e/shadow", "read:/etc/shadow"],
    ["cd src; ln -s . d; ln -s /etc d/e; cat e/shadow", "read:/etc/shadow"],
    ["ln -s . d; mv src/up d/w; echo x > w/y", "write:src/../src/up/../up/y/../y"],
    ["ln -s . d; ln secret d/x; echo a > x", "write:secret/../secret"],
    ["ln -s . d; ln -s /etc/shadow d/x; cat *", "read:/etc/shadow"],
    ["(cd s && ln -s ../b ../n) && rm -rf n/", "delete:s/../../b"],
    ["ln -s ../b n; rm -rf n//", "delete:../b"],
    ["ln -s ../b n; rm -rf n/.", "delete:../b"],
    ["ln -s ../b a; ln -s a n; rm -rf n/", "delete:../b"],
    ["mv e/g q/; cat q/lf", "read:e/../e/g/../g/lf/../lf"],
    ["mv e/g q.//; cat q./lf", "read:e/../e/g/../g/lf/../lf"],
    ["git mv e/g q/; cat q/lf", "read:e/../e/g/../g/lf/../lf"],
    ["cp -a e/g ./q/; echo x > q/lf", "write:e/../e/g/../g/lf/../lf"],
  ])("%s", (line, effect) => {
    expect(does(line)).toContain(effect);
  });

  it.each([
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
    Array.from({ length: 40 }, (_, at) => `ln -s a${at} l; echo > l/${at}`).join("; "),
    "git checkout HEAD~1 -- src/l mv && echo x > src/l/y",
    "git restore -s HEAD~1 mv src/l && echo x > src/l/y",
    "git mv l clone && echo x > clone",
    "tar -xf a.tar -C /srv/repo && echo x > up/y",
    "cp -a src/. /srv/repo/ && echo x > up/y",
  ])("or nobody knows: %s", (line) => {
    expect(does(line)).toContain("unknown");
  });

  it.each([
    ["cp a b; echo x >> b", "write:a"],
    ["ln -s /etc l; rm l", "delete:/etc"],
    ["ln -s /etc l; rm *", "delete:/etc"],
    ["ln -s /etc l; rm *?", "delete:/etc"],
    ["ln -s /etc l; touch *.md", "write:/etc"],
    ["ln -s /etc d/l; touch *", "write:/etc"],
    ["ln -s /etc d/l; touch d/*.md e/*", "write:/etc"],
    ["ln -s /etc l; find . -name '*.orig' -delete", "delete:/etc"],
    ["tar xf a.tar && rm *.tgz", "read:/etc"],
    ["tar xf a.tar && find . -name '*.orig' -delete", "read:/etc"],
    ["tar -xf a.tar -C out && cat *.md", "write:."],
    ["mv a.ts b.ts && cat *.md", "read:a.ts/../a.ts"],
    ["ln -s a b", "write:a"],
    ["mv a b; echo x > c", "write:a"],
    ["ln -s ../src/a src/b && echo x > src/b", "write:../src/a"],
    ["ln -s /etc l; echo x > lib/y", "write:/etc/y"],
    ["mv a b c d e f g h lib && git add lib && echo x >> lib/log", "write:a"],
    ["cp -r a b lib; echo x > lib/c", "write:a/../a/c/../c"],
    ["cp *.ts lib/ && cat lib/a.ts", "read:a.ts"],
    ["mv *.md docs/ && git add docs/ && ls docs", "read:docs/a"],
    ["tar xzf a.tgz && rm a.tgz && ls", "read:a"],
    ["tar -czf a.tgz src && cat a.tgz src/a", "write:src"],
    ["mkdir out && tar xzf a.tgz -C out && echo x > src/a", "write:out/a"],
    ["ln -s . d; ln -s /etc d/e; cat f/shadow", "read:/etc/shadow"],
    ["ln -s lib d; ln -s /etc d/e; cat e/shadow", "read:/etc/shadow"],
    ["git checkout -b topic && git add src/a && git commit -m x", "write:src/a"],
    ["git checkout -- src/a && ls src", "read:src/a"],
    ["git checkout -- . && ls", "read:a"],
    ["tar -xf a.tar -C /srv/out && echo x > /srv/other/y", "write:/srv/out/y"],
  ])("and nothing else: %s", (line, effect) => {
    expect(does(line)).not.toContain(effect);
    expect(does(line)).not.toContain("unknown");
  });

  it("as bash does it", () => {
    const lines = [
      "ln -s ../.. src/up && echo x > src/up/out",
      "mv src/there src/w; echo x > src/w/out",
      "cp -a src/there src/w; echo x > src/w/out",
      "cd src && ln -s ../.. up && cd up && echo x > out",
    ];
    for (const line of lines) {
      const root = realpathSync(mkdtempSync(join(tmpdir(), "bylaw-through-")));
      onTestFinished(() => rmSync(root, { recursive: true, force: true }));
      mkdirSync(join(root, "a/work/src"), { recursive: true });
      writeFileSync(join(root, "a/work/src/file"), "");
      execFileSync("ln", ["-s", "../..", join(root, "a/work/src/there")]);
      execFileSync("bash", ["-c", line], { cwd: join(root, "a/work") });
      expect([line, existsSync(join(root, "a/out")) || existsSync(join(root, "out"))]).toEqual([line, true]);
      const said = does(line).filter((effect) => effect.startsWith("write:"));
      expect(
        said.some((effect) => /(?:\.\.\/){2}out$|there\/out\/\.\.\/out$/.test(effect)),
        `${line}: ${said.join(" ")}`,
      ).toBe(true);
    }
  });

  // Where what is there already leads is looked at before the line runs: so that it is refused, there is to be no link on the way.
  it.each([
    ["ln -s ../b s/t/up/n && echo x > n/z", "write:s/../s/t/../t/up/../up/n"],
    ["(cd s && ln -s prot t/up/q) && cat q/f", "write:s/../s/t/../t/up/../up/q"],
    ["mv s/in s/t/up/n; cat n/f", "write:s/../s/t/../t/up/../up/n"],
    ["mv s/in n; cat s/t/up/n/f", "read:s/../s/t/../t/up/../up/n/../n/f/../f"],
    ["mv s/in n; echo x > s/t/up/n/z", "write:s/../s/t/../t/up/../up/n/../n/z/../z"],
    ["mv s/in b; cat e/g/z", "read:e/../e/g/../g/z/../z"],
    // Of a path that says one of its names twice itself the other names are looked at too.
    ["mv s/in n; cat q/../q/up/n/f", "read:q/../q/../q/../q/up/../up/n/../n/f/../f"],
    ["ln -s a b; rm -rf e/g/", "delete:e/../e/g/../g"],
    ["ln -s a b; rm -rf e/g", "delete:e/../e/g"],
  ])("with what is there already: %s", (line, effect) => {
    expect(does(line)).toContain(effect);
  });

  it("and asks nothing more of a single command, or of a link that is moved", () => {
    expect(does("cat e/g/z")).toEqual(["read:e/g/z"]);
    expect(does("mv n m && ls")).not.toContain("read:n/../n");
  });

  it("as bash does it, with links that are put behind links", () => {
    for (const line of [
      "ln -s . d; ln -s ../.. d/e; echo x > e/out",
      "ln -s . d; ln -s $PWD/../.. d/e; echo x > e/out",
      "ln -s . d; ln -s . d/e; ln -s ../.. d/e/f; echo x > f/out",
      "ln -s src d; ln -s ../../.. d/e; echo x > src/e/out",
      "ln -s src d; cp -s $PWD/../../out d/e; echo x > src/e",
      "ln -s . d; mv src/there d/e; echo x > e/out",
      "ln -s . d; ln ../../out d/e; echo x > e",
    ]) {
      const root = realpathSync(mkdtempSync(join(tmpdir(), "bylaw-through-")));
      onTestFinished(() => rmSync(root, { recursive: true, force: true }));
      mkdirSync(join(root, "a/work/src"), { recursive: true });
      const file = join(root, line.includes("/out d/e") ? "out" : "a/none");
      writeFileSync(file, "");
      execFileSync("ln", ["-s", "../..", join(root, "a/work/src/there")]);
      execFileSync("bash", ["-c", line], { cwd: join(root, "a/work") });
      const outside = [join(root, "out"), join(root, "a/out")].some((path) => existsSync(path) && readFileSync(path, "utf8") === "x\n");
      expect([line, outside]).toEqual([line, true]);
      const said = does(line);
      expect(
        said.includes("unknown") || said.some((effect) => /^write:.*(?:\.\.\/out|there\/out\/\.\.\/out|out\/\.\.\/out)$/.test(effect)),
        `${line}: ${said.join(" ")}`,
      ).toBe(true);
    }
  });

  it("as bash does it, with what is put into a folder", () => {
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
      const root = realpathSync(mkdtempSync(join(tmpdir(), "bylaw-through-")));
      onTestFinished(() => rmSync(root, { recursive: true, force: true }));
      for (const folder of ["src/lib", "src/x", "from"]) mkdirSync(join(root, folder), { recursive: true });
      const bash = (text: string): unknown => execFileSync("bash", ["-c", text], { cwd: root, stdio: "ignore" });
      bash("git init . && ln -s ../.git src/l && git add src && git -c user.name=a -c user.email=a commit -m l && rm src/l");
      bash("git show --format= HEAD > a.diff");
      // Where they are they lead out of the folder.
      bash("ln -s ../../.git src/up && ln -s ../../.git from/up && tar -C src -cf a.tar up");
      bash(line);
      expect([line, existsSync(join(root, ".git/evil"))]).toEqual([line, true]);
      const said = does(line);
      expect(
        said.includes("unknown") || said.some((effect) => /^write:.*up\/\.\.\/up\/evil\/\.\.\/evil$/.test(effect)),
        `${line}: ${said.join(" ")}`,
      ).toBe(true);
    }
  });
});
