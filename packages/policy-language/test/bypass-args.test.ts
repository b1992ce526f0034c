import type { ToolCall } from "@bylaw/kernel";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePolicy } from "../src/index.ts";
import { call, effectOf } from "./calls.ts";
import { policyOf, type RuleData } from "./toml.ts";

const matches = (action: string, condition: object, value: unknown): boolean =>
  effectOf([{ action, tool: "t", args: { a: condition } } as unknown as RuleData], call("t", { a: value } as ToolCall["args"])) === action;
const network = (action: string, host: string, args: unknown): boolean =>
  effectOf([{ action, tool: "web_fetch", network: host }], call("web_fetch", args as ToolCall["args"])) === action;

describe("an allow by url_prefix or host covers no URL that some reader reads otherwise", () => {
  const origin = "https://h.example/";
  test.each([
    "https:h.example",
    "https:/h.example",
    "https:////h.example",
    "//h.example/",
    "h.example",
    "ｈttps://h.example/",
    "https：//h.example/",
    "https://ｈ.example/",
    "https://h。example/",
    "https://h\u00ad.example/",
    "https://h\u200b.example/",
    "https://h%2eexample/",
    "https://%68.example/",
    "https://h.example?@evil.com/",
    "https://h.example#@evil.com",
    "https://u@h.example/",
    "https://@h.example/",
    "https://h.example\\@evil.com/",
    "https://h.example//admin/x",
    "https://h.example/a//b",
    "https://h.example/a/../b",
    "https://h.example/a/%2e/b",
    "https://h.example/a/\uff0e\uff0e/b",
    "https://h.example/a\uff0fb",
    "https://u@h.example:/a",
    "https://h.example/a/..;/b",
    "https://h.example/a/..%3b/b",
    "https://h.example/a/.;x=1/b",
    "https://h.example/a/;/b",
    "https://h.example/%ff",
    "https://h.example/%zz",
    "https://h.example/%",
    "https://h.example/%4",
    "https://h.example/%c0%ae%c0%ae/b",
    "https://h.example/%61dmin",
    "https://h.example/%7e",
    "https://h.example/%2e",
    "https://h.example/%2fb",
    "https://h.example/%5cb",
    "https://h.example/%252e",
    "https://h.example/%0a",
    "https://h.example/%7f",
    "https://h.example/a\u0085b",
    "https://h.example/a\u2028b",
    "https://h.example/．．/b",
    "https://h.example/a\tb",
    " https://h.example/",
    "https://h.example/ ",
    "view-source:https://h.example/",
    "blob:https://h.example/x",
  ])("%j", (url) => {
    expect(matches("allow", { url_prefix: origin }, url)).toBe(false);
    expect(network("allow", "h.example", { url })).toBe(false);
  });
  test.each([
    "https://h.example",
    "HTTPS://H.example/",
    "https://h.example:443/a;x=1/b",
    "https://h.example/a%20b/%C3%A9?x=%2e%2e&y=%zz#@x",
    "https://h.example/?u=https://x//@y",
  ])("%j is plain", (url) => {
    expect(matches("allow", { url_prefix: origin }, url)).toBe(true);
    expect(network("allow", "h.example", { url })).toBe(true);
  });
});

