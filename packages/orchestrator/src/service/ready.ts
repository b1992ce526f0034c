import type { Service } from "./service.ts";

/** A store that takes longer is none that anybody should be sent to. */
const PATIENCE_MS = 2_000;
/** Whoever asks often asks the store once in so many milliseconds. */
const KEPT_MS = 500;

interface Answer {
  readonly at: number;
  readonly ready: Promise<boolean>;
}

const answers = new WeakMap<object, Answer>();

/** Whether the store answers. Nobody has to be known for asking, so the store is asked seldom. */
export function isReady({ store, run }: Pick<Service, "store" | "run">): Promise<boolean> {
  const known = answers.get(store);
  const at = performance.now();
  if (known !== undefined && at - known.at < KEPT_MS) return known.ready;
  const ready = asked(store, run.run);
  answers.set(store, { at, ready });
  return ready;
}

async function asked(store: Service["store"], run: string): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), PATIENCE_MS);
  });
  const answered = store.events(run, 0, 1).then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}
