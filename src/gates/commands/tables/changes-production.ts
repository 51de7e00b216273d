import type { CommandRow } from '../rule.ts';

const cloudVerbs =
  'create|delete|put|update|modify|terminate|run|start|stop|reboot|attach|detach|associate|disassociate|deploy|register|deregister|restore|revoke|authorize|execute|enable|disable|reset|import|release|apply|set|add|remove';

/** Commands that change infrastructure or clusters. */
export const changesProduction: readonly CommandRow[] = [
  { command: 'terraform|tofu|terragrunt apply|destroy|import|taint|untaint|force-unlock' },
  { command: 'terraform|tofu|terragrunt run-all|run apply|destroy' },
  { command: 'terraform|tofu|terragrunt state rm|mv|push|replace-provider' },
  { command: 'terraform|tofu workspace delete' },
  {
    command:
      'kubectl|oc apply|create|delete|replace|patch|edit|scale|autoscale|set|label|annotate|expose|run|taint|drain|cordon|uncordon|debug',
    without: '--dry-run --list',
  },
  { command: 'kubectl|oc rollout restart|undo|pause|resume', without: '--dry-run' },
  { command: 'kubectl|oc auth reconcile', without: '--dry-run' },
  { command: 'kubectl|oc certificate approve|deny' },
  { command: 'kubectl|oc cp * *:*' },
  { command: 'oc new-app|new-project|adm|policy' },
  { command: 'helm install|upgrade|uninstall|delete|del|un|rollback', without: '--dry-run' },
  { command: 'helmfile … apply|sync|destroy|delete' },
  { command: 'skaffold run|deploy|delete|apply' },
  { command: 'argocd app sync|delete|create|set|rollback|patch' },
  { command: 'flux … delete|suspend|resume|reconcile|bootstrap' },
  { command: 'eksctl create|delete|upgrade|scale|drain', without: '--dry-run' },
  { command: 'kubeadm init|join|reset|upgrade' },
  { command: 'istioctl install|uninstall|upgrade', without: '--dry-run' },
  { command: 'nomad job run|stop|revert|scale' },
  { command: 'nomad run|stop' },
  { command: 'docker stack deploy|up|rm|remove|down' },
  { command: 'docker service create|update|scale|rm|remove|rollback' },
  { command: 'pulumi up|update|destroy|import|refresh|cancel', without: '--preview-only' },
  { command: 'pulumi stack rm' },
  { command: 'pulumi state delete' },
  { command: 'cdk|cdktf deploy|destroy|bootstrap|import' },
  { command: 'sam deploy|delete|sync' },
  { command: 'serverless|sls deploy|remove|rollback' },
  {
    command: 'ansible-playbook',
    without: '-C --check --syntax-check --list-hosts --list-tasks --list-tags',
  },
  { command: 'heroku config:set|config:unset|releases:rollback|rollback|ps:scale|apps:destroy|destroy' },
  { command: 'fly|flyctl deploy|destroy|scale' },
  { command: 'fly|flyctl apps|machine|machines|volumes destroy' },
  { command: 'vercel', with: '--prod' },
  { command: 'vercel rm|remove|promote|rollback' },
  { command: 'netlify deploy', with: '-p --prod' },
  { command: 'firebase deploy' },
  { command: 'npm|pnpm|yarn|bun publish', without: '--dry-run' },
  { command: 'npm|pnpm unpublish|deprecate', without: '--dry-run' },
  { command: 'yarn npm publish', without: '-n --dry-run' },
  { command: 'cargo publish', without: '-n --dry-run' },
  { command: 'cargo yank' },
  { command: 'twine upload' },
  { command: 'uv|poetry|flit|hatch|pdm publish', without: '--dry-run' },
  { command: 'gem push|yank' },
  { command: 'dotnet nuget push|delete' },
  { command: 'docker|podman|nerdctl push' },
  { command: 'docker|podman|nerdctl image push' },
  { command: 'gh release create|delete|edit|upload' },
  { command: 'gh pr merge' },
  { command: 'gh workflow run' },
  { command: 'wrangler deploy|publish|delete|rollback', without: '--dry-run' },
  { command: `aws * deploy|${cloudVerbs.replaceAll(/\w+/g, '$&-*')}`, without: '--dry-run' },
  { command: `gcloud * … ${cloudVerbs}` },
  { command: `az * … ${cloudVerbs}` },
];

/** Subcommands that only concern the machine they run on. */
export const localOnly: Readonly<Record<string, ReadonlySet<string>>> = {
  aws: new Set(['configure', 'sso', 's3', 'help']),
  gcloud: new Set(['config', 'auth', 'components', 'init', 'info', 'emulators', 'topic', 'help']),
  az: new Set(['config', 'configure', 'account', 'login', 'logout', 'extension', 'cache', 'bicep', 'help']),
};
