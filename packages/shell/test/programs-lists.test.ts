import { describe, expect, test } from "vitest";
import { effectsOf } from "./told.ts";

describe("files that a list names are not known", () => {
  test.each([
    ["git hash-object -w --stdin-paths", ["vcs hash-object", "read ?"]],
    ["git update-index --add --stdin", ["vcs update-index", "read ?"]],
    ["git rm --pathspec-from-file=l", ["vcs rm", "read l", "delete ?"]],
    ["git checkout --pathspec-from-file=l", ["vcs checkout", "read l", "write ?"]],
    ["git restore --pathspec-from-file l", ["vcs restore", "read l", "write ?"]],
    ["sort --files0-from=l", ["read l", "read ?"]],
    ["sort --files0 l", ["read l", "read ?"]],
    ["gsort --files0-from=-", ["read ?"]],
    ["wc -l --files0-from=-", ["read ?"]],
    ["du --files0-from=l", ["read l", "read ?", "read+ ."]],
    ["file -f l", ["read l", "read ?"]],
    ["file -bf - a", ["read ?", "read a"]],
    ["ack --files-from=l x", ["read l", "read ?", "read+ ."]],
    ["ack -x x", ["read ?", "read+ ."]],
    ["tar cf o -T l", ["write o", "read l", "read ?"]],
    ["tar -czf o --files-from=- a", ["write o", "read ?", "read+ a"]],
    ["tar rf o -T l", ["read o", "write o", "read l", "read ?"]],
    ["zip -@ o", ["write o", "read ?"]],
    ["zip -r@ o a", ["write o", "read ?", "read+> a"]],
    ["zip --names-stdin o", ["write o", "read ?"]],
    ["7z a o @l", ["write o", "read+> @l", "read l", "read ?"]],
    ["7z A o -ir@l", ["write o", "read l", "read ?"]],
    ["7z a o -i!a", ["write o", "read+> a"]],
    ['7z a o "-i$X"', ["write o", "read ?"]],
    ["rar a o @l", ["write o", "read+> @l", "read l", "read ?"]],
    ["cpio -o", ["read ?"]],
    ["cpio -ovF a", ["read a", "write a", "read ?"]],
    ["cpio --create -O a", ["write a", "read ?"]],
    ["cpio -pd d", ["read ?", "write+ d"]],
    ["pax -w", ["read ?"]],
    ["pax -wf a", ["write a", "read ?"]],
    ["pax -rw d", ["read ?", "write+ d"]],
    ["xz --files=l", ["read l", "read ?", "write ?", "delete ?"]],
    ["xz -c --files0", ["read ?"]],
    ["zstd --filelist=l", ["read l", "read ?"]],
    ["rsync --files-from=l a d", ["read l", "read+ a", "write+ d"]],
  ])("%s", (line, effects) =>
    expect([...effectsOf(line)].toSorted()).toEqual([...effects].toSorted()),
  );
});

describe("and where none is read, the words say which files they are", () => {
  test.each([
    ["git hash-object a", ["vcs hash-object", "read a"]],
    ["git update-index --add a", ["vcs update-index", "read a"]],
    ["sort a b", ["read a", "read b"]],
    ["wc -l src/*", ["read src/*"]],
    ["du -sh .", ["read+ ."]],
    ["file a", ["read a"]],
    ["tar czf a.tgz src", ["write a.tgz", "read+ src"]],
    ["tar xf a -T l", ["read a", "read l", "write+ ."]],
    ["tar tf a -T l", ["read a", "read l"]],
    ["zip -r a.zip src", ["write a.zip", "read+> src"]],
    ["zip -r a.zip src -x@l", ["write a.zip", "read+> src"]],
    ["7z a o a", ["write o", "read+> a"]],
    ["7z x o @l", ["read o", "write+ ."]],
    ["cpio -id", ["write+ ."]],
    ["cpio -itv", []],
    ["cpio -t", []],
    ["pax -f a", ["read a"]],
    ["pax -rf a", ["read a", "write+ ."]],
    ["pax -wLf a src", ["write a", "read+> src"]],
    ["pax -waf a src", ["read a", "write a", "read+ src"]],
    ["pax -rw src d", ["read+ src", "write+ d"]],
    ["xz -k a", ["read a", "write a"]],
  ])("%s", (line, effects) =>
    expect([...effectsOf(line)].toSorted()).toEqual([...effects].toSorted()),
  );
});
