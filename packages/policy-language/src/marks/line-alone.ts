import type { CallFacts } from "../match/call-facts.ts";

const SPECIAL = /[!&|;(){}<>`$#\\\n]/;
const ASSIGNMENTS = /^(?:[A-Za-z_]\w*=\S*\s+)*/;

/**
 * Whether a call runs what it names and nothing else, in the workspace, so that its exit status is that of the one command. Errors may be
 * sent to the output.
 */
export function runsAlone({
  call: { cwd, workspace },
  line,
  tools,
  identity,
  args,
}: CallFacts): boolean {
  if (line === null) return true;
  const [part, ...others] = line.parts;
  if (part === undefined || others.length > 0 || !part.plain) return false;
  if (cwd !== undefined && workspace !== undefined && !`${cwd}/`.startsWith(`${workspace}/`))
    return false;
  const given = args?.[tools.shell.get(identity.bare) ?? ""];
  const text = String(given ?? "")
    .trim()
    .replace(/\s2>&1(?=\s|$)/g, "");
  // Before the program there may be `time` or `coproc`, which are no commands of their own.
  const name = part.words[0]?.text;
  return (
    name !== undefined && !SPECIAL.test(text) && text.replace(ASSIGNMENTS, "").startsWith(name)
  );
}
