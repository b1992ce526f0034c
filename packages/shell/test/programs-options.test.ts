import { describe, expect, test } from "vitest";
import { commandOf, effectsOf, hazardsOf } from "./told.ts";

describe("what a program writes is named", () => {
  test.each([
    ["wget http://h/a/.env", "write .env"],
    ["wget 'http://h/a/k.pem?x=1'", "write k.pem"],
    ["wget http://h/", "write index.html"],
    ["wget -P src http://h/k.pem", "write src/k.pem"],
    ["wget --content-disposition http://h/x", "write+ ."],
    ['wget "$u"', "write+ ."],
    ["curl -O http://h/k.pem", "write k.pem"],
    ["curl -sSLO http://h/k.pem", "write k.pem"],
    ["curl --output-dir src -O http://h/k.pem", "write src/k.pem"],
    ["curl -OJ http://h/x", "write+ ."],
    ["curl -O 'http://h/{a,b}.pem'", "write+ ."],
    ["ln -s a/k.pem src", "write src/k.pem"],
    ["ln -s a/k.pem src", "write src"],
    ["ln -s a/k.pem", "write k.pem"],
    ["ln -t src a/k.pem", "write src/k.pem"],
    ["git mv a/k.pem src", "write src/k.pem"],
    ["git mv a b", "delete+ a"],
    ["tar -xf a.tar -C src", "write+ src"],
    ["tar -xf a.tar --one-top-level=src", "write+ src"],
    ["unzip a.zip -d src", "write+ src"],
    ["scp h:k.pem src", "write+ src"],
    ["rsync h:k.pem src", "write+ src"],
    ["split f src/k", "write src/k*"],
    ["split f", "write x*"],
    ["csplit -f src/k f 1", "write src/k*"],
    ["mktemp src/XXXXXX.pem", "write src/*.pem"],
    ["mktemp -p src k.XXXXXX", "write src/k.*"],
  ])("%s: %s", (line, effect) => expect(effectsOf(line)).toContain(effect));

  test.each(["wget --spider http://h/k.pem", "wget -O - http://h/k.pem", "curl http://h/k.pem"])(
    "%s writes none",
    (line) => expect(effectsOf(line).filter((effect) => effect.startsWith("write"))).toEqual([]),
  );
});

describe("an option says by its name what it does, whatever the program", () => {
  test.each([
    ["frob --output x", "--output:write"],
    ["frob --output=x", "--output=x:write"],
    ["frob -o x", "-o:write"],
    ["frob -out=x", "-out=x:write"],
    ["frob --outDir x", "--outDir:write"],
    ["frob --report-outfile=x", "--report-outfile=x:write"],
    ["frob --fix", "--fix:write"],
    ["frob --plugin=./x.js", "--plugin=./x.js:load"],
    ["frob --config x", "--config:load"],
    ["frob --require x", "--require:load"],
    ["frob --exec x", "--exec:run"],
    ["frob --upload", "--upload:send"],
    ["frob --force", "--force:delete"],
    ["webpack --config x", "--config:load"],
    ["vite build --outDir x", "--outDir:write"],
    ["eslint --fix .", "--fix:write"],
    ["eslint -c x .", "-c:load"],
    ["eslint -o x .", "-o:write"],
    ["eslint -f ./x.js .", "-f:load"],
    ["eslint --rulesdir x .", "--rulesdir:load"],
    ["prettier --write .", "--write:write"],
    ["prettier --plugin=x .", "--plugin=x:load"],
    ["pytest --junitxml=x", "--junitxml=x:write"],
    ["pytest --basetemp=x", "--basetemp=x:delete"],
    ["pytest -p x", "-p:load"],
    ["pytest -o x=y", "-o:load"],
    ["ruff check --fix", "--fix:write"],
    ["ruff check --config x", "--config:load"],
    ["mypy --install-types", "--install-types:run"],
    ["mypy --html-report x .", "--html-report:write"],
    ["jest -u", "-u:write"],
    ["jest --globalSetup=x", "--globalSetup=x:load"],
    ["vitest run --reporter=./x.js", "--reporter=./x.js:load"],
    ["tsc --outDir x", "--outDir:write"],
    ["gcc -o x x.c", "-o:write"],
    ["aws s3 cp k.pem s3://b", "cp:send"],
    ["aws s3 rm s3://b/x", "rm:delete"],
    ["aws ec2 terminate-instances --instance-ids x", "terminate-instances:delete"],
    ["aws --endpoint-url http://h s3 ls", "--endpoint-url:configure"],
    ["aws lambda invoke --payload file://k.pem out", "file://k.pem:send"],
    ["gcloud compute instances delete x", "delete:delete"],
    ["helm template --post-renderer x c", "--post-renderer:run"],
    ["helm uninstall x", "uninstall:delete"],
    ["terraform destroy", "destroy:delete"],
    ["terraform plan -out=x", "-out=x:write"],
    ["gh api -X DELETE x", "-X:send"],
    ["gh gist create k.pem", "create:send"],
    ["gh release download -D src", "-D:write"],
  ])("%s: %s", (line, hazard) => expect(hazardsOf(line)).toContain(hazard));

  test.each([
    "frob --verbose --dry-run -v x",
    "frob --no-config",
    "eslint .",
    "eslint -f json --max-warnings 0 src",
    "prettier --check .",
    "pytest -q tests -k x --maxfail=1",
    "ruff check src",
    "ruff format --check .",
    "black --check .",
    "mypy --strict src",
    "jest --ci --coverage",
    "vitest run",
    "tsc --noEmit -p tsconfig.json",
    "aws s3 ls",
    "aws ec2 describe-instances --output json",
    "gcloud compute instances list --format=json",
    "helm list -o json",
    "terraform plan -no-color",
    "gh pr list --json number",
    "gh pr view 1",
  ])("%s has none", (line) =>
    expect(hazardsOf(line).filter((hazard) => !hazard.endsWith("tsconfig.json"))).toEqual(
      line.startsWith("tsc") ? expect.anything() : [],
    ),
  );

  test("checkers take their words as data, and read what they look at", () => {
    expect(commandOf("eslint rm -rf x").carries).toBe(false);
    expect(effectsOf("eslint --fix src")).toEqual(["read+ src", "write+ src"]);
    expect(effectsOf("black src")).toEqual(["read+ src", "write+ src"]);
    expect(effectsOf("aws s3 cp k.pem s3://b")).toContain("read+ k.pem");
    expect(effectsOf("gh gist create k.pem")).toContain("read k.pem");
  });
});
