import type { Contract } from "@bylaw/contract";
import { BylawError } from "@bylaw/kernel";

/** The version of the agents' API, whose major part is in its path `/api/v1`. */
const INTERFACE = [1, 0, 0] as const;

/** Refuses a contract with a setting that this server does not support. Throws BYLAW_SERVICE_UNFIT. */
export function checkContract({ enforcement: { tokens, sdk }, file }: Contract): void {
  const unfit = (message: string, fix: string): BylawError =>
    new BylawError({ code: "BYLAW_SERVICE_UNFIT", message, fix, source: { file } });
  if (!tokens.enabled)
    throw unfit(
      "The contract sets `phase_tokens.enabled: false`, and a server knows agents by their tokens",
      "Remove it. Without tokens a program of yours can make the calls: see docs/workflow.md.",
    );
  if (sdk.version !== undefined && !takes(sdk.version))
    throw unfit(
      `The contract asks for version \`${sdk.version}\` of the agent interface, and this server has ${INTERFACE.join(".")}`,
      'Write `agent_sdk.version: ">=1.0.0"`, or leave it out.',
    );
}

const COMPARATOR = /^(>=|<=|>|<|=|\^|~)?v?(\d+)(?:\.(\d+|x|\*))?(?:\.(\d+|x|\*))?$/;

/** Whether a range of versions, such as `>=1.0.0 <2`, includes the API's. An unreadable range includes none. */
function takes(range: string): boolean {
  return range.split("||").some((one) => {
    const parts = one.trim().split(/[\s,]+/);
    return parts.every((part) => part === "*" || holds(part));
  });
}

function holds(part: string): boolean {
  const [, sign = "=", ...numbers] = COMPARATOR.exec(part) ?? [];
  if (numbers.length === 0) return false;
  const wanted = numbers.map((one) =>
    one === undefined || /[x*]/.test(one) ? undefined : Number(one),
  );
  const given = wanted.findIndex((one) => one === undefined);
  const depth = given === -1 ? 3 : given;
  // `1.x` and `=1` compare only the numbers they name; `^` and `~` fix the first ones.
  const fixed = sign === "^" ? 1 : sign === "~" ? Math.min(2, depth) : depth;
  const order = compare(wanted);
  if (sign === ">=") return order >= 0;
  if (sign === ">") return order > 0;
  if (sign === "<=") return order <= 0;
  if (sign === "<") return order < 0;
  return order >= 0 && wanted.slice(0, fixed).every((one, at) => one === INTERFACE[at]);
}

/** Compares the API's version with another. The result is above 0 if the API is newer. */
function compare(wanted: readonly (number | undefined)[]): number {
  for (const [at, own] of INTERFACE.entries()) {
    const difference = own - (wanted[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