describe("a deny by url_prefix catches every way to write a path", () => {
  test.each([
    "https://h.example/admin",
    "https://h.example/admin/",
    "https://h.example/admin?x",
    "https://h.example/admin/x",
    "https://h.example//admin/x",
    "https://h.example/.//admin/x",
    "https://h.example/a//../admin/x",
    "https://h.example/%61dmin/%ff",
    "https://h.example/%61dmin/%zz",
    "https://h.example/%zz/../%61dmin/",
    "https://h.example/x/..;/admin/",
    "https://h.example/x/..;a=1/admin/",
    "https://h.example/x/%2e%2e;/admin/",
    "https://h.example/x/..%3b/admin/",
    "https://h.example/admin;x=1/y",
    "https://h.example/;/admin/y",
    "https://h.example/%2fadmin/y",
    "https://h.example/%5cadmin/y",
    "https://h.example\\admin\\y",
    "https://h.example/x/%c0%ae%c0%ae/admin/y",
    "https://h.example/%u0061dmin/y",
    "https://h.example/%2561dmin/y",
    "https://h.example/admin%3fx",
    "https://h.example/admin%00",
    "https:h.example/admin/",
    "https:/h.example/admin/",
    "https:////h.example/admin/",
    "h.example/admin/",
    "//h.example/admin/",
    "https://h.example../admin/",
    "https://h.example:443/admin/",
    "https://H。example/admin/",
    "https://evil.com\\@h.example/admin/",
    "https://x?@h.example/admin/",
    "https://x#@h.example/admin/",
    "view-source:https://h.example/admin/",
    "https://h.exa\nmple/ad\tmin/",
  ])("%j", (url) => {
    for (const prefix of ["https://h.example/admin/", "https://h.example/admin"]) {
      expect([prefix, matches("deny", { url_prefix: prefix }, url)]).toEqual([prefix, true]);
    }
  });
  test.each(["https://h.example/", "https://h.example/administer", "https://h.example/x/admin", "https://g.example/admin/", "admin/", ""])(
    "%j is another place",
    (url) => expect(matches("deny", { url_prefix: "https://h.example/admin/" }, url)).toBe(false),
  );
  test("a prefix with escapes is compared by what they stand for", () => {
    expect(matches("deny", { url_prefix: "https://h.example/é/" }, "https://h.example/%c3%a9/x")).toBe(true);
    expect(matches("deny", { url_prefix: "https://h.example/%C3%A9/" }, "https://h.example/é/x")).toBe(true);
    expect(matches("deny", { url_prefix: "https://h.example/%61/" }, "https://h.example/a/x")).toBe(true);
  });
  test("a path too long for any server is not read, and denied", () => {
    const long = (origin: string): string => `${origin}/${"é".repeat(1_000_000)}`;
    expect(matches("deny", { url_prefix: "https://h.example/admin/" }, long("https://h.example"))).toBe(true);
    expect(matches("deny", { url_prefix: "https://h.example/admin/" }, long("https://g.example"))).toBe(false);
  });
  test("noise around the denied path does not hide it", () => {
    const noise = fc.constantFrom("/", "./", "%2e/", "x/../", ";a/", "%zz/../", "%2f", "\\");
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 5 }), fc.constantFrom("admin", "%61dmin", "ad%6din"), (before, name) => {
        const url = `https://h.example/${before.join("")}${name}/%ff`;
        expect([url, matches("deny", { url_prefix: "https://h.example/admin/" }, url)]).toEqual([url, true]);
      }),
    );
  });
});

describe("a network deny catches every way to write a host", () => {
  test.each([
    ["a.internal", "a.internal"],
    ["a.internal", "a.internal/x"],
    ["a.internal", "a.internal:8080/x"],
    ["a.internal", "//a.internal/x"],
    ["a.internal", "\\\\a.internal\\x"],
    ["a.internal", "u@a.internal"],
    ["a.internal", "ftp+x://A.INTERNAL/x"],
    ["a.internal", "redis://A.Internal.:6379"],
    ["a.internal", "foo://a%2einternal/"],
    ["a.internal", "https://a.internal../x"],
    ["a.internal", "https://a.internal...:8443/x"],
    ["a.internal", "https://a\u00ad.internal/"],
    ["a.internal", "https://a.internal:99999/"],
    ["a.internal", "https://a.internal%00.evil.com/"],
    ["a.internal", "https://h.example?@a.internal/"],
    ["a.internal", "https://h.example#@a.internal"],
    ["a.internal", "https://u@a.internal:80@h.example/"],
    ["a.internal", "https://h.example\\@a.internal/"],
    ["*.internal", "blob:https://a.internal/x"],
    ["169.254.169.254", "http://[::ffff:169.254.169.254]/"],
    ["169.254.169.254", "http://[::ffff:a9fe:a9fe]/"],
    ["169.254.169.254", "http://[0:0:0:0:0:ffff:a9fe:a9fe]:80/"],
    ["169.254.*", "http://[64:ff9b::a9fe:a9fe]/"],
    ["169.254.169.254", "http://2852039166/"],
    ["169.254.169.254", "http://0251.0376.0251.0376/"],
    ["169.254.169.254", "foo://0xa9fea9fe/"],
    ["169.254.169.254", 2852039166],
    ["a.internal", ["https://b.example/", "https://a.internal/"]],
    ["a.internal", [["a.internal"]]],
    ["a.internal", { href: "https://b.example/" }],
  ])("%s: %j", (host, url) => {
    expect(network("deny", host, { url })).toBe(true);
    expect(network("ask_user", host, { url })).toBe(true);
    expect(network("allow", host, { url })).toBe(false);
  });
  test.each([["https://b.example/"], ["https://b.example/?u=https://a.internal/"], ["b.example/a.internal"], [""], [null], [[]], [3]])(
    "%j is another host",
    (url) => expect(network("deny", "a.internal", { url })).toBe(false),
  );
  test("arguments without names may hold the URL", () => {
    expect(network("deny", "a.internal", ["https://b.example/"])).toBe(true);
    expect(network("deny", "a.internal", [])).toBe(false);
    expect(network("allow", "*", ["https://b.example/"])).toBe(false);
  });
});

