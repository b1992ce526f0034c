import { LatencyPlot, RatePlot } from "./plots.tsx";
import type { SectionProps } from "./state-view.tsx";

/** How many decisions there were, and how long calls took. */
export function Rates({ state: { minutes, latencies } }: SectionProps) {
  return (
    <>
      <h2>Rates and times</h2>
      <RatePlot minutes={minutes} />
      <LatencyPlot latencies={latencies} />
    </>
  );
}
