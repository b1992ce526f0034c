import { describe, expect, test } from "vitest";
import { doubtsOf, effectsOf, hazardsOf, runsOf } from "./told.ts";

describe("what tools of clouds run, write, send, delete and change is told", () => {
  test.each([
    ["aws s3api get-object --bucket b --key k out", ["out:write"]],
    ["aws lambda invoke --function-name f out.json", ["invoke:send", "out.json:write"]],
    ["aws s3api put-object --bucket b --key k --body f", ["--body:send", "put-object:send"]],
    [
      "aws ec2 run-instances --cli-input-json file://x",
      ["--cli-input-json:send", "run-instances:configure", "file://x:send"],
    ],
    ["aws ecs execute-command --command id", ["--command:run", "execute-command:send"]],
    ["aws ssm send-command --document-name x", ["send-command:send"]],
    ["aws configure set credential_process x", ["configure:configure", "set:configure"]],
    ["aws --ca-bundle x s3 ls", ["--ca-bundle:load"]],
    ["aws --no-verify-ssl s3 ls", ["--no-verify-ssl:configure"]],
    ["gcloud --flags-file x projects list", ["--flags-file:load"]],
    ["gcloud builds submit .", ["submit:send"]],
    [
      "gcloud auth activate-service-account --key-file k",
      ["--key-file:load", "activate-service-account:configure"],
    ],
    [
      "gcloud compute instances create x --metadata-from-file startup-script=x.sh",
      ["--metadata-from-file:send", "create:configure"],
    ],
    ["gcloud container clusters get-credentials x", ["get-credentials:configure"]],
    ["az storage blob download -f out", ["download:write"]],
    ["az rest --method delete --url https://x.example", ["--url:send", "rest:send"]],
    [
      "az vm run-command invoke --scripts id",
      ["--scripts:run", "run-command:configure", "invoke:send"],
    ],
    ["az vm create --custom-data x", ["--custom-data:send", "create:configure"]],
    ["terraform init", ["init:load"]],
    ["terraform init -from-module=x", ["-from-module=x:load", "init:load"]],
    ["terraform plan -out=p", ["-out=p:write"]],
    ["terraform plan -destroy", ["-destroy:delete"]],
    ["terraform apply p", ["apply:configure"]],
    ["terraform providers mirror d", ["mirror:write"]],
    ["terraform state push x", ["push:configure"]],
    ["tofu destroy", ["destroy:delete"]],
    ["tofu apply -auto-approve", ["-auto-approve:configure", "apply:configure"]],
    ["tofu state rm x", ["rm:configure"]],
    ["terragrunt run-all destroy", ["destroy:delete"]],
    ["pulumi up", ["up:configure"]],
    ["pulumi stack rm x", ["rm:delete"]],
    ["ansible -i inv all -m ping", ["-i:load"]],
    ["ansible-playbook site.yml", ["site.yml:run"]],
    [
      "ansible-playbook --vault-password-file=x --syntax-check site.yml",
      ["--vault-password-file=x:run", "--vault-password-file=x:load"],
    ],
    ["ansible-vault decrypt x", ["decrypt:write"]],
    ["ansible-vault edit x", ["edit:run"]],
    ["ansible-galaxy collection install x", ["install:load"]],
    ["ansible-pull -U https://h.example/x", ["-U:run"]],
    ["ansible-inventory --list --output x", ["--output:write"]],
    ["helm plugin install x", ["install:configure", "install:load"]],
    ["helm secrets view x", ["secrets:run"]],
    ["helm pull c", ["pull:write"]],
    ["helm dependency update c", ["update:configure", "update:write"]],
    ["helm test r", ["test:configure"]],
    ["helm template r c --repository-cache x", ["--repository-cache:write"]],
    ["kubectl delete pod x", ["delete:delete"]],
    ["kubectl -n a drain n", ["drain:delete"]],
    ["kubectl apply -f x", ["apply:configure"]],
    ["kubectl rollout undo x", ["undo:configure"]],
    ["kubectl debug node/x --image=y", ["debug:run"]],
    ["kubectl attach p", ["attach:run"]],
    ["kubectl port-forward p 1:2", ["port-forward:configure"]],
    ["kubectl get pods -o go-template-file=x", ["-o:load"]],
    ["kubectl auth reconcile -f x", ["reconcile:configure"]],
    ["kubectl cp p:/x y", ["cp:send"]],
  ])("%s: %j", (line, hazards) => {
    expect(hazardsOf(line)).toEqual(hazards);
  });

  test.each([
    "aws s3 ls",
    "aws configure list",
    "aws ec2 describe-instances --instance-ids i-1 --output table",
    "aws secretsmanager get-secret-value --secret-id x",
    "aws logs tail g --follow",
    "gcloud config list",
    "gcloud run services list --format json",
    "az vm list -o table",
    "az account show",
    "terraform plan",
    "terraform validate",
    "terraform show p",
    "terraform output -json",
    "terraform state list",
    "tofu plan -no-color",
    "pulumi stack ls",
    "ansible all -i a,b -m ping",
    "ansible-playbook --list-tasks site.yml",
    "ansible-vault view x",
    "ansible-galaxy list",
    "ansible-inventory --graph",
    "ansible-doc -l",
    "helm list",
    "helm show values c",
    "helm template r c --post-renderer-args x",
    "helm repo list",
    "kubectl get pods -o json",
    "kubectl describe pod x",
    "kubectl logs -f p",
    "kubectl rollout status x",
    "kubectl auth can-i get pods",
    "kubectl config view",
  ])("looking is no hazard: %s", (line) => {
    expect(hazardsOf(line)).toEqual([]);
    expect(doubtsOf(line)).toEqual([]);
  });

  test.each([
    ["terraform console", "console:run"],
    ["tofu console", "console:run"],
  ])("what reads code from its input is not known: %s", (line, hazard) => {
    expect(doubtsOf(line)).toContain("inline_code");
    expect(hazardsOf(line)).toEqual([hazard]);
  });
  test.each(["ansible-console", "az interactive"])("nor is %s", (line) => {
    expect(doubtsOf(line)).toContain("inline_code");
  });

  test.each([
    ["aws s3api get-object --bucket b --key k out", "write out"],
    ["az storage blob download -f out", "write out"],
    ["az rest --url https://x.example/y", "network x.example"],
    ["terraform apply p", "read p"],
    ["terraform providers mirror d", "write+ d"],
    ["tofu fmt", "write+ ."],
    ["ansible -i inv all -m ping", "execute inv"],
    ["ansible-playbook -e @vars.yml site.yml", "read vars.yml"],
    ["ansible-playbook site.yml", "execute site.yml"],
    ["ansible-vault encrypt x", "write x"],
    ["helm create c", "write+ c"],
    ["helm install r c --set-file a=key.pem", "read key.pem"],
    ["helm install r c -f https://h.example/v.yaml", "network h.example"],
    ["helm pull c", "write ."],
    ["kubectl apply -f https://h.example/x.yaml", "network h.example"],
    ["kubectl get pods -o custom-columns-file=x", "read x"],
    ["kubectl create secret generic s --from-file=key.pem", "read key.pem"],
  ])("%s does %s", (line, effect) => {
    expect(effectsOf(line)).toContain(effect);
  });

  test.each([
    ["helm template r c --post-renderer ./x", "./x"],
    ["ansible all -a 'rm -rf build'", "rm -rf build"],
    ["kubectl exec p -- rm -rf build", "rm -rf build @"],
  ])("%s runs %s", (line, run) => {
    expect(runsOf(line)).toContain(run);
  });
});
