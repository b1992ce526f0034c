import { BylawError } from "@bylaw/kernel";
import type { TemplateFinding } from "./template.ts";

/**
 * A template that cannot be used: code BYLAW_TEMPLATE_INVALID, with everything that is wrong or has
 * no effect in `findings`.
 */
export class TemplateError extends BylawError {
  readonly findings: readonly TemplateFinding[];

  constructor(findings: readonly [TemplateFinding, ...TemplateFinding[]]) {
    const { file, line, column, message, fix } =
      findings.find(({ severity }) => severity === "error") ?? findings[0];
    super({
      code: "BYLAW_TEMPLATE_INVALID",
      message,
      fix,
      source: {
        file,
        ...(line === undefined ? {} : { line }),
        ...(column === undefined ? {} : { column }),
      },
    });
    this.findings = findings;
  }
}