describe("a deny is not dodged by the type of a value, and an allow not reached", () => {
  test.each([
    [{ eq: 1 }, "1"],
    [{ eq: 1 }, "1.0"],
    [{ eq: "1" }, 1],
    [{ eq: true }, "true"],
    [{ eq: true }, "True "],
    [{ eq: true }, 1],
    [{ eq: true }, "yes"],
    [{ eq: false }, 0],
    [{ eq: "x" }, ["x"]],
    [{ eq: "x" }, [["y"], ["x"]]],
    [{ eq: "x" }, { value: "x" }],
    [{ in: ["a", 1] }, "1"],
    [{ in: ["a"] }, ["b", "a"]],
    [{ in: ["a"] }, { 0: "a" }],
    [{ glob: "a*" }, ["b", "ab"]],
    [{ glob: "a*" }, {}],
    [{ glob: "*", type: "string" }, ["x"]],
    [{ glob: "a*", type: "string" }, { x: "ab" }],
    [{ regex: "\\d+" }, 12],
    [{ regex: "a.*" }, ["ab"]],
    [{ regex: "tr.*" }, true],
    [{ url_prefix: "https://h.example/" }, ["https://h.example/x"]],
    [{ url_prefix: "https://h.example/" }, { href: "x" }],
    [{ min: 100 }, "500"],
    [{ min: 100 }, "1e3"],
    [{ min: 100 }, "1,000"],
    [{ min: 100 }, [500]],
    [{ min: 100 }, { value: 500 }],
    [{ max: 0 }, null],
    [{ type: "number", min: 100 }, "500"],
    [{ type: "integer", min: 100 }, ["500"]],
    [{ glob: "a*", not: { glob: "*b" } }, ["ac"]],
    [{ not: { glob: "ok*" } }, ["ok"]],
    [{ not: { glob: "ok*" } }, 5],
    [{ type: "string", not: { eq: "ok" } }, ["ok"]],
  ])("%j and %j", (condition, value) => {
    expect(matches("deny", condition, value)).toBe(true);
    expect(matches("ask_user", condition, value)).toBe(true);
    expect(matches("allow", condition, value)).toBe(false);
  });
  test.each([
    [{ eq: "x" }, []],
    [{ eq: "x" }, ["y", 1, null]],
    [{ eq: true }, "false"],
    [{ eq: true }, 0],
    [{ eq: 1 }, null],
    [{ in: ["DELETE", "PUT"] }, null],
    [{ glob: "/etc/*" }, null],
    [{ glob: "a*" }, ["b", ["c"]]],
    [{ min: 100 }, "50"],
    [{ min: 100 }, [1, 2]],
    [{ type: "integer", min: 1 }, 5.5],
    [{ type: "string" }, 5],
  ])("%j and %j do not meet", (condition, value) => {
    for (const action of ["deny", "ask_user", "allow"]) expect(matches(action, condition, value)).toBe(false);
  });
  test("arguments without names may be any", () => {
    for (const condition of [{ eq: "x" }, { glob: "a*" }, { min: 1 }, { exists: true }, { not: { eq: "x" } }]) {
      const rule = (action: string): RuleData => ({ action, tool: "t", args: { a: condition } }) as unknown as RuleData;
      for (const args of [["x"], [{ a: "x" }], ["y", 2]]) {
        expect(effectOf([rule("deny")], call("t", args))).toBe("deny");
        expect(effectOf([rule("ask_user")], call("t", args))).toBe("ask_user");
        expect(effectOf([rule("allow")], call("t", args))).toBe("abstain");
      }
    }
  });
  test("a list or text on the way to a nested argument does not hide it", () => {
    const denies = (args: ToolCall["args"]): boolean =>
      effectOf([{ action: "deny", tool: "t", args: { "a.b": { eq: 1 } } }], call("t", args)) === "deny";
    expect(denies({ a: [{ b: 2 }, { b: 1 }] })).toBe(true);
    expect(denies({ a: '{"b":1}' })).toBe(true);
    expect(denies({ a: [{ b: 2 }, {}] })).toBe(false);
    expect(denies({ a: null })).toBe(false);
  });
  test("the index finds what a scan finds", () => {
    const value = fc.oneof(
      fc.constantFrom<unknown>("GET", "1", 1, true, null, "a.internal"),
      fc.constant(["GET"]),
      fc.constant([[1]]),
      fc.constant({ b: "GET" }),
    );
    const condition = fc.constantFrom<object>(
      { eq: "GET" },
      { in: [1, "a"] },
      { glob: "G*" },
      { regex: "1" },
      { min: 1 },
      { not: { eq: "GET" } },
    );
    const args = fc.oneof(fc.record({ a: value }), fc.array(value, { maxLength: 2 }));
    fc.assert(
      fc.property(
        fc.constantFrom("allow", "deny", "ask_user"),
        fc.constantFrom("a", "a.b"),
        condition,
        args,
        (action, name, one, given) => {
          const pool = compilePolicy([policyOf([{ name: "r", action, tool: "t", args: { [name]: one } } as unknown as RuleData])]);
          const asked = call("t", given as ToolCall["args"]);
          expect(pool.evaluate(asked)).toEqual(pool.evaluateByScan(asked));
        },
      ),
    );
  });
});

