import { useState } from "preact/hooks";
import { shown } from "./shown.ts";

/** How much of a long text is shown at first. */
const SHOWN = 20_000;

/** Text that an agent may have written: isolated from the direction of the text around it, and cut where it is long. */
export function Text({ children }: { readonly children: string | null }) {
  return <bdi>{children === null ? "–" : shown(children.slice(0, SHOWN))}</bdi>;
}

interface LongTextProps {
  readonly text: string;
  readonly label: string;
  /** Whether nothing is cut, because a person decides about it. */
  readonly isWhole?: boolean;
}

/** A long text in lines. */
export function LongText({ text, label, isWhole = false }: LongTextProps) {
  const [all, setAll] = useState(isWhole);
  const isCut = !all && text.length > SHOWN;
  return (
    <>
      <pre tabIndex={0} role="region" aria-label={label} dir="ltr">
        {shown(isCut ? text.slice(0, SHOWN) : text)}
      </pre>
      {isCut && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {text.length.toLocaleString("en")} characters
        </button>
      )}
    </>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  allow: "allowed",
  ask_user: "asked",
  deny: "denied",
};

/** The effect of a decision in a word. */
export const effectWord = (effect: string): string =>
  Object.hasOwn(WORDS, effect) ? (WORDS[effect] ?? "") : shown(effect);

/** The effect of a decision, in words and not only in colour. */
export function Effect({ of }: { readonly of: string | null }) {
  if (of === null) return <span class="effect">–</span>;
  return <span class={Object.hasOwn(WORDS, of) ? `effect ${of}` : "effect"}>{effectWord(of)}</span>;
}

/** A value of an event, as JSON in lines. */
export const jsonText = (value: unknown): string => JSON.stringify(value, undefined, 2) ?? "";
