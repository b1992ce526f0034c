import { BylawError } from "@bylaw/kernel";
import type { TemplateFinding } from "./template.ts";

/**
 * Thrown for a template that cannot be used. The code is BYLAW_TEMPLATE_INVALID, and `findings` has
 * everything that is wrong or has no effect.
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
