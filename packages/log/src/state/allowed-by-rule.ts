/** The parts of a decision, as it was made or as the log has it. */
interface DecidedCall {
  readonly effect?: unknown;
  readonly applied?: unknown;
  readonly code?: unknown;
}

/**
 * Whether a rule, a plugin or a person allows a call, and not only a default or an approval mode. Only then may a call run that is offered
 * instead of another one.
 */
export const isAllowedByRule = ({ effect, applied, code }: DecidedCall): boolean =>
  effect === "allow" && applied === "allow" && code !== "fallback" && code !== "mode_allowed";
