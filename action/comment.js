// Finds the comment of an earlier run.
const MARK = "<!-- bylaw -->";

/** Writes a comment on a pull request, or rewrites the one that an earlier run wrote. Rejects where the service refuses. */
export async function commentOn(number, text, token) {
  const { GITHUB_API_URL: url = "https://api.github.com", GITHUB_REPOSITORY: repository } =
    process.env;
  const issues = `${url}/repos/${repository}/issues`;
  const body = `${MARK}\n${text}`;
  const mine = await commentOf(`${issues}/${number}/comments`, token);
  await (mine === undefined
    ? ask("POST", `${issues}/${number}/comments`, token, { body })
    : ask("PATCH", `${issues}/comments/${mine.id}`, token, { body }));
}

async function commentOf(comments, token) {
  for (let page = 1; ; page += 1) {
    const found = await ask("GET", `${comments}?per_page=100&page=${page}`, token);
    // Anyone may write the mark into a comment; only a program's own may be rewritten.
    const mine = found.find(({ body, user }) => body?.startsWith(MARK) && user?.type === "Bot");
    if (mine !== undefined || found.length < 100) return mine;
  }
}

async function ask(method, url, token, body) {
  const response = await fetch(url, {
    method,
    headers: { accept: "application/vnd.github+json", authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} was answered with ${response.status}`);
  return await response.json();
}
