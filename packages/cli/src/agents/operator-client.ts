import { BylawError, omitUndefined } from "@bylaw/kernel";
import { unauthorized } from "@bylaw/orchestrator/approvals";
import type { AgentError } from "@bylaw/sdk";
import { OperatorClient } from "@bylaw/sdk";
import { takeToken } from "../approve/authority.ts";
import { serverAddress, unreachable } from "../approve/remote.ts";
import { usageError } from "../io/report-error.ts";

/** Creates a client of a server with the operator's token from the environment. Throws BYLAW_USAGE_INVALID without a token. */
export function operatorClient(url: string, command: string): OperatorClient {
  const operator_token = takeToken();
  const endpoint = serverAddress(url);
  if (operator_token === undefined || operator_token === "")
    throw usageError(`\`${command}\` needs an operator's token in BYLAW_OPERATOR_TOKEN`);
  return new OperatorClient({ endpoint, operator_token });
}

/** The error that a command prints for an error of the client. */
export function operatorError(error: AgentError): BylawError {
  const { status, code, message, fix, cause } = error;
  if (status === 401 || status === 403)
    return unauthorized(
      "The server does not know this operator's token",
      "Set BYLAW_OPERATOR_TOKEN to the token of one of its operators",
    );
  return isServerCode(code)
    ? new BylawError({ code, message, ...omitUndefined({ fix }), cause })
    : unreachable(message, error);
}

const isServerCode = (code: string): code is `BYLAW_${string}` => /^BYLAW_[A-Z_]+$/.test(code);
