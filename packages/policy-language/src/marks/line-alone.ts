import type { CallFacts } from "../match/call-facts.ts";

const SPECIAL = /[!&|;(){}<>`$#\\\n]/;
const ASSIGNMENTS = /^(?:[A-Za-z_]\w*=\S*\s+)*/;

/**
 * Whether a call runs one command and nothing else, inside the workspace, so that the exit status of the call is the
 * exit status of that command. Redirecting standard error to standard output is fine.
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
  // Without both folders, it is unknown where the command runs.
  if (cwd === undefined || workspace === undefined || !`${cwd}/`.startsWith(`${workspace}/`))
    return false;
  const given = args?.[tools.shell.get(identity.bare) ?? ""];
  const text = String(given ?? "")
    .trim()
    .replace(/\s2>&1(?=\s|$)/g, "");
  // The parser skips keywords such as `time` and `coproc`, so the text must start with the program itself.
  const name = part.words[0]?.text;
  return (
    name !== undefined && !SPECIAL.test(text) && text.replace(ASSIGNMENTS, "").startsWith(name)
  );
}
