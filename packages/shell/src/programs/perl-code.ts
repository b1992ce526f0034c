// Neither the pattern nor the text holds a variable, code or another delimiter.
const SUBSTITUTION =
  /^s\/(?:[^/\\$@{}(]|\\[./wWdDsSbB\\|*+?[\]^-])+\/(?:[^/\\$@{}]|\\[./-])*\/[gimx]*;?$/;

/** Whether Perl code replaces text and does nothing else. */
export const isSubstitution = (code: string): boolean => SUBSTITUTION.test(code);
