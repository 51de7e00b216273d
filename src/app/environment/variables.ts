import { suggestionFor } from '../../config/schema/suggestion.ts';
import { longestHoldS } from '../../steering/shapes/question.ts';

/** The variables of the environment, as environments have them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Everything that `coxswain serve` reads from the environment: variables that belong together, and what
 * people set them for. Where Probot has a variable, it has its name.
 */
export const settings: readonly { readonly names: readonly string[]; readonly about: string }[] = [
  {
    names: ['APP_ID', 'PRIVATE_KEY', 'PRIVATE_KEY_PATH', 'WEBHOOK_SECRET'],
    about:
      "from `coxswain setup`, or your App's settings page; the private key as PEM or base64 in PRIVATE_KEY, " +
      'or as a file in PRIVATE_KEY_PATH',
  },
  {
    names: ['COXSWAIN_LEDGER_KEY'],
    about:
      'from `coxswain setup` or `coxswain key`: proves what the App wrote; runs from before the App had one ' +
      'are sealed with `coxswain seal`',
  },
  { names: ['HOST', 'PORT'], about: 'where the App listens (default: 127.0.0.1 and 3000)' },
  {
    names: ['GHE_HOST', 'GHE_PROTOCOL'],
    about: 'a GitHub Enterprise Server instead of github.com, such as github.example.org, and http or https',
  },
  { names: ['WEBHOOK_PROXY_URL'], about: 'a smee.io channel, if GitHub cannot reach this machine' },
  { names: ['LOG_LEVEL'], about: 'fatal, error, warn, info, debug, trace or silent (default: info)' },
  {
    names: ['DEBUG'],
    about:
      '`coxswain:*` says on standard error why something was decided, recorded, drawn or passed over, with run ' +
      'and event; `coxswain:decide`, `coxswain:draw`, `coxswain:listen` or `coxswain:record` only that',
  },
  {
    names: ['COXSWAIN_DATA'],
    about: 'folder for mirrors and worktrees, safe to delete while the App is down (default: .coxswain)',
  },
  { names: ['COXSWAIN_CONCURRENCY'], about: 'attempts at the same time (default: 4)' },
  { names: ['COXSWAIN_SWEEP_EVERY'], about: 'how often to look for missed events (default: 5m)' },
  {
    names: ['COXSWAIN_RENDER_AFTER'],
    about: 'how long a phase must last before it is rendered (default: 3s); 0 renders every phase',
  },
  {
    names: ['COXSWAIN_HOLD_QUESTIONS'],
    about: `how long an agent is held until its question is answered (default: ${longestHoldS}s); then it is stopped, and continues with the answer`,
  },
  {
    names: ['COXSWAIN_WRITE_LIMITS'],
    about: 'github, or off where GitHub has no rate limits (default: github)',
  },
  {
    names: ['COXSWAIN_SANDBOX'],
    about:
      'required, preferred or off (default: required); without a sandbox, agents run with your own permissions',
  },
  {
    names: ['COXSWAIN_SANDBOX_READABLE'],
    about: 'paths that programs may read besides the system and its toolchains, with commas',
  },
  {
    names: ['COXSWAIN_SANDBOX_USER'],
    about: 'whom programs run as if the App is root (default: a user that nobody else is)',
  },
  {
    names: [
      ...['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_AUTH_TOKEN'],
      ...['OPENAI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    ],
    about: 'keys of models; agents reach these models, and never see the keys',
  },
  { names: ['COXSWAIN_MODEL_URL'], about: 'a gateway that answers for all of these providers' },
  {
    names: ['COXSWAIN_MODEL_HOSTS'],
    about: 'more hosts of models, with the variables of their keys (docs/sandbox.md)',
  },
  {
    names: ['COXSWAIN_AGENT_ENV'],
    about: 'names of variables to pass to agents, never to verifiers, and none with a secret',
  },
  {
    names: ['COXSWAIN_OPERATOR_FILE'],
    about: 'what repositories may ask for, and whom runs may notify, as YAML (docs/operator.md)',
  },
  { names: ['COXSWAIN_ENGINE'], about: 'local, the only one in this version' },
  {
    names: ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET', 'COXSWAIN_SESSION_KEY'],
    about:
      "from `coxswain setup`, or your App's settings page and `coxswain key --session`: with all three, people " +
      'sign in to the page with GitHub, each as themselves; COXSWAIN_PAGE_URL has to be set, too (docs/app.md)',
  },
  {
    names: ['COXSWAIN_PAGE_URL'],
    about:
      'where people open the page, such as https://coxswain.example.org; check runs then lead to the page; ' +
      'where people sign in, https or an address of this machine',
  },
  {
    names: ['COXSWAIN_PAGE_TOKEN'],
    about:
      "instead of the sign-in, a GitHub user's token: the page then acts as that user, and no other machine may " +
      'reach it; its address with the key is in `page-address` in the data folder, not in the log',
  },
];

const prefix = 'COXSWAIN_';

const known = settings
  .flatMap(({ names }) => names)
  .filter((name) => name.startsWith(prefix))
  .map((name) => name.slice(prefix.length).toLowerCase());

/** What the terminal reads, and people have set for it where they also run the App. */
const ofTerminal = ['COXSWAIN_SERVER', 'COXSWAIN_APP'];

/** The variables that begin like ours, but are none of those that were read, and what was probably meant. */
export function unknownVariables(
  variables: Variables,
  read: ReadonlySet<string>,
): readonly { readonly name: string; readonly suggestion: string | undefined }[] {
  const ours = Object.keys(variables).filter((name) => name.startsWith(prefix));
  const unknown = ours.filter((name) => !read.has(name) && !ofTerminal.includes(name));
  return unknown.map((name) => ({ name, suggestion: suggestionOf(name) }));
}

function suggestionOf(name: string): string | undefined {
  const meant = suggestionFor(name.slice(prefix.length), known);
  return meant && `${prefix}${meant.toUpperCase()}`;
}

/** These variables, and the names of those that anybody has read so far. */
export function watched(variables: Variables): {
  readonly variables: Variables;
  readonly read: ReadonlySet<string>;
} {
  const read = new Set<string>();
  const get = (all: Variables, name: string | symbol) => {
    read.add(String(name));
    return all[String(name)];
  };
  return { variables: new Proxy(variables, { get }), read };
}
