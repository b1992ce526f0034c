/** Words of the usual libraries with which a test can fail. */
const ASSERTION =
  /\b(assert\w*|expect\w*|should\w*|verify\w*|require\.\w+|XCTAssert\w*|t\.(is|not|deepEqual|equal|ok|true|false|throws\w*|same|match|fail|Error\w*|Fatal\w*))\b\s*[!.(]|\bassert\s+[^\s=]|\.(should|must|toBe|toEqual|rejects|resolves)\b|pytest\.raises|\bassert(_\w+)?!\s*\(/;
/** Assertions that cannot fail. */
const IDLE =
  /\b(expect\((true|1|"[^"]*"|'[^']*')\)\.(toBe|toEqual|toStrictEqual)\((true|1|"[^"]*"|'[^']*')\)|expect\((true|1)\)\.toBeTruthy\(\)|assert\.(ok|equal|strictEqual)\((true|1)(,\s*(true|1))?\)|assert\((true|1)\)|assert\s+(True|1)\s*$|self\.assertTrue\(True\)|assert!\(true\))/gm;

/** Whether a test file has an assertion that can fail. Comments and strings do not count. */
export function asserts(text: string): boolean {
  const code = text
    .split("\n")
    .map((line) => line.slice(0, MAX_LENGTH))
    .filter((line) => !COMMENT.test(line))
    .map((line) => line.replace(/\s(\/\/|#).*$/, "").replace(IDLE, ""));
  return code.some((line) => ASSERTION.test(line.replace(/"[^"]*"|'[^']*'/g, '""')));
}

/** A longer line is cut here, because an expression may take quadratic time. */
const MAX_LENGTH = 300;
const COMMENT = /^\s*(\/\/|#(?!\[)|--|\*|\/\*|<!--)/;
const STATEMENT =
  /^(const|let|var|return|if|else|for|while|switch|case|import|from|export|def|class|function|func|fn|try|catch|throw|raise|await|print|console\.\w+)\b.*[;:{}()=]\s*$|^[\w.[\]"']+\s*(=|\+=|-=)\s*[^=].*;?$|^[\w.]+\(.*\);?\s*\{?$|^[\w.]+\(.*\)\s*;$|^[{}]\)?[;,]?$/;

/**
 * The line, from 1, of the first commented-out code; `undefined` if there is none. One line that
 * ends like a statement counts, or two that look like code.
 */
export function commentedOut(text: string): number | undefined {
  let run = 0;
  for (const [at, line] of text.split("\n").entries()) {
    const [, said] = /^\s*(?:\/\/|#(?![![]))\s?(.*)$/.exec(line.slice(0, MAX_LENGTH)) ?? [];
    const code =
      said !== undefined &&
      !/^\s*(eslint|ts-|@|noqa|type:|pylint|prettier|oxlint|region|endregion|https?:)/.test(said) &&
      STATEMENT.test(said.trim());
    run = code ? run + 1 : 0;
    if (code && (run === 2 || /[;{]\s*$/.test(said))) return at + 2 - run;
  }
  return undefined;
}
