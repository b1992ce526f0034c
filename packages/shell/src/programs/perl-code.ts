// Neither the pattern nor the replacement contains a variable, code or another delimiter.
const SUBSTITUTION =
  /^s\/(?:[^/\\$@{}(]|\\[./wWdDsSbB\\|*+?[\]^-])+\/(?:[^/\\$@{}]|\\[./-])*\/[gimx]*;?$/;

/** Whether Perl code only replaces text. */
export const isSubstitution = (code: string): boolean => SUBSTITUTION.test(code);
