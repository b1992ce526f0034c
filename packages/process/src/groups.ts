const groups = new Set<number>();

/**
 * Ends a process group. It outlives its leader as long as somebody is in it, and its number is
 * given to nobody else as long.
 */
export function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}

/** Ends a group too when this process ends, until the answer is called. */
export function watchGroup(pid: number): () => void {
  // Before other listeners, of whom one may end the process at once.
  if (groups.size === 0) process.prependListener("exit", endAll);
  groups.add(pid);
  return () => {
    groups.delete(pid);
    if (groups.size === 0) process.removeListener("exit", endAll);
  };
}

function endAll(): void {
  for (const pid of groups) endGroup(pid);
}
