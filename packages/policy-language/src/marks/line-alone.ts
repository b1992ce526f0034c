import type { CallFacts } from "../match/call-facts.ts";

const SPECIAL = /[!&|;(){}<>`$#\\\n]/;
const ASSIGNMENTS = /^(?:[A-Za-z_]\w*=\S*\s+)*/;

/**
 * Whether a call runs one command and nothing else, in the workspace, so that its exit status is that command's. Standard error may go to
 * standard output.
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
  // Without these nobody knows where it runs.
  if (cwd === undefined || workspace === undefined || !`${cwd}/`.startsWith(`${workspace}/`))
    return false;
  const given = args?.[tools.shell.get(identity.bare) ?? ""];
  const text = String(given ?? "")
    .trim()
    .replace(/\s2>&1(?=\s|$)/g, "");
  // `time` and `coproc` may stand before the program without being commands of their own.
  const name = part.words[0]?.text;
  return (
    name !== undefined && !SPECIAL.test(text) && text.replace(ASSIGNMENTS, "").startsWith(name)
  );
}
