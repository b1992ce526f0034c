import { Plot } from "./plot.tsx";
import { timeText } from "./shown.ts";
import type { SectionProps } from "./state-view.tsx";
import { effectWord } from "./text.tsx";

const EFFECTS = ["allow", "ask_user", "deny"] as const;
const MINUTE_MS = 60_000;
/** How many minutes are shown. */
const MINUTES = 60;

/** How many decisions there were, and how long calls took. */
export function Rates({ state: { minutes, latencies } }: SectionProps) {
  const end = minutes.reduce((latest, { at }) => Math.max(latest, at), 0);
  const hour = Array.from({ length: MINUTES }, (_, index) => {
    const at = end - (MINUTES - 1 - index) * MINUTE_MS;
    return minutes.find((one) => one.at === at) ?? { at, allow: 0, ask_user: 0, deny: 0 };
  });
  const most = Math.max(...hour.map(({ allow, ask_user, deny }) => allow + ask_user + deny));
  const ranges = latencies.slice(0, latencies.findLastIndex(({ calls }) => calls > 0) + 1);
  return (
    <>
      <h2>Rates and times</h2>
      {most === 0 ? (
        <p>Nothing was decided yet.</p>
      ) : (
        <Plot
          label={`Decisions in each minute of the last hour, at most ${most.toLocaleString("en")}`}
          head="Minute"
          names={hour.map(({ at }) => timeText(new Date(at).toISOString()).slice(0, -3))}
          series={EFFECTS.map((color) => ({
            ...{ name: effectWord(color), color, values: hour.map((one) => one[color]) },
          }))}
          axis="x"
        />
      )}
      {ranges.length === 0 ? (
        <p>No call has a result yet.</p>
      ) : (
        <Plot
          label="Time from the decision on a call to its result"
          head="Time"
          names={ranges.map(({ at_most_ms: ms }) => (ms === null ? "longer" : `≤ ${timeOf(ms)}`))}
          series={[{ name: "calls", color: "link", values: ranges.map(({ calls }) => calls) }]}
          axis="y"
        />
      )}
    </>
  );
}

const timeOf = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`);
