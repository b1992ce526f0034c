import * as fc from "fast-check";

/** A line of at most this many characters is analyzed as a whole. */
const MAX_LENGTH = 16_384;

const HEADS = [
  "", "find . ", "find a b c ", "xargs ", "xargs -I{} ", "sudo ", "env ", "env -S '", "env -S \"", "sed '", "sed -e ", "awk '", "git ", "git -c a=b ", "{ ", "( ", "cd a;", "cd a;cd b;", "while cd a; do ",
  "case x in ", "if x;then ", "for i in a b;do ", "cat ", "cat ~/a \\~/b ", "echo ", "echo {", "echo $((", "[[ a", "x=$y;", "export ", "declare -i ", "printf -v ", "cat <<E\n", "bash -c '", "bash <<E\n", "eval ", "trap '", "alias ",
  "parallel ", "parallel x ::: ", "fd a -x ", "ssh h ", "docker run ", "tar ", "rsync ", "curl ", "jq '", "python -c ", "tmux ", "make ", "node ", ") ", "\u200b", "f(){ ", "let ", "read ", "unset ", "test ", "sem ", "busybox ", "flock a ",
]; // prettier-ignore

const UNITS = [
  "-exec x \\; ", "-exec env A=1 x \\; ", "-exec rm {} + ", "-exec find . ", "-delete ", "-fprint a ", "a ", "a b ", "'a' ", '"$x" ', "$x ", "$(x) ", "`x` ", "<(x) ", "{a,b} ", "{a,b}", "{1..9} ", "{", "{a,", "}", "(", ")", "[", "[a] ", "* ", "*", "?",
  "~ ", "\\~ ~/a ", ":~", "\\a", "''", "$'a'", ">a ", ">>a 2>&1 ", "<a ", "<<E ", "<<<a ", "A=1 ", "A=$x ", "PATH=. ", "PAGER=ls ", "GIT_PAGER='a|b' ", "cd a;", "cd ..;", "cd a&&", "cd a||", "cd a/b/c/d;", "pushd a;", "x;", "x >b;", "x|", "x&", "x&&", "! ", "x\n",
  "sudo ", "env ", "env A=1 ", "xargs ", "xargs -I{} ", "nice ", "timeout 5 ", "watch ", "sem ", "parallel ", "ssh h ", "busybox ", "eval ", "bash -c ", "bash -c 'x';", "trap 'x' EXIT;", "find . -exec ", "-S 'a b' ", "-c a.b=c ", "-c core.pager=ls ", "-c alias.x='!ls' ",
  "s/a/b/;", "s/a/b/e;", "w a\n", "r a\n", "/a/,/b/p;", "y/a/b/;", "a\\\n", "-e p ", "{print}", 'system("x");', 'print > "a";', '"x" | getline;', "-v a=1 ", "/[/", "f(){ x;};", "if x;then y;fi;", "if x;then ", "{ ", "( ", "a) cd b;& ", "a) x;; ", "for i in a;do cd b;done;",
  " && a", "+1", "+a[1]", "?1:", "-eq 1 ", "((x+x));", "x ", "-x ", "--x=@a ", "+a ", "http://h/ ", "@", "-f a ", "@(a|b)", "${x:-", "${x//a/b}", '"', "'", "\\", "\\\n", "#", "é", "；", "rm -rf a;", "find . -exec x {} \\\\; ;",
]; // prettier-ignore

const TAILS = [
  "",
  "'",
  '"',
  "x",
  "\\;",
  "}",
  ")",
  "; done",
  "esac",
  "))",
  "\nE\n",
  " ]]",
  "; fi",
  ";}",
  "' x",
  ";rm -rf a",
];

// The number in a unit makes each unit different.
const grown = (head: string, unit: string, tail: string, counted: boolean): string => {
  const parts = [head];
  let length = head.length + tail.length;
  for (let at = 0; length < MAX_LENGTH; at++) {
    const part = counted ? unit.replace(/[ab]/, (letter) => letter + at) : unit;
    if ((length += part.length) > MAX_LENGTH) break;
    parts.push(part);
  }
  return parts.join("") + tail;
};

/** Generates lines of the maximum length, each a repeated shape: wrappers, redirections, assignments, braces, scripts. */
export function longText(): fc.Arbitrary<string> {
  const unit = fc
    .array(fc.constantFrom(...UNITS), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(""));
  const head = fc
    .array(fc.constantFrom(...HEADS), { minLength: 1, maxLength: 2 })
    .map((parts) => parts.join(""));
  const body = fc.oneof(
    { weight: 3, arbitrary: unit.map((text) => [text]) },
    { weight: 1, arbitrary: fc.tuple(unit, unit) },
  );
  return fc
    .tuple(head, body, fc.constantFrom(...TAILS), fc.boolean())
    .map(([start, [first, second], end, counted]) => {
      if (second === undefined) return grown(start, first ?? "", end, counted);
      const half = grown(start, first ?? "", end, counted).slice(0, MAX_LENGTH / 2);
      return grown(half, second, end, counted);
    });
}
