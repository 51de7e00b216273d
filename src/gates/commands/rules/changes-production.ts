import { changesProduction as productionFiles } from '../../path-rules/production.ts';
import { type Command, valuesOf } from '../command.ts';
import { commandRule } from '../command-rule.ts';
import { writes } from '../paths.ts';

const deployment =
  'apply|up|update|deploy|redeploy|destroy|delete|del|un|install|uninstall|upgrade|rollback|import|taint|untaint|force-unlock|refresh|cancel|scale|sync|bootstrap|remove|setup|publish';
const cloud =
  'create|delete|put|update|modify|terminate|run|start|stop|reboot|attach|detach|associate|disassociate|deploy|register|deregister|restore|revoke|authorize|execute|enable|disable|reset|import|release|apply|set|add|remove';

/** Commands that change infrastructure or clusters, or publish. */
export const changesProduction = commandRule(
  'changes-production',
  `
  terraform|tofu|terragrunt|pulumi|helm|istioctl|cdk|cdktf|sam|serverless|sls|sst|kamal|fly|flyctl|firebase|wrangler ${deployment} unless --dry-run --preview-only
  helmfile|skaffold|flux … run|deploy|apply|sync|destroy|delete|suspend|resume|reconcile|bootstrap
  eksctl|kubeadm|nomad create|delete|upgrade|scale|drain|init|join|reset|run|stop unless --dry-run
  terraform|tofu|terragrunt|pulumi|argocd|nomad|fly|flyctl run-all|run|state|workspace|stack|app|job|apps|machine|machines|volumes apply|destroy|rm|mv|push|replace-provider|delete|sync|create|set|rollback|patch|run|stop|revert|scale
  kubectl|oc apply|create|delete|replace|patch|edit|scale|autoscale|set|label|annotate|expose|run|taint|drain|cordon|uncordon|debug|new-app|new-project|adm|policy unless --dry-run --list
  kubectl|oc rollout|auth|certificate restart|undo|pause|resume|reconcile|approve|deny unless --dry-run
  kubectl|oc cp * *:*
  docker stack|service deploy|up|rm|remove|down|create|update|scale|rollback
  cap * deploy*
  ansible-playbook unless -C --check --syntax-check --list-hosts --list-tasks --list-tags
  heroku *:set|*:unset|*:rollback|rollback|ps:scale|apps:destroy|destroy
  vercel|netlify with -p --prod
  vercel rm|remove|promote|rollback
  npm|pnpm|yarn|bun|lerna|changeset|uv|poetry|flit|hatch|pdm|cargo publish|unpublish|deprecate|yank unless -n --dry-run
  npm|pnpm dist-tag|dist-tags add|rm|set
  yarn npm publish unless -n --dry-run
  gem|twine|dotnet … push|yank|upload|delete
  semantic-release|goreleaser unless -d --dry-run --snapshot
  docker|podman|nerdctl push
  docker|podman|nerdctl image|compose … push
  docker-compose|podman-compose … push
  docker|podman|nerdctl build|buildx with --push
  gh release create|delete|edit|upload
  gh pr|workflow merge|run
  aws * deploy|${cloud.replaceAll(/\w+/g, '$&-*')} unless --dry-run
  gcloud !config|auth|components|init|info|emulators|topic|help … ${cloud}
  az !config|configure|account|login|logout|extension|cache|bicep|help … ${cloud}
`,
  (command) => writes(command, productionFiles.matches),
);

/** The options that name a context, by program. */
const contexts: Readonly<Record<string, string>> = {
  ...{ kubectl: '--context', oc: '--context', flux: '--context', istioctl: '--context' },
  ...{ helm: '--kube-context', helmfile: '--kube-context', skaffold: '--kube-context' },
};

/** Whether a command names a cluster, and only ones that the owners call safe. */
export function isOnSafeCluster({ args, program }: Command, safe: readonly string[]): boolean {
  const named = valuesOf(args, contexts[program] ?? '--none');
  return named.length > 0 && named.every((name) => safe.includes(name));
}
