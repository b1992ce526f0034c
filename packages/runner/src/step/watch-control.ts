import { dirname } from "node:path";

export interface ControlWatch {
  /** Waits for what is under way. */
  close(): Promise<void>;
}

/** Most steps are over before it would be worth to begin, in milliseconds. */
const BEGIN_MS = 100;
/** A file is looked at when nobody has written to it for so long, in milliseconds. */
const DEBOUNCE_MS = 100;

/**
 * Looks at a file whenever it was written and came to rest, one look at a time, until the watch is
 * closed. Where looking fails the file is left to be read at the end.
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
      // A step that comes to its end is done, whatever became of a look in the middle of it.
      under = under.then(look).catch(() => {});
    }, DEBOUNCE_MS);
  };
  const begin = async (): Promise<void> => {
    // Loaded when a step takes its time.
    const { watch } = await import("chokidar");
    if (closed) return;
    // Its folder: a watch on the file itself ends with the first that is taken away.
    const folder = dirname(file);
    const watcher = watch(folder, {
      followSymlinks: false,
      depth: 0,
      ignored: (path) => path !== folder && path !== file,
    });
    // A watch that fails costs nothing: the file is read at the end of the step.
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
