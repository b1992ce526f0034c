import { ask, type Json, type ToolCall, type Verdict } from "@bylaw/kernel";

type Answer = Verdict | readonly Verdict[] | undefined;

/** Makes the check: asks if a key or a text in the arguments contains one of `words`, and abstains otherwise. */
export function unwelcomeWord(words: readonly string[]): (call: ToolCall) => Answer {
  const unwelcome = words.map((word) => ({ word, folded: fold(word) }));
  return ({ tool, args }) => {
    const texts = textsOf(args).map(fold);
    const found = unwelcome.find(({ folded }) => texts.some((text) => text.includes(folded)));
    if (found === undefined) return undefined;
    return ask(
      `The call of \`${tool}\` contains the unwelcome word \`${found.word}\``,
      "Say it without the word, or let a person decide",
      { code: "unwelcome_word" },
    );
  };
}

// Full-width and other compatibility forms look like the plain letters to a reader.
function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

function textsOf(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries<Json>(value).flatMap(([key, item]) => [key, ...textsOf(item)]);
}
