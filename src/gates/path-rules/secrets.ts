import { matching, type PathRule, sources } from './path-rule.ts';

/** Variables of the environment. */
const environments = [
  '**/.env',
  '**/.env.*',
  '**/.env-*',
  '**/.envrc',
  '**/*.env',
  '**/.flaskenv',
  '**/.dev.vars{,.*}',
];

/** What programs log in with: clients of registries, clouds, clusters, databases and Git. */
const logins = [
  '**/.{npmrc,netrc,git-credentials,pypirc,pgpass,my.cnf,mylogin.cnf,vault-token,htpasswd}',
  '**/.{s3cfg,boto,dockercfg,dockerconfigjson,terraformrc,rediscli_auth,vault_pass,vault_password,vault-pass}',
  '**/{_netrc,htpasswd,terraform.rc,credentials.tfrc.json,vault_pass,vault_password}{,.txt}',
  '**/.{vault_pass,vault_password,vault-pass}.txt',
  '**/.docker/config.json',
  '**/.kube/config{,.*}',
  '**/{,*.}kubeconfig{,.yml,.yaml,.json}',
  '**/gh/hosts.yml',
  '**/.aws/credentials',
  '**/.azure/{accesstokens,msal_token_cache,azureprofile}.{json,bin}',
  '**/.config/gcloud/**',
  '**/application_default_credentials.json',
  '**/.cargo/credentials{,.toml}',
  '**/.m2/settings{,-security}.xml',
  '**/auth.json',
  '**/.streamlit/secrets.toml',
  '**/wp-config.php',
  '**/etc/{,g}shadow{,-}',
];

/** Private keys, and stores of them. */
const keys = [
  '**/.ssh/**',
  '**/.gnupg/**',
  '**/id_{rsa,dsa,ecdsa,ed25519,ecdsa_sk,ed25519_sk,xmss}',
  '**/ssh_host_*_key',
  '**/*_{rsa,dsa,ecdsa,ed25519}',
  '**/*.{pem,key,p8,p12,pfx,pkcs8,pkcs12,jks,jceks,bks,keystore,ppk,kdbx,kdb,agekey,pgp,gpg,ovpn,keytab}',
  '**/{private,secret}[-_]key{,.txt,.asc}',
  '**/{key,keystore,signing}.properties',
  '**/secring.*',
];

/** Data, not source code: `credentials.ts` is a program about credentials. */
const data = [
  '**/{secrets,.secrets}/**',
  '**/{.secrets,credentials}',
  '**/*.{secret,secrets}',
  '**/{credential,credentials,secret,secrets}.{json,json5,yml,yaml,toml,ini,xml,csv,txt,properties,cfg,conf,tfvars,plist}',
  '**/{credentials,secrets}{,.*,-*}.{yml,yaml,json}',
  '**/{*[-_.],}{secret,secrets}.{yml,yaml,json,tfvars,toml}',
  '**/{service-account,service_account,serviceaccount}*.json',
  '**/*{-service-account,_service_account,firebase-adminsdk}*.json',
  '**/{client_secret,client-secret,oauth_credentials,gcp-key,gcloud-key}*.json',
  '**/*.tfstate{,.backup}',
];

/** Made to be read by everyone, without anything that is secret. */
const examples = [
  '**/.env{.,-}{example,sample,template,tmpl,dist,default,defaults,schema}',
  '**/.env{.,-}*.{example,sample,template,tmpl,dist}',
  '**/.env.{example,sample,template}.*',
  '**/{example,sample,template}.env',
  '**/*.{example,sample,template,tmpl,dist}{,.*}',
  '**/{public,pub,*.pub,*[-_]public,*[-_]pub,public[-_]key}.{pem,key,asc,gpg}',
  `**/*.${sources}`,
  '**/{secrets,.secrets}/**/*.{md,mdx,rst,adoc}',
  '**/{.gitkeep,.gitignore}',
];

/** `wp-config.php` is source code, and is where WordPress keeps its password. */
const isSecret = matching([...environments, ...logins, ...keys, ...data], examples);
const inSources = matching(['**/wp-config.php', '**/.ssh/**', '**/.gnupg/**']);

/** Files that hold what must stay secret, by their names. */
export const touchesSecrets: PathRule = {
  matches: (path) => isSecret(path) || inSources(path),
};
