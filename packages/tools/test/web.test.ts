import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { readCases } from "@bylaw/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WebOptions } from "../src/index.ts";
import { folder, toolsIn } from "./kit.ts";

const REFUSED = { code: "BYLAW_FETCH_REFUSED" };
const FAILED = { code: "BYLAW_FETCH_FAILED" };

const asked: string[] = [];
const pages: Readonly<
  Record<string, (request: IncomingMessage, response: ServerResponse) => void>
> = {
  "/text": (_, response) =>
    response.setHeader("content-type", "text/plain; charset=utf-8").end("héllo"),
  "/json": (_, response) =>
    response.setHeader("content-type", "application/problem+json").writeHead(404).end("{}"),
  "/image": (_, response) =>
    response.setHeader("content-type", "image/png").end(Buffer.of(1, 0, 2)),
  "/packed": (_, response) =>
    response
      .writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" })
      .end(gzipSync("x".repeat(1_000_000))),
  "/endless": (_, response) => {
    response.setHeader("content-type", "text/plain");
    const more = (): void => {
      while (response.write("y".repeat(10_000)));
      response.once("drain", more);
    };
    more();
  },
  "/silent": () => {},
  "/half": (_, response) => void response.setHeader("content-type", "text/plain").write("begun"),
  "/again": (_, response) => response.writeHead(301, { location: "/text" }).end(),
  "/elsewhere": (_, response) =>
    response.writeHead(302, { location: "http://elsewhere.test/text" }).end(),
  "/inside": (_, response) =>
    response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end(),
  "/file": (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
  "/headers": (request, response) =>
    response.setHeader("content-type", "application/json").end(JSON.stringify(request.headers)),
};
const server = createServer((request, response) => {
  asked.push(`${request.headers.host}${request.url}`);
  const page = pages[request.url ?? ""];
  if (page === undefined) response.writeHead(404).end();
  else page(request, response);
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const fetching = (web: Partial<WebOptions>) => {
  const call = toolsIn(folder(), {
    web: {
      hosts: [`127.0.0.1:${port}`, `docs.test:${port}`],
      private: true,
      timeoutMs: 30_000,
      ...web,
    },
  });
  return (url: string): Promise<unknown> => call("web_fetch", { url });
};
const at = (path: string, host = "127.0.0.1"): string => `http://${host}:${port}${path}`;

describe("web_fetch", () => {
  it("fetches text from an allowed host, and sends no data of this process", async () => {
    const go = fetching({});
    expect(await go(at("/text"))).toEqual({
      ...{
        status: "success",
        url: at("/text"),
        http_status: 200,
        content_type: "text/plain; charset=utf-8",
      },
      ...{ content: "héllo", bytes: 6, truncated: false },
    });
    expect(await go(at("/json"))).toMatchObject({ http_status: 404, content: "{}" });
    const { content } = (await go(at("/headers"))) as { readonly content: string };
    expect(Object.keys(JSON.parse(content) as object).sort()).toEqual([
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ]);
  });

  it.each(readCases<string>(import.meta, "refused"))(
    "refuses %j without any request",
    async (url) => {
      const before = asked.length;
      const answer = fetching({ addresses: () => Promise.reject(new Error("nobody is asked")) })(
        url.replaceAll("{port}", String(port)),
      );
      await expect(answer).rejects.toMatchObject({
        code: expect.stringMatching(/^BYLAW_(FETCH_REFUSED|TOOL_ARGUMENTS_INVALID)$/),
      });
      expect(asked.length).toBe(before);
    },
  );

  it("does not follow a redirect: reports its target, so that the agent can request it", async () => {
    const go = fetching({});
    const before = asked.length;
    expect(await go(at("/again"))).toEqual({
      status: "redirected",
      url: at("/again"),
      http_status: 301,
      content_type: "",
      location: at("/text"),
    });
    expect(await go(at("/elsewhere"))).toMatchObject({
      status: "redirected",
      location: "http://elsewhere.test/text",
    });
    expect(await go(at("/inside"))).toMatchObject({
      location: "http://169.254.169.254/latest/meta-data",
    });
    expect(await go(at("/file"))).toMatchObject({ location: "file:///etc/passwd" });
    expect(asked.length).toBe(before + 4);
  });

  it("allows subdomains only if the list says so, and ignores a dot at the end", async () => {
    const addresses = async (): Promise<readonly string[]> => ["127.0.0.1"];
    const go = fetching({ hosts: [`*.docs.test:${port}`], addresses });
    expect(await go(at("/text", "a.b.DOCS.test."))).toMatchObject({ content: "héllo" });
    for (const host of ["docs.test", "xdocs.test", "docs.test.elsewhere.test"])
      await expect(go(at("/text", host)), host).rejects.toMatchObject(REFUSED);
    await expect(fetching({ hosts: [] })(at("/text"))).rejects.toMatchObject(REFUSED);
  });

  it("keeps to its limits of size and time", async () => {
    expect(await fetching({ maxBytes: 1_000 })(at("/endless"))).toMatchObject({
      bytes: 1_000,
      truncated: true,
    });
    for (const path of ["/silent", "/half"])
      await expect(fetching({ timeoutMs: 200 })(at(path)), path).rejects.toMatchObject(FAILED);
    for (const path of ["/image", "/packed"])
      await expect(fetching({})(at(path)), path).rejects.toMatchObject(FAILED);
  });
});

describe("an address that is not on the public internet", () => {
  const go = (url: string, web: Partial<WebOptions> = {}): Promise<unknown> => {
    const { host } = new URL(url);
    return fetching({ private: false, hosts: [host], ...web })(url);
  };

  it.each(readCases<string>(import.meta, "notations"))(
    "%s is refused in any notation, even if it is on the list",
    async (url) => {
      const before = asked.length;
      await expect(go(url.replaceAll("{port}", String(port)))).rejects.toMatchObject(REFUSED);
      expect(asked.length).toBe(before);
    },
  );

  it("is refused behind a name too, even if only one of its addresses is not public", async () => {
    for (const addresses of readCases<string[]>(import.meta, "addresses"))
      await expect(
        go(at("/text", "docs.test"), { addresses: async () => addresses }),
        addresses.join(),
      ).rejects.toMatchObject(REFUSED);
    await expect(go(at("/text", "docs.test"), { addresses: async () => [] })).rejects.toMatchObject(
      FAILED,
    );
    await expect(
      go(at("/text", "docs.test"), { addresses: () => Promise.reject(new Error("no")) }),
    ).rejects.toMatchObject(FAILED);
  });

  it("is not reached through a name that resolves to it a moment later", async () => {
    const answers = [["192.0.2.1"], ["127.0.0.1"], ["127.0.0.1"]];
    let lookups = 0;
    const addresses = async (): Promise<readonly string[]> => answers[lookups++] ?? [];
    const before = asked.length;
    await expect(go(at("/text", "docs.test"), { addresses })).rejects.toMatchObject(REFUSED);
    // If private addresses are allowed, the addresses of the first lookup are used.
    const first = async (): Promise<readonly string[]> =>
      [["127.0.0.1"], ["127.0.0.2"]][lookups++ - 1] ?? ["127.0.0.3"];
    expect(await go(at("/text", "docs.test"), { private: true, addresses: first })).toMatchObject({
      content: "héllo",
    });
    expect(lookups).toBe(2);
    expect(asked.length).toBe(before + 1);
  });
});
