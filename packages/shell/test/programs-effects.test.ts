import { describe, expect, test } from "vitest";
import { commandOf, effectsOf } from "./told.ts";

describe("the effects of a command say which files it touches, and how", () => {
  test.each([
    ["cat a b", ["read a", "read b"]],
    ["cat - a", ["read a"]],
    ["cat *.ts", ["read *.ts"]],
    ["cat src/*.ts", ["read src/*.ts"]],
    ["cat src/*/../x", ["read ?"]],
    ["cat $x", ["read ?"]],
    ["ls", ["read ."]],
    ["ls -R a", ["read+ a"]],
    ["head -n 5 a", ["read a"]],
    ["grep x a b", ["read a", "read b"]],
    ["grep -e x a", ["read a"]],
    ["grep -f p a", ["read p", "read a"]],
    ["grep -r x a", ["read+ a"]],
    ["grep -R x a", ["read+> a"]],
    ["grep -r x a --include=*.ts --include id_rsa", ["read+ a (*.ts id_rsa)"]],
    ["grep x a --include=id_rsa", ["read a"]],
    ["rg x a -g '!*.md' -g '*.ts'", ["read+ a (*.ts)"]],
    ["rg --iglob=.env x", ["read+ . (.env)"]],
    ["rg -L x a", ["read+> a"]],
    ["ls -RL a", ["read+> a"]],
    ["ls -L a", ["read a"]],
    ["tree -l a", ["read+> a"]],
    ["find -L a", ["read+> a"]],
    ["find a -follow", ["read+> a"]],
    ["find -P a -name L", ["read+ a"]],
    ["fd -L x a", ["read+> a"]],
    ["tar -chf x.tar a", ["write x.tar", "read+> a"]],
    ["tar -cf x.tar a", ["write x.tar", "read+ a"]],
    ["cp -rL a b", ["read+> a", "write+ b"]],
    ["cp -L a b", ["read a", "write b", "write b/a"]],
    ["rg x", ["read+ ."]],
    ["find a b -name x", ["read+ a", "read+ b"]],
    ["find -name x", ["read+ ."]],
    ["find a -delete", ["read+ a", "delete+ a"]],
    ["find a -exec rm {} \\;", ["read+ a", "delete+ a"]],
    ["find a -newer b", ["read+ a", "read b"]],
    ["rm a", ["delete a"]],
    ["rm -rf a", ["delete+ a"]],
    ["rm -- -a", ["delete -a"]],
    ["cp a b", ["read a", "write b", "write b/a"]],
    ["cp -t b a", ["read a", "write b", "write b/a"]],
    ["cp -ut b a", ["read a", "write b", "write b/a"]],
    ["cp --target-dir=b a", ["read a", "write b", "write b/a"]],
    ["cp -r a b", ["read+ a", "write+ b"]],
    ["mv a b", ["read+ a", "delete+ a", "write b", "write b/a"]],
    ["ln -s a b", ["read+ a", "write b", "write b/a"]],
    ["dd if=a of=b", ["read a", "write b"]],
    ["tee -a a b", ["write a", "write b"]],
    ["touch -r a b", ["read a", "write b"]],
    ["chmod -R 777 a", ["write+ a"]],
    ["sed s/a/b/ f", ["read f"]],
    ["sed -i s/a/b/ f", ["read f", "write f"]],
    ["sed 'w o' f", ["write o", "read f"]],
    ["awk '{print > \"o\"}' f", ["write o", "read f"]],
    ["sort -o o f", ["write o", "read f"]],
    ["jq . f", ["read f"]],
    ["tar cf o a", ["write o", "read+ a"]],
    ["tar -C d -xf a", ["read a", "read d", "write+ d"]],
    ["tar tf a", ["read a"]],
    ["tar -tf h:a", ["network h"]],
    ["unzip a -d b", ["read a", "write+ b"]],
    ["gzip a", ["read a", "write a", "delete a"]],
    ["gzip -c a", ["read a"]],
    ["git add .", ["vcs add", "read+ ."]],
    ["git push https://u@example.com/x main", ["vcs push", "network example.com"]],
    ["git push origin", ["vcs push", "network ?"]],
    ["git clone git@example.com:a/b c", ["vcs clone", "network example.com", "write+ c"]],
    ["git -C sub rm f", ["read sub", "vcs rm", "delete sub/f"]],
    ["git clean -fd", ["vcs clean", "delete+ ."]],
    ["git checkout x -- a", ["vcs checkout", "write+ a"]],
    ["git restore a", ["vcs restore", "write+ a"]],
    ["git stash push", ["vcs stash"]],
    ["git show HEAD:a", ["vcs show", "read a"]],
    ["curl https://Example.com:8443/x -o f", ["write f", "network example.com"]],
    ["curl file:///etc/passwd", ["read /etc/passwd"]],
    ["curl -d @a http://h", ["read a", "network h"]],
    ['curl "https://$h/x"', ["network ?"]],
    ["curl 'http://a@b@c/x'", ["network c"]],
    ["curl 'http://a\\@b/x'", ["network a"]],
    ["wget -O f http://h/x", ["write f", "network h"]],
    ["scp a u@h:b", ["read a", "network h"]],
    ["scp h:a b", ["network h", "write+ b"]],
    ["ssh u@h", ["network h"]],
    ["nc h 80", ["network h"]],
    ["npm install", ["network ?"]],
    ["sudo ls", ["privilege"]],
    ["./x a", ["execute ./x", "read a", "write a"]],
    ["python3 x.py", ["read x.py", "execute x.py"]],
    ["bash x.sh", ["read x.sh", "execute x.sh"]],
    ["docker run -v /a:/b i", ["network ?", "read+ /a", "write+ /a"]],
    ["frob a -o/b --c=d -e", ["read a", "write a", "read /b", "write /b", "read d", "write d"]],
  ])("%s", (line, effects) => expect([...effectsOf(line)].toSorted()).toEqual([...effects].toSorted()));
});

// From the topmost folder, all but a path, and patterns: nobody knows here which files that are.
describe("what git changes by what is no path is not known", () => {
  test.each([":/a", ":(top)a", ":!a", "a*", "a?", "[a]", String.raw`\a`])("%s", (path) => {
    for (const line of [
      `git checkout x -- '${path}'`,
      `git checkout '${path}'`,
      `git restore '${path}'`,
      `git rm '${path}'`,
      `git clean -f '${path}'`,
    ])
      expect(effectsOf(line), line).toContain(/checkout|restore/.test(line) ? "write+ ?" : /clean/.test(line) ? "delete+ ?" : "delete ?");
  });
  test("nor where the shell has the pattern", () => expect(effectsOf("git rm -r :/a*")).toContain("delete+ ?"));
});

describe("later words may be a command only where the program is not known to take data", () => {
  test.each(["echo", "cat", "grep", "git add", "which", "man", "make"])("%s takes data", (line) =>
    expect(commandOf(`${line} rm -rf x`).carries).toBe(false),
  );
  test.each(["frobnicate", "npm test", "./x", "firejail", "git frob", "bash -c x a"])("%s may not", (line) =>
    expect(commandOf(`${line} rm -rf x`).carries).toBe(true),
  );
});
