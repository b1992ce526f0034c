import { type OptionGroup, kind, options } from "./option-groups.ts";

/** Options that the command-line tools of clouds share. */
export const CLOUD: readonly OptionGroup[] = options`--debug -q ${kind.value} --output --query --region --profile --format --project --account --zone --filter --filters
  --limit --page-size --max-items --sort-by -n,--namespace --kube-context --set --set-string --version --verbosity --color --subscription
  -g,--resource-group --name --tail --since ${kind.takes("url", "configure")} --endpoint-url ${kind.load} --kubeconfig
  ${kind.takes("read", "send")} --cli-input-json --cli-input-yaml ${kind.flag} --recursive --no-paginate --no-cli-pager --quiet
  --no-sign-request --follow`;

export const GCLOUD: readonly OptionGroup[] = options`${CLOUD} --async ${kind.load} --flags-file ${kind.valueThat("configure")}
  --impersonate-service-account --configuration ${kind.takes("read", "load")} --key-file --access-token-file ${kind.value}
  --billing-project --source --destination --trace-token ${kind.valueThat("send")} --metadata-from-file ${kind.write} --log-file
  ${kind.optional} --user-output-enabled`;
