import { nameOf } from './hosts.ts';

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

/** Those with the region in their name. */
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
