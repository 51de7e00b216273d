import { matching, type PathRule, settings } from './path-rule.ts';

/** Folders of deployment configuration; outside them, a folder `production` is an ordinary one. */
const operations =
  '{deploy,deploys,deployment,deployments,k8s,kubernetes,kube,infra,infrastructure,terraform,tf,terragrunt,live,helm,helmfile,chart,charts,kustomize,overlays,manifests,environments,environment,envs,env,config,configs,conf,clusters,cluster,argocd,flux,gitops,ansible,inventory,inventories,group_vars,host_vars,ops,devops,nomad,pulumi,stacks,cloudformation,cdk,docker,compose,releases}';

const production = '{prod,production,prd}';

/** Named for a build that is optimized, not for where it runs. */
const builds = [
  '**/{tsconfig,jsconfig,webpack,rollup,vite,babel,.babelrc,.eslintrc,jest,karma,angular,.swcrc,metro,esbuild,rspack}*',
  '**/{node_modules,vendor,testdata,fixtures,__fixtures__}/**',
  '**/*.{example,sample,template}.*',
];

/** Files of production configuration, by their names. */
export const changesProduction: PathRule = {
  matches: matching(
    [
      `**/${operations}/**/${production}/**`,
      `**/${operations}/**/{,*[-._]}${production}.${settings}`,
      `**/${operations}/**/${production}[-._]*.${settings}`,
      `**/environments/**/${production}.rb`,
      `**/${production}.${settings}`,
      // `application-prod.yml`, `docker-compose.prod.yml`, `appsettings.Production.json`, `fly.production.toml`
      `**/*[-._]${production}.${settings}`,
      '**/config/{prod,production,runtime}.exs',
      '{,*/,apps/*/,packages/*/}config/{,env/,environments/}{prod,production}.{js,cjs,mjs}',
      '**/config/deploy/{prod,production}.rb',
      '**/settings/{prod,production}.py',
      `**/{host_vars,group_vars}/${production}`,
      `**/{inventory,inventories,ansible}/{,**/}${production}`,
    ],
    builds,
  ),
};
