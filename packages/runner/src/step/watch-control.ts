import { dirname } from "node:path";

export interface ControlWatch {
  /** Waits for pending reads. */
  close(): Promise<void>;
}

/** Milliseconds before watching starts, because most steps end sooner. */
const BEGIN_MS = 100;
/** Milliseconds without a write before a file is read. */
const DEBOUNCE_MS = 100;

/**
 * Calls `look` whenever a file was written and left alone, one call at a time, until the watch is
 * closed. If `look` fails, the file is read at the end of the step instead.
 */
export function watchControl(file: string, look: () => Promise<void>): ControlWatch {
  let closed = false;
  let stop: (() => Promise<void>) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let under: Promise<void> = Promise.resolve();
  const later = (): void => {
    clearTimeout(timer);
    if (closed) return;
    timer = setTimeout(() => {
      // A step that ends is done, even if a look in the middle of it failed.
      under = under.then(look).catch(() => {});
    }, DEBOUNCE_MS);
  };
  const begin = async (): Promise<void> => {
    // Loaded only for steps that take a while.
    const { watch } = await import("chokidar");
    if (closed) return;
    // Watch the folder, because a watch on the file ends when the file is removed.
    const folder = dirname(file);
    const watcher = watch(folder, {
      followSymlinks: false,
      depth: 0,
      ignored: (path) => path !== folder && path !== file,
    });
    // A watch that fails does no harm, because the file is read at the end of the step.
    watcher
      .on("add", later)
      .on("change", later)
      .on("error", () => {});
    stop = () => watcher.close();
  };
  const beginning = { work: Promise.resolve() };
  const first = setTimeout(() => void (beginning.work = begin().catch(() => {})), BEGIN_MS);
  return {
    async close() {
      closed = true;
      clearTimeout(first);
      clearTimeout(timer);
      await beginning.work;
      await stop?.();
      await under;
    },
  };
}
