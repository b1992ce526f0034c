import { useEffect, useState } from "preact/hooks";
import type { Allowing, NearRule } from "../src/allowing.ts";
import { get } from "./api.ts";
import { LongText, Text } from "./text.tsx";

/** A vote that stood in the way. */
interface Blocking {
  readonly effect: string;
  readonly reason?: string;
  readonly fix?: string;
}

interface AllowingProps {
  readonly run: string | undefined;
  readonly sequence: number;
  /** Whether it is about a call, for which a rule may be named. */
  readonly isCall: boolean;
  readonly votes: readonly Blocking[];
}

/** What would have allowed what was not allowed: what stood in the way, the phases, the nearest rule and the smallest new one. */
export function WhatAllows({ run, sequence, isCall, votes }: AllowingProps) {
  const blocking = votes.filter(({ effect }) => effect !== "allow");
  return (
    <section aria-label="What would have allowed it">
      <h3>What would have allowed it</h3>
      {blocking.length > 0 && (
        <>
          <p>
            {blocking.length === 1 ? "This stood in the way:" : "All of these stood in the way:"}
          </p>
          <ul>
            {blocking.map(({ reason, fix }, index) => (
              <li key={index}>
                <Text>{reason ?? null}</Text>{" "}
                {fix !== undefined && (
                  <strong>
                    <Text>{fix}</Text>
                  </strong>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {isCall && <Rules run={run} sequence={sequence} />}
    </section>
  );
}

function Rules({ run, sequence }: Pick<AllowingProps, "run" | "sequence">) {
  const [found, setFound] = useState<Allowing>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    const ended = new AbortController();
    setFound(undefined);
    setError(undefined);
    get<Allowing>(`decisions/${sequence}/allowing`, { run }, ended.signal)
      .then(setFound)
      .catch((failure: Error) => !ended.signal.aborted && setError(failure.message));
    return () => ended.abort();
  }, [run, sequence]);
  if (error !== undefined) return <p class="error">{error}</p>;
  if (found === undefined) return <p class="muted">Looking for a rule …</p>;
  const { policies, nearest, toml, why, phases } = found;
  return (
    <>
      {phases !== null && (
        <p>
          {phases.length === 0 ? "No phase allows this tool." : "Phases that allow this tool: "}
          <Text>{phases.join(", ")}</Text>
        </p>
      )}
      {policies === "other" && (
        <p class="muted">
          The decision was made under other policies. This is what those at hand say now.
        </p>
      )}
      {nearest.length > 0 && <Nearest rules={nearest} />}
      {toml !== null && (
        <>
          <p>The smallest rule that allows this call. It allows no harmful variant of it:</p>
          <LongText text={toml} label="The smallest rule" />
        </>
      )}
      {why !== null && (
        <p>
          {policies === "unknown" ? "" : "No rule to suggest: "}
          <Text>{why}</Text>
        </p>
      )}
    </>
  );
}

function Nearest({ rules }: { readonly rules: readonly NearRule[] }) {
  return (
    <>
      <p>The nearest rules, and what they lack:</p>
      <ul>
        {rules.map(({ name, file, line, failed, expected, actual }, index) => (
          <li key={index}>
            <strong>
              <Text>{name}</Text>
            </strong>{" "}
            <span class="muted">
              <Text>{file === null ? "" : `${file}:${line ?? 1}`}</Text>
            </span>
            <br />
            <code>
              <Text>{failed}</Text>
            </code>
            {expected !== null && (
              <>
                {" "}
                needs <Text>{expected}</Text>
              </>
            )}
            {actual !== null && (
              <>
                , and the call has <Text>{actual}</Text>
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
