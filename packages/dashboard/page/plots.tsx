import type { Latency, Minute } from "../src/rates.ts";
import { timeText } from "./shown.ts";

const EFFECTS = [
  ["allow", "allowed"],
  ["ask_user", "asked"],
  ["deny", "denied"],
] as const;

const MINUTE_MS = 60_000;
/** How many minutes are drawn, and the size of a bar and of the plot. */
const MINUTES = 60;
const STEP = 8;
const BAR = 6;
const HEIGHT = 80;

/** The decisions in each minute of the last hour of a run, as bars of three colours. */
export function RatePlot({ minutes }: { readonly minutes: readonly Minute[] }) {
  const end = minutes.reduce((latest, { at }) => Math.max(latest, at), 0);
  const drawn = minutes.filter(({ at }) => at > end - MINUTES * MINUTE_MS);
  const sumOf = (one: Minute): number => one.allow + one.ask_user + one.deny;
  const most = drawn.reduce((sum, one) => Math.max(sum, sumOf(one)), 1);
  const width = MINUTES * STEP;
  return (
    <figure>
      <svg
        class="plot"
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={`Decisions in each minute, at most ${most}`}
      >
        {drawn.flatMap((one) => {
          const x = width - STEP - ((end - one.at) / MINUTE_MS) * STEP;
          let y = HEIGHT;
          return EFFECTS.map(([effect]) => {
            const height = (one[effect] / most) * HEIGHT;
            y -= height;
            return (
              <rect key={`${one.at} ${effect}`} class={effect} {...{ x, y, height }} width={BAR} />
            );
          });
        })}
      </svg>
      <p class="axis" aria-hidden="true">
        <span>{minuteText(end - (MINUTES - 1) * MINUTE_MS)}</span>
        <span>{minuteText(end)}</span>
      </p>
      <figcaption>
        Decisions in each minute of the last hour, at most {most.toLocaleString("en")}:{" "}
        {EFFECTS.map(([effect, word], index) => (
          <span key={effect}>
            {index > 0 && ", "}
            <span class={`effect ${effect}`}>{word}</span>{" "}
            {drawn.reduce((sum, one) => sum + one[effect], 0).toLocaleString("en")}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

const minuteText = (at: number): string => timeText(new Date(at).toISOString()).slice(0, -3);

/** How long calls took, as a bar for each range. */
export function LatencyPlot({ latencies }: { readonly latencies: readonly Latency[] }) {
  const most = latencies.reduce((sum, { calls }) => Math.max(sum, calls), 0);
  if (most === 0) return <p>No call has a result yet.</p>;
  return (
    <table class="latencies">
      <thead>
        <tr>
          <th scope="col">From decision to result</th>
          <th scope="col">Calls</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {latencies
          .slice(0, latencies.findLastIndex(({ calls }) => calls > 0) + 1)
          .map(({ at_most_ms: bound, calls }) => (
            <tr key={bound}>
              <th scope="row">{bound === null ? "longer" : `at most ${timeOf(bound)}`}</th>
              <td>{calls.toLocaleString("en")}</td>
              <td>
                <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={(calls / most) * 100} height={10} />
                </svg>
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

const timeOf = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`);
