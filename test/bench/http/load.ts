// Clients that send their next request as soon as they have an answer.
import autocannon from "autocannon";

/** The request that one client repeats. */
export interface Question {
  readonly path: string;
  readonly authorization?: string;
  readonly body: unknown;
}

/** The measured rate and latencies. */
export interface Load {
  /** Answers a second. */
  readonly rate: number;
  readonly count: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Opens one connection for each question, for the given time. Throws if an answer has a status other than 200. */
export async function load(url: string, questions: readonly Question[], ms: number): Promise<Load> {
  let next = 0;
  const times: number[] = [];
  const cannon = autocannon({
    ...{ url, method: "POST", connections: questions.length, duration: ms / 1_000, timeout: 30 },
    setupClient(client) {
      const { path, authorization, body } = questions[next % questions.length] as Question;
      next += 1;
      client.setRequests([
        {
          ...{ method: "POST", path, body: JSON.stringify(body) },
          headers: {
            "content-type": "application/json",
            ...(authorization === undefined ? {} : { authorization }),
          },
        },
      ]);
    },
  });
  // Autocannon's own histogram counts only whole milliseconds.
  cannon.on(
    "response",
    (_client: unknown, _status: number, _bytes: number, took: number) => void times.push(took),
  );
  const { errors, non2xx, duration } = await cannon;
  if (errors > 0 || non2xx > 0)
    throw new Error(`${errors} errors and ${non2xx} refusals of ${times.length} requests`);
  const sorted = Float64Array.from(times).sort();
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  return { rate: times.length / duration, count: times.length, p50: at(0.5), p99: at(0.99) };
}
