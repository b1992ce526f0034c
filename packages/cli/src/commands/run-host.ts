import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { resolve } from "node:path";
import { findConfig } from "@bylaw/config";
import { hookEntries, inspectSettings } from "@bylaw/host";
import { quote, quoteAll } from "@bylaw/wording";
import { loadKernelFor } from "../decide/kernel-source.ts";
import { hookCommand } from "../hosts/hook-command.ts";
import { HOST_NAMES, hostNamed } from "../hosts/known-hosts.ts";
import { placeHere } from "../hosts/place.ts";
import { conclude } from "../io/exit-code.ts";
import { usageError } from "../io/report-error.ts";

/** Starts the coding agent with this name. Returns false, or throws if there are words for it, where no agent has this name. */
export async function runIfHost(
  name: string | undefined,
  words: readonly string[],
  config: string | undefined,
): Promise<boolean> {
  if (name !== undefined && HOST_NAMES.includes(name)) {
    await runHost(name, words, config);
    return true;
  }
  if (words.length === 0) return false;
  throw usageError(
    `Only a coding agent takes more words: ${quoteAll(words)}`,
    "Name the agent first: `bylaw run claude-code -- …`",
  );
}

/**
 * Starts a coding agent with hooks that ask Bylaw, whatever its settings files say. The exit code is the agent's, or 128 and the
 * number of the signal that ended it.
 */
async function runHost(
  name: string,
  words: readonly string[],
  given: string | undefined,
): Promise<void> {
  const host = hostNamed(name);
  const { start, title } = host;
  if (start === undefined)
    throw usageError(
      `${title} takes no hooks on its command line`,
      `Run \`bylaw install ${name}\`, then start it as usual`,
    );
  const refused = words.find((word) => start.refused.includes(word.replace(/=.*/s, "")));
  if (refused !== undefined)
    throw usageError(
      `${quote(refused)} would replace or skip the hooks of Bylaw`,
      "Remove it, or start the agent without Bylaw",
    );
  const misled = inspectSettings(host, placeHere(), process.cwd(), start.settings).find(
    ({ off, fault }) => off !== undefined || fault !== undefined,
  );
  if (misled !== undefined)
    throw usageError(
      `${title} cannot be governed here: ${misled.file} ${misled.off === undefined ? "cannot be read" : `has ${misled.off}`}`,
      "Fix that file, and start again",
    );
  const config = given === undefined ? await findConfig(process.cwd()) : resolve(given);
  // A hook that cannot decide would block every call.
  await loadKernelFor({ config });
  const hook = hookCommand({ host: name, config, strict: false });
  const child = spawn(start.program, [...start.args(hookEntries(host, hook)), ...words], {
    stdio: "inherit",
  });
  // The terminal sends its signals to the agent too, which decides whether to end.
  const ignore = (): void => undefined;
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on("SIGINT", ignore);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, forward);
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    conclude(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw usageError(
      `Program not found: ${start.program}`,
      `Install ${title}, or add it to the PATH`,
    );
  } finally {
    process.off("SIGINT", ignore);
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.off(signal, forward);
  }
}
