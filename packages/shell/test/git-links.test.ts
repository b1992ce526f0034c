import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { analyze } from "../src/index.ts";

/** The programs of commands of a line of which something is not known. */
const unknownOf = (line: string): readonly string[] =>
  analyze(line).commands.flatMap(({ argv, effects, unknown }) =>
    unknown.length > 0 ||
    effects.some((effect) => "path" in effect && effect.path.text === undefined)
      ? [argv[0]?.text ?? ""]
      : [],
  );

// A folder besides another one; the branch `other` has a link to that, and `plain` a folder of files in its place.
function repository(): { readonly out: string; readonly bash: (text: string) => string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "bylaw-trees-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const out = join(root, "out");
  const work = join(root, "work");
  for (const folder of [out, work]) mkdirSync(folder);
  writeFileSync(join(out, "secret"), "secret\n");
  writeFileSync(join(out, "gone"), "gone\n");
  const bash = (text: string): string =>
    execFileSync("bash", ["-c", text], {
      cwd: work,
      stdio: ["ignore", "pipe", "ignore"],
      encoding: "utf8",
    });
  bash(
    "git init -q . && git config user.name a && git config user.email a && git commit -q --allow-empty -m first && git switch -q -c other",
  );
  symlinkSync(out, join(work, "link"));
  symlinkSync(join(out, "secret"), join(work, "notes"));
  bash(
    "git add . && git commit -q -m links && git show --format= HEAD > .git/a.patch && git switch -q -c plain HEAD~1",
  );
  bash(
    "mkdir link && echo open > link/secret && git add . && git commit -q -m plain && git switch -q -c topic HEAD~1",
  );
  bash("mv .git/a.patch . && git checkout -q other -- . && git stash -q && test ! -e link");
  return { bash, out };
}

