import * as fc from "fast-check";

const TOKENS = [
  "rm", "-rf", "git", "push", "echo", "x", "$x", '"$x"', "${x}", "${x:-", "${!x}", "${x@P}", "${x[", "$((", "))", "$(", ")", "`", "'", '"', "$'", '$"', "\\", "\\\n", "{", "}", "{a,b}", "{1..9}",
  ";", "&", "&&", "||", "|", "|&", "\n", "(", "((", "!", "time", "if", "then", "elif", "else", "fi", "for", "in", "do", "done", "while", "until", "case", "esac", ";;", ";&", "[[", "]]", "[", "]",
  "-eq", "=~", "==", ">", ">>", "<", "<<E\n", "\nE\n", "<<<", "<(", ">(", "2>&1", "&>", "<>", "/dev/null", "/dev/tcp/a/1", "function", "f()", "coproc", "select", "x=1", "x=(", "x+=", "PATH=.", "export", "declare",
  "-n", "alias", "eval", "bash", "-c", "sudo", "env", "xargs", "find", "-exec", "\\;", "cd", "..", "~", "~/", "$HOME", "HOME=", "*", "?", "@(", "#", "é", "\u200b", "\r", "\0", "😀", "\ud800", "1", "+", "=", ",", "read", "trap", "set", "-o", "shopt", "let", "GIT_PAGER=",
]; // prettier-ignore

/** Generates text that looks like shell: tokens with and without spaces, repeated parts, and arbitrary text. */
export function shellText(): fc.Arbitrary<string> {
  const token = fc.constantFrom(...TOKENS);
  const line = fc
    .array(fc.tuple(token, fc.constantFrom("", " ", " ", " ")), { maxLength: 24 })
    .map((parts) => parts.flat().join(""));
  const repeated = fc.tuple(
    line,
    fc.array(token, { minLength: 1, maxLength: 3 }),
    fc.integer({ min: 1, max: 400 }),
    line,
  );
  return fc.oneof(
    { weight: 12, arbitrary: line },
    { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
    {
      weight: 1,
      arbitrary: repeated.map(([head, parts, times, tail]) =>
        (head + parts.join(" ").repeat(times) + tail).slice(0, 17_000),
      ),
    },
  );
}
