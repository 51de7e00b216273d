/** Names of hosts, as they are written in configurations: `api.example.com`, `*.example.org:8443`. */

const label = '[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?';

/** At least two labels, of which the last begins with a letter: so an address in digits is no name. */
const name = `(?=.{1,253}$|.{1,253}:)(?:${label}\\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?`;

const port = '(?::[1-9][0-9]{0,4})?';

/** A name, or all names below it. */
export const hostPattern = new RegExp(`^(?:\\*\\.)?${name}${port}$`);

/** By convention, these names mean the machine itself. */
function isLocal(host: string): boolean {
  return nameOf(host).endsWith('.localhost');
}

/** Whether it is the name of a host, or of all hosts below one. */
export function isHost(text: string): boolean {
  return hostPattern.test(text) && Number(portOf(text) || 443) <= 65_535 && !isLocal(text);
}

export function nameOf(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase();
}

/**
 * Whether one host or glob is at least as wide as the other: `*.example.org` covers `a.b.example.org`, and
 * without a port `a.b.example.org:443`.
 */
export function coversHost(wide: string, host: string): boolean {
  if (!coversPort(portOf(wide), portOf(host))) return false;
  const [outer, inner] = [nameOf(wide), nameOf(host)];
  if (outer === inner) return true;
  return outer.startsWith('*.') && inner.endsWith(outer.slice(1)) && inner !== outer.slice(1);
}

function coversPort(wide: string, port: string): boolean {
  return wide === port || (wide === '' && (port === '443' || port === '80'));
}

/** Each registry has one name, which is without the port if that is 443. */
export function registryName(host: string): string {
  return host.replace(/:443$/, '').toLowerCase();
}

/** Empty where the ports 443 and 80 are meant. */
function portOf(host: string): string {
  return /:(\d+)$/.exec(host)?.[1] ?? '';
}

/**
 * Hosts of models, with all below them. No program may reach one by itself: with a key of somebody else's an
 * agent could upload through it what it has read. Our own endpoint for models replaces every key.
 */
const modelHosts: readonly string[] = [
  'api.anthropic.com',
  'api.claude.com',
  'claude.ai',
  'platform.claude.com',
  'console.anthropic.com',
  'api.openai.com',
  'chatgpt.com',
  'openai.azure.com',
  'cognitiveservices.azure.com',
  'services.ai.azure.com',
  'models.inference.ai.azure.com',
  'inference.ml.azure.com',
  'models.ai.azure.com',
  'generativelanguage.googleapis.com',
  'aiplatform.googleapis.com',
  'cloudcode-pa.googleapis.com',
  'githubcopilot.com',
  'models.github.ai',
  'api.mistral.ai',
  'codestral.mistral.ai',
  'api.groq.com',
  'api.x.ai',
  'api.cohere.com',
  'api.cohere.ai',
  'api.deepseek.com',
  'api.together.xyz',
  'api.together.ai',
  'api.fireworks.ai',
  'api.perplexity.ai',
  'api.cerebras.ai',
  'api.sambanova.ai',
  'api.moonshot.ai',
  'api.moonshot.cn',
  'api.minimax.io',
  'api.z.ai',
  'open.bigmodel.cn',
  'dashscope.aliyuncs.com',
  'dashscope-intl.aliyuncs.com',
  'ark.cn-beijing.volces.com',
  'integrate.api.nvidia.com',
  'api.replicate.com',
  'api-inference.huggingface.co',
  'router.huggingface.co',
  'openrouter.ai',
  'opencode.ai',
  'ai-gateway.vercel.sh',
  'gateway.ai.cloudflare.com',
];

/** These have the region in their name. */
const regional =
  /(?:^|\.)(?:bedrock[a-z-]*\.[a-z\d-]+\.amazonaws\.com|[a-z\d-]+-aiplatform\.googleapis\.com)$/;

/**
 * Whether a host, without its port, is a model's, by the list above or because it is one of the operator's
 * `others`. Those may have ports: no port of such a host can be reached by name.
 */
export function isModelHost(host: string, others: readonly string[] = []): boolean {
  if (regional.test(host)) return true;
  const names = [...modelHosts, ...others.map(nameOf)];
  return names.some((name) => host === name || host.endsWith(`.${name}`));
}

/**
 * Words and names of hosts as a list in YAML, each once, such as `[model, '*.example.org']`: a plain text may
 * not begin with an asterisk.
 */
export function yamlList(entries: readonly string[]): string {
  const written = [...new Set(entries)].map((entry) => (entry.startsWith('*') ? `'${entry}'` : entry));
  return `[${written.join(', ')}]`;
}
