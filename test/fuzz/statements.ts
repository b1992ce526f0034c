const PLAIN = ["ls", "ls -la", "cat a", "git status", "git log -1", "echo a b", "grep -n a b", "head -5 a", "true", "pwd", "test -f a", "wc -l a", "sudo ls", "env A=1 ls", "xargs ls", "find . -name a", "timeout 5 ls", "x", "cd a", "export A=1", "read a", "rm b", "bash -c 'ls;x'", "r''m b", "\\ls", '"ls" a', "e\\cho a"]; // prettier-ignore
const WORDS = ["a", "b.c", "-n", "'a b'", '"a b"', "\\;", "\\a", "$'a\\n'", "{a,b}", "*", "~", "a#", "$x", '"$x"', "${x:-a}", "!", "{", "}", "[a]", "if", "do", "done", "esac", "in", "=a", "a=b", "1", "--", "?(a)", "''", "é", "%", "-", "^", "time", "coproc", "function", "]]", "case", "$", "a$", "$((1+1))", '"$((1))"', "$[1]", "${#x}", "${x/a/b}", "${x^}", "<", ">&2"]; // prettier-ignore
const REDIRECTS = ["> f", ">> f", "2>&1", "< a", "&> f", ">| f", "<> a", "2> /dev/null", "3< a", "<<< a", "{x}> f", ">&-", "<<< \"$(ls)\""]; // prettier-ignore
const ASSIGNMENTS = ["A=1 ", "A=", "A=$x ", "A=(a b) ", "A+=1 ", "A[0]=1 ", "LC_ALL=C "]; // prettier-ignore
const JOINTS = [" | ", " && ", "; ", " || ", "\n", " & ", " |& ", ";", "&&", "|", " &&\n", " |\n", ";\n", "\n\n", " # a\n"," \\\n && "]; // prettier-ignore

const SUBSTITUTIONS = ["$(%)", '"$(%)"', "`%`", "<(%)", ">(%)", '"a`%`"', "${x:-$(%)}", "a$(%)b", '"${x:-$(%)}"', "$((1+$(%)))", "{a,$(%)}", "$( % )", '"a $(%) b"']; // prettier-ignore
const FORMS = [
  "if %; then %; fi", "if %; then %; else %; fi", "for i in a @; do %; done", "for i; do %; done", "for ((i=0;i<1;i++)); do %; done", "while %; do %; done", "until %; do %; done",
  "case @ in a) %;; (b|c) %;; esac", "case a in *) % ;& b) %; esac", "{ %; }", "( % )", "(%)", "f() { %; }", "function f { %; }", "[[ -f a && @ == b ]]", "((1+1))", "coproc ls -l", "coproc ls @", "time %", "! %",
  "f() ( % )", "{ %; } > f", "select i in a; do %; done", "coproc { %; }", "eval 'ls;x'", 'bash -c "ls|x"', "trap 'ls' EXIT", "[ -f @ ]", "A=$(%)", "export A=$(%)", "coproc N ls a", "time -p ls", ">&-ls a", "2>&- cat a",
]; // prettier-ignore
const SIGNS = ["!", "{", "}", "(", ")", ";", "|", "if", "then", "fi", "do", "done", "'", '"', "`", "#", "\\", "&", "<<E", "\n", ";;", "in"]; // prettier-ignore

/** Generates lines from the shell's grammar, the same for the same seed. Bash accepts most of them; some are damaged. */
export class Statements {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  next(): string {
    const text = this.#list(4);
    return this.#below(3) === 0 ? this.#damaged(text) : text;
  }

  #below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  #one(texts: readonly string[]): string {
    return texts[this.#below(texts.length)] ?? "";
  }

  #word(depth: number): string {
    if (depth <= 0 || this.#below(4) > 0) return this.#one(WORDS);
    return this.#one(SUBSTITUTIONS).replace("%", () => this.#list(depth - 2));
  }

  #simple(depth: number): string {
    let text = this.#below(8) === 0 ? this.#one(ASSIGNMENTS) : "";
    if (this.#below(12) === 0) text += `${this.#one(REDIRECTS)} `;
    text += this.#one(PLAIN);
    for (let left = this.#below(4) - 1; left > 0; left--) text += ` ${this.#word(depth)}`;
    if (this.#below(5) === 0) text += ` ${this.#one(REDIRECTS)}`;
    if (this.#below(10) === 0) text += ` ${this.#word(depth)}`;
    if (this.#below(30) === 0) text += ` <<E\na $(${this.#list(depth - 2)})\nE\n`;
    if (this.#below(40) === 0) text += " <<'E'\n$(x)\nE\n";
    return text;
  }

  #command(depth: number): string {
    if (depth <= 0 || this.#below(3) > 0) return this.#simple(depth);
    return this.#one(FORMS).replaceAll(/[%@]/g, (sign) =>
      sign === "%" ? this.#list(depth - 2) : this.#word(depth - 1),
    );
  }

  #list(depth: number): string {
    let text = this.#command(depth);
    for (let left = this.#below(depth > 2 ? 4 : 2); left > 0; left--)
      text += this.#one(JOINTS) + this.#command(depth);
    return text;
  }

  #damaged(text: string): string {
    const at = this.#below(text.length);
    const kind = this.#below(3);
    if (kind === 0) return text.slice(0, at) + text.slice(at + 1 + this.#below(3));
    const added = kind === 1 ? this.#one(WORDS) : ` ${this.#one(SIGNS)} `;
    return text.slice(0, at) + added + text.slice(at);
  }
}
