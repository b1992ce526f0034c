import { createHash } from "node:crypto";
import { bodyLimit } from "hono/body-limit";
import { html } from "hono/html";
import { QUESTION_TOOL } from "../approvals/ask-user.ts";
import type { Operator } from "../approvals/operators.ts";
import type { ClosedQuestion, OpenQuestion } from "../approvals/question-list.ts";
import type { App } from "../http/app-env.ts";
import { problemOf } from "../http/error-problem.ts";
import type { Service } from "../service/service.ts";
import { questionText } from "./question-text.ts";

const STYLE =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:45rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid;padding:1rem}button{font:inherit;padding:.5rem 2rem;margin-right:1rem}input,select{font:inherit;width:100%;box-sizing:border-box}";
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
} as const;
const MAX_BYTES = 65_536;
type Content = ReturnType<typeof html>;

/**
 * Serves the pages behind the links by which operators answer. Looking answers nothing, because mail and chat programs open links. The link is the
 * credential: it is for one question and one operator, who must still be in the file of operators.
 */
export function serveAnswerPages(app: App, path: string, service: Service): void {
  app.get(path, async ({ req }) => {
    const found = await linked(service, req.param("link") ?? "");
    if (found === undefined) return expired();
    return found.question.state === "open"
      ? page(200, form(found.question as OpenQuestion, found.operator))
      : page(
          410,
          html`<p>This question is closed: ${found.question.state}${by(found.question)}.</p>`,
        );
  });
  const limit = bodyLimit({
    maxSize: MAX_BYTES,
    onError: () => page(413, html`<p>The reason is too long.</p>`),
  });
  app.post(path, limit, async ({ req }) => {
    const found = await linked(service, req.param("link") ?? "");
    if (found === undefined) return expired();
    const { question, operator } = found;
    const given = await req.parseBody();
    const text = (name: string): string | undefined => {
      const value = given[name];
      return typeof value === "string" && value !== "" ? value : undefined;
    };
    const answer = text("answer");
    if (answer !== "yes" && answer !== "no") return page(400, html`<p>Answer yes or no.</p>`);
    const isPlainYes = answer === "yes" && question.kind === "call" && !isAskUser(question);
    try {
      await service.operations.approvals.answer(
        question.id,
        { by: operator.name, roles: operator.roles },
        { answer, role: text("role"), reason: isPlainYes ? undefined : text("reason") },
      );
    } catch (error) {
      const { status, detail } = problemOf(error, service);
      return page(status < 500 ? 409 : status, html`<p>Not answered: ${detail}</p>`);
    }
    return page(200, html`<p>Your ${answer} is on record.</p>`);
  });
}

interface Linked {
  readonly question: OpenQuestion | ClosedQuestion;
  readonly operator: Operator;
}

async function linked(service: Service, link: string): Promise<Linked | undefined> {
  if (service.broken() !== undefined) return undefined;
  const read = await service.links.read(link);
  const operator = read && service.operatorNamed(read.by);
  if (read === undefined || operator === undefined) return undefined;
  const question = await service.operations.approvals.list.get(read.question, {});
  return question && { question, operator };
}

const isAskUser = (question: object): boolean =>
  "tool" in question && question.tool === QUESTION_TOOL;

const by = (question: OpenQuestion | ClosedQuestion): string =>
  "by" in question && typeof question.by === "string" ? `, by ${question.by}` : "";

const expired = (): Promise<Response> =>
  page(
    404,
    html`<p>
      This link is not valid, or no longer. Look for the question with
      <code>bylaw approve list</code>.
    </p>`,
  );

function form(question: OpenQuestion, { name, roles }: Operator): Content {
  const { title, reason } = questionText(question);
  const approvers = question.kind === "gate" ? question.approvers : [];
  const own = approvers.filter((role) => roles?.includes(role) ?? true);
  const stops = question.kind === "pause" || question.kind === "hold";
  return html`<h1>${title}</h1>
    <p>${reason}</p>
    <pre>${shown(subjectOf(question))}</pre>
    <details>
      <summary>Everything</summary>
      <pre>${shown(question)}</pre>
    </details>
    <form method="post">
      ${
        own.length > 1
          ? html`<p>
              <label
                >In which role
                <select name="role">
                  ${own.map((role) => html`<option>${role}</option>`)}
                </select></label
              >
            </p>`
          : ""
      }
      <p>
        <label
          >${isAskUser(question) ? "Your answer" : "Reason, which a no needs"}
          <input name="reason" maxlength="10000" autocomplete="off"
        /></label>
      </p>
      <p>
        <button name="answer" value="yes">Yes</button>
        ${stops ? "" : html`<button name="answer" value="no">No</button>`}
      </p>
    </form>
    <p>You answer as ${name}. A yes covers exactly this.</p>`;
}

/** The part of a question that a person looks at first. */
const subjectOf = (question: OpenQuestion): object => {
  if (question.kind === "call") return { [question.tool]: question.args };
  if (question.kind === "gate") return { [`to ${question.to}`]: question.content ?? null };
  return { [question.kind]: question.step };
};

// Characters that are invisible, or change the direction of text, must not hide what is approved.
const shown = (value: object): string =>
  JSON.stringify(value, null, 2).replaceAll(
    /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );

// The Content Security Policy has the hash of the style, so no formatter may change its text.
const HEAD = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Bylaw: a question</title><style>${STYLE}</style>`;

const page = async (status: number, body: Content): Promise<Response> =>
  new Response(
    `<!doctype html><html lang="en"><head>${HEAD}</head><body><main>${String(await body)}</main></body></html>`,
    { status, headers: HEADERS },
  );