describe("not in an allow holds only for a value of the type that it is about", () => {
  test.each([
    [{ not: { eq: "x" } }, [5, true, null, ["y"], {}]],
    [{ not: { in: ["x", "y"] } }, [5, null, [], ["x"]]],
    [{ not: { glob: "x*" } }, [5, null, ["x"], { a: "x" }]],
    [{ not: { regex: "x" } }, [5, true, null, ["x"]]],
    [{ not: { url_prefix: "https://h.example/" } }, [5, null, ["https://h.example/"], {}]],
    [{ not: { min: 100 } }, ["500", "5", null, [500], {}, true]],
    [{ not: { max: 5 } }, ["500", null, [500]]],
    [{ not: { eq: true } }, ["false", "yes", 0, null, [true]]],
    [{ not: { eq: [1] } }, [[1], [[1]], [2], {}]],
    [{ not: { type: "string" } }, ["x", null, [], {}, ["x"]]],
    [{ not: { not: { eq: "x" } } }, ["y", ["x"], 5]],
    [{ not: { in: ["a", 1] } }, ["1", true, null]],
  ] as const)("%j", (condition, values) => {
    for (const value of values) expect([value, matches("allow", condition, value)]).toEqual([value, false]);
  });
  test.each([
    [{ not: { eq: "x" } }, "y"],
    [{ not: { in: ["a", 1] } }, 2],
    [{ not: { min: 100 } }, 5],
    [{ not: { eq: true } }, false],
    [{ not: { type: "string" } }, 5],
    [{ not: { not: { eq: "x" } } }, "x"],
  ])("%j covers %j", (condition, value) => expect(matches("allow", condition, value)).toBe(true));
});