describe("what git puts into the tree may be a link for the rest of the line", () => {
  it.each([
    "git switch other && echo x > link/file",
    "git switch other; echo x > ./link/file",
    "git switch other || true; echo x > link/file",
    "git switch other & wait; echo x > link/file",
    "git switch --detach HEAD~1 && echo x > file",
    "git switch -c topic origin/other && echo x > file",
    "git switch -f -c topic && echo x > file",
    'git switch -c "$NAME" && echo x > file',
    'git switch -c topic "$START" && echo x > file',
    "git checkout other && echo x > file",
    "git checkout -q other && echo x > file",
    "git checkout other -- && echo x > file",
    "git checkout -b topic origin/other && echo x > file",
    "git checkout -B topic other && echo x > file",
    "git checkout -t origin/other && echo x > file",
    "git checkout --no-such a b && echo x > file",
    "git checkout - && echo x > file",
    "git checkout --pathspec-from-file=list && echo x > file",
    "git restore --pathspec-from-file=list && echo x > file",
    "git merge other && echo x > file",
    "git pull && echo x > file",
    "git rebase main && echo x > file",
    "git cherry-pick abc && echo x > file",
    "git revert HEAD && echo x > file",
    "git am < a.mbox && echo x > file",
    "git apply a.patch && echo x > file",
    "git apply --check --apply a.patch && echo x > file",
    "git apply $O a.patch && echo x > file",
    "git stash && echo x > file",
    "git stash -u && echo x > file",
    "git stash push && echo x > file",
    "git stash pop && echo x > file",
    "git stash apply stash@{1} && echo x > file",
    "git stash branch topic && echo x > file",
    'git stash "$X" && echo x > file',
    "git reset --hard HEAD~1 && echo x > file",
    "git reset --ha HEAD~1 && echo x > file",
    "git reset --merge && echo x > file",
    "git reset $O && echo x > file",
    "git read-tree -mu other && echo x > file",
    "git checkout-index -a && echo x > file",
    "git submodule update --init && echo x > sub/file",
    "git submodule add ../sub && echo x > sub/file",
    "git sparse-checkout disable && echo x > file",
    "git bisect start bad good && echo x > file",
    "git filter-branch --tree-filter true && echo x > file",
    "git subtree pull -P lib url main && echo x > lib/file",
    "git switch other && echo x > /srv/repo/file",
    "git switch other && echo x > ~/repo/file",
    "git switch other && echo x > ../file",
    "git switch other && echo x > link/../file",
    "cd sub && git switch other && echo x > file",
    "git switch other && cd sub && echo x > file",
    "git -C sub switch other && echo x > sub/file",
    "git -C /srv/repo pull && echo x > /srv/repo/file",
    "git --git-dir=a/.git --work-tree=out checkout other && echo x > out/file",
    "GIT_WORK_TREE=out git checkout other && echo x > out/file",
    "GIT_DIR=a git read-tree -mu other && echo x > file",
    "git -c alias.x='switch other' x && echo x > file",
    "git -c alias.x='!git switch other' x && echo x > file",
    "git config alias.x 'switch other'; git x && echo x > file",
    "git sw other && echo x > file",
    'git "$X" other && echo x > file',
    "git --no-such switch other && echo x > file",
    "git --no-pager -c a.b=c switch other && echo x > file",
    "git-switch other && echo x > file",
    "/usr/lib/git-core/git-merge other && echo x > file",
    "/usr/bin/git pull && echo x > file",
    "hub pull && echo x > file",
    "command git switch other && echo x > file",
    "env git switch other && echo x > file",
    "env -u A git switch other && echo x > file",
    "sudo -u me git switch other && echo x > file",
    "timeout 9 git switch other && echo x > file",
    "nohup git switch other && echo x > file",
    "exec git switch other; echo x > file",
    "echo switch other | xargs git && echo x > file",
    "echo other | xargs git switch && echo x > file",
    "echo topic other | xargs git switch -c && echo x > file",
    String.raw`find . -name x -exec git switch other \; && echo x > file`,
    "bash -c 'git switch other' && echo x > file",
    "bash -c 'git switch other && echo x > file'",
    "bash -lc 'cd sub; git switch other; echo x > file'",
    "eval git switch other; echo x > file",
    "sh -c 'git \"$@\"' _ switch other && echo x > file",
    "(git switch other) && echo x > file",
    "{ git switch other; } && echo x > file",
    "f() { git switch other; }; f; echo x > file",
    "f() { echo x > file; }; git switch other; f",
    "trap 'echo x > file' EXIT; git switch other",
    "if git switch other; then echo x > file; fi",
    "while ! git pull; do sleep 1; done; echo x > file",
    "for i in 1 2; do echo x > file; git switch other; done",
    "for i in 1 2; do git stash pop > file; done",
    "git switch other | tee file < a",
    "git switch other; { npm test; } > file",
    "{ git switch other; { npm test; } > file; } > log",
    "{ git switch other; npm test > file; } > log",
    "for i in 1 2; do { git switch other; } > file; done",
    "f() { { git switch other; } > file; }; f; f",
    "(git switch other) & { npm test; } > file",
    "(sleep 1; echo x > file) | git switch other",
    "(sleep 1; echo x > file) & git switch other",
    "{ sleep 1; echo x > file; } > >(cat) & git switch other",
    "cat < <(sleep 1; echo x > file); git switch other",
    "coproc { sleep 1; echo x > file; }; git switch other",
    "setsid -f sh -c 'sleep 1; echo x > file'; git switch other",
    "sudo -b sh -c 'sleep 1; echo x > file'; git switch other",
    "echo x$(git switch other) > file",
    "echo $(git switch other) && echo x > file",
    "git switch other && ./tool file",
    "git switch other && cp a file",
    "git switch other && git log --output=file",
    "git switch other && git log > file",
    "git switch other && git archive -o file HEAD",
    "git switch other && git config -f file a.b c",
    "git switch other && rm -r link/sub && touch link/file",
    "git switch other && rm */file && touch link/file",
    "hg update other && echo x > file",
    "svn up && echo x > file",
    "jj new other && echo x > file",
    "gh pr checkout 5 && echo x > file",
    "glab mr checkout 5 && echo x > file",
    "docker cp c:/link . && echo x > link/file",
    "unar a.rar && echo x > link/file",
    "7zz x a.7z && echo x > link/file",
    "dpkg-deb -x a.deb . && echo x > link/file",
    "dpkg -x a.deb . && echo x > link/file",
    "dpkg --extract a.deb . && echo x > link/file",
    "dpkg -X a.deb . && echo x > link/file",
    "dpkg --vextract a.deb . && echo x > link/file",
    "dpkg -e a.deb . && echo x > link/file",
    "dpkg -i a.deb && echo x > link/file",
    "dpkg $O a.deb . && echo x > link/file",
    "git init --template=t && echo x > .git/link/file",
    "git init --template t n && echo x > n/.git/link/file",
    "git init --templ=t && echo x > .git/link/file",
    "git init $O && echo x > .git/link/file",
    "git -c init.templateDir=t init && echo x > .git/link/file",
    "git -c Init.TemplateDir=t init && echo x > .git/link/file",
    'git -c "$A" init && echo x > .git/link/file',
    "git clone --template=t ./a b && echo x > c/link/file",
    "python3 -m tarfile -e a.tar && echo x > link/file",
    "python3 -m tarfile -e a.tar d && echo x > d/link/file",
    "python3 -m tarfile --ext=a.tar && echo x > link/file",
    "python -mtarfile -ea.tar && echo x > link/file",
    "python3.11 -I -m tarfile -ve a.tar && echo x > link/file",
    'python3 -m tarfile "$O" a.tar && echo x > link/file',
    "python3 -m zipfile -e a.zip d && echo x > d/link/file",
    "env python3 -m tarfile -e a.tar && echo x > link/file",
  ])("written: %s", (line) => {
    expect(unknownOf(line)).not.toEqual([]);
  });

  it.each([
    "git stash pop; cat notes",
    "git stash pop; cat < notes",
    "git stash pop; cat n*",
    "git stash pop; cat *",
    "git stash pop; cat [m-o]otes",
    "git stash pop; echo $(<notes)",
    "git stash pop; while read l; do echo $l; done < notes",
    "git stash pop; . ./notes",
    "git stash pop; python notes",
    "git stash pop; grep x notes",
    "git stash pop; curl -d @notes host",
    "git stash pop; git commit -F notes",
    "git stash pop; git commit -m x -- link/file",
    "git stash pop; git blame link/file",
    "git stash pop; git hash-object -w link/file",
    "git stash pop; git grep x link/file",
    "git stash pop; git diff --no-index a notes",
    "git stash pop; git diff --no-ind a notes",
    "git stash pop; git diff /dev/null link/file",
    "git stash pop; git diff ../a link/file",
    "git -C repo stash pop; git diff a repo/link/file",
    "git stash pop; cd /tmp; git diff a repo/link/file",
    "git stash pop; git -C /tmp diff a repo/link/file",
    "git stash pop; git -c core.pager='cat notes' log notes",
    "git stash pop; git add --pathspec-from-file=notes",
    "git stash pop; git add --renormalize link",
    "git stash pop; git add --renorm link",
    "git stash pop; git stash push --pathspec-from-file=notes",
    "git stash pop; git stash push --pathspec-f notes",
    "git stash pop; git stash --pathspec-from-file=notes push a",
    "git stash pop; git log notes < notes",
    "git stash pop; tar -cf - link/file | cat",
    "cat notes $(git stash pop)",
    "cat notes | git stash pop",
  ])("read: %s", (line) => {
    expect(unknownOf(line)).not.toEqual([]);
  });

  it.each([
    "git pull && npm test",
    "git pull && npm ci && npm run build && npm test",
    "git pull --rebase && git push origin HEAD",
    "git switch main && git status",
    "git switch main && git pull && git merge topic && git branch -d topic && git push",
    "git switch main && git log --oneline -5",
    "git --no-pager log main..topic && git switch main && git --no-pager log main..topic",
    "git switch main && git diff HEAD~1 && git show HEAD:src/a.ts",
    "git switch main && git diff HEAD~1 -- src/a.ts 2>&1 | head -20",
    "git checkout -b x && git add -A && git commit -m y",
    "git checkout -b x && git add src/a && git commit -m y && cat src/a",
    "git checkout -q -b x && echo x > src/a",
    "git checkout --no-track -b x && echo x > src/a",
    "git switch -c x && echo x > src/a",
    "git switch --create=x && echo x > src/a",
    "git stash && git pull && git stash pop",
    "git stash && npm test; git stash pop 2>/dev/null",
    "git switch main && git stash push src/a.ts",
    "git switch main && git stash push -m work -k -- src && git pull",
    "git stash list && cat a",
    "git stash drop && cat a",
    "git reset && git add src/a",
    "git reset HEAD~1 && cat a",
    "git reset -q src/a && cat src/a",
    "git apply --check a.patch && cat a",
    "git apply --stat a.patch && cat a",
    "git fetch && git log HEAD..origin/main && cat a",
    "git add src/a && git commit -F msg && git pull --rebase && git push",
    'git commit -m "$(cat msg)" && git pull && git push',
    "cat a && git switch main",
    "cat a; rg x src; git switch main && npm test",
    "bash -c 'cat a && git switch main'",
    "timeout 9 bash -c 'cat a && git switch main'",
    "for f in a b; do cat a; done; git switch main",
    "cat a | head && git switch main",
    "if test -f a; then cat a; fi; git switch main",
    "npx eslint --fix src/a.ts && git pull",
    "git merge main && git add src/a.ts && git commit --no-edit",
    "git rebase main && git add -- src/a.ts && git rebase --continue",
    "git pull && ./gradlew && ls && rg needle && make -j4 && pytest",
    "git pull && rm a.log *.tmp ./b.log",
    "(git pull && npm test) > log 2>&1",
    "{ { git pull; npm test; } 2> err; } > log",
    "git submodule status && cat a",
    "git bisect log && cat a",
    "git --version && cat a",
    "git && cat a",
    "hg status && cat a",
    "svn diff && cat a",
    "gh pr view 5 && cat a",
    "docker ps && cat a",
    "dpkg -l && cat a",
    "dpkg -s x && cat a",
    "dpkg -i a.deb && dpkg -s a",
    "dpkg -c a.deb && cat a",
    "dpkg --compare-versions 1 lt 2 && cat a",
    "git init && cat a",
    "git init -b main && cat a",
    "git init n && echo x > n/a",
    "git -c init.defaultBranch=main init n && echo x > n/a",
    "python3 -m tarfile -l a.tar && cat a",
    "python3 -m tarfile -c a.tar b && cat a",
    "python3 -m http.server && cat a",
    "python -m pytest && cat a",
    "gh pr create --title x --body y && cat a",
    "git switch other",
    "git switch other > file",
    "git worktree list && cat a",
    "git commit -m 'git switch other' && cat a",
  ])("and nothing else: %s", (line) => {
    expect(unknownOf(line)).toEqual([]);
  });

  it.each([
    "git stash pop; git rm -f link/file",
    "git stash pop; git rm -rf link",
    "git stash pop; git rm -f *",
    "git stash pop; rm link/file",
  ])("deleted: %s", (line) => {
    expect(unknownOf(line)).not.toEqual([]);
  });

  it("keeps the path that the words name", () => {
    const [, cat] = analyze("git pull && cat .env").commands;
    expect(cat?.effects).toContainEqual({ kind: "read", path: { text: ".env" } });
  });

  it("as git does it", () => {
    for (const line of [
      "git switch -q other && echo x > link/evil",
      "git checkout -q other && echo x > link/evil",
      "git merge -q other && echo x > link/evil",
      "git cherry-pick other && echo x > link/evil",
      "git stash pop -q && echo x > link/evil",
      "git read-tree -mu other && echo x > link/evil",
      "git reset -q --hard other && echo x > link/evil",
      "git rebase -q other && echo x > link/evil",
      "git apply a.patch && echo x > link/evil",
      "echo other | xargs git switch -q && echo x > link/evil",
      "git -c alias.x='switch -q other' x && echo x > link/evil",
      "(until test -e link; do :; done; echo x > link/evil) & git switch -q other; wait",
      "echo x$(git switch -q other) > link/evil",
      "git switch -q other && git log --output=link/evil -1",
      "git switch -q other && git add . && git rm -q --cached link && git update-index --add --cacheinfo 100644,$(git hash-object -w a.patch),link/gone && git rm -qf link/gone && test ! -e ../out/gone && echo x > ../out/evil",
      "git switch -q other && cat not* > kept && grep -q secret kept && echo x > link/evil",
      "git switch -q other && git diff --output=kept /dev/null link/secret; grep -q secret kept && echo x > link/evil",
    ]) {
      const { bash, out } = repository();
      bash(line);
      expect([line, existsSync(join(out, "evil"))]).toEqual([line, true]);
      expect(readFileSync(join(out, "secret"), "utf8")).toBe("secret\n");
      expect([line, unknownOf(line).length > 0]).toEqual([line, true]);
    }
  });

  // It goes by the names that its index has, and a commit that is not checked out may give it others.
  it.each([
    "git blame link/secret",
    "git annotate link/secret",
    "git grep se -- link/secret",
    "git commit -q -m x link/secret; git show HEAD:link/secret",
    "git mv link/secret kept; git add kept; git show :kept",
    "git add --renormalize link; git show :link/secret",
  ])("git goes behind a link: %s", (rest) => {
    const line = `git switch -q other; git reset -q plain; ${rest}`;
    expect(repository().bash(line)).toContain("secret");
    expect(unknownOf(line)).toContain("git");
  });

  it.each([
    "git add link/secret; git show :link/secret",
    "git stash push link/secret; git show stash:link/secret :link/secret",
    "git diff HEAD -- link/secret | grep '^+'",
  ])("and stays before it: %s", (rest) => {
    const line = `git switch -q other; git reset -q plain; ${rest}; true`;
    expect(repository().bash(line)).not.toContain("secret\n");
    expect(unknownOf(line)).toEqual([]);
  });
});
