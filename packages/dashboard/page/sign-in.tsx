import { useEffect, useState } from "preact/hooks";
import { get, keepToken, login, signIn, type Me } from "./api.ts";

const isCode = login === "code";

/** Takes the code out of the address, so that it stays in no history. */
function codeInAddress(): string {
  const code = /^#login=([\w-]+)$/.exec(location.hash)?.[1] ?? "";
  if (code !== "") history.replaceState(null, "", location.pathname);
  return code;
}

const HINTS: Readonly<Record<string, string>> = {
  code: "The terminal in which you started `bylaw ui` shows the code. It works once.",
  token: "It stays in this tab, and is forgotten when you close the tab.",
  operator: "It is not kept. Give it only to the address that your own terminal shows.",
};

/** Asks for an operator's token, or for the code that `bylaw ui` has printed. */
export function SignIn({ onDone }: { readonly onDone: (me: Me) => void }) {
  const [given, setGiven] = useState("");
  const [error, setError] = useState<string>();
  const enter = async (secret: string): Promise<void> => {
    try {
      if (login === "token") keepToken(secret);
      else await signIn(secret);
      onDone(await get<Me>("me"));
    } catch (failure) {
      keepToken("");
      setError((failure as Error).message);
    }
  };
  useEffect(() => {
    const code = codeInAddress();
    if (isCode && code !== "") void enter(code);
  }, []);
  const label = isCode ? "Code" : "Operator's token";
  return (
    <main class="sign-in">
      <h1>Bylaw</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void enter(given.trim());
        }}
      >
        <label>
          {label}
          <input
            type="password"
            autocomplete="off"
            required
            value={given}
            onInput={({ currentTarget }) => setGiven(currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
      <p class="muted">{HINTS[login]}</p>
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </main>
  );
}
