import { withoutMark } from "./byte-order-mark.ts";
import { fromCompiled } from "./from-compiled.ts";
import type { ParseOptions } from "./parse-options.ts";
import { parseText } from "./parse-text.ts";
import type { PolicyFile } from "./policy-file.ts";

/** Parses and compiles one policy text. Throws {@link PolicyError} with every finding. Nothing is ever skipped. */
export function parsePolicy(text: string, options: ParseOptions): PolicyFile {
  const body = withoutMark(text);
  return fromCompiled(body, options) ?? parseText(body, options);
}
