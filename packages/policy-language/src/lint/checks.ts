import type { LintCheck } from "./check.ts";
import { asksNobody } from "./checks/asks-nobody.ts";
import { broadAllow } from "./checks/broad-allow.ts";
import { contradictoryRules } from "./checks/contradictory-rules.ts";
import { duplicateName } from "./checks/duplicate-name.ts";
import { duplicateRule } from "./checks/duplicate-rule.ts";
import { evadedRule } from "./checks/evaded-rule.ts";
import { evadedToAllow } from "./checks/evaded-to-allow.ts";
import { impossibleRule } from "./checks/impossible-rule.ts";
import { liftedRule } from "./checks/lifted-rule.ts";
import { misplacedWildcard } from "./checks/misplaced-wildcard.ts";
import { missingReason } from "./checks/missing-reason.ts";
import { narrowModes } from "./checks/narrow-modes.ts";
import { narrowTool } from "./checks/narrow-tool.ts";
import { openRegex } from "./checks/open-regex.ts";
import { overridesNothing } from "./checks/overrides-nothing.ts";
import { plainWhen } from "./checks/plain-when.ts";
import { runsAnything } from "./checks/runs-anything.ts";
import { serverByPrefix } from "./checks/server-by-prefix.ts";
import { shadowedRule } from "./checks/shadowed-rule.ts";
import { unreachableRule } from "./checks/unreachable-rule.ts";

/** All checks of files that load without errors. */
export const LINT_CHECKS: readonly LintCheck[] = [
  contradictoryRules,
  impossibleRule,
  misplacedWildcard,
  evadedToAllow,
  evadedRule,
  narrowTool,
  narrowModes,
  liftedRule,
  overridesNothing,
  shadowedRule,
  unreachableRule,
  duplicateRule,
  duplicateName,
  broadAllow,
  runsAnything,
  openRegex,
  serverByPrefix,
  asksNobody,
  plainWhen,
  missingReason,
];
