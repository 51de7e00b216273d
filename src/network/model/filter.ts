import type { Usage } from '../spending/tokens.ts';
import type { Checked } from './checked.ts';
import { likelyUsage } from './expected.ts';
import { checkMessages } from './filter-anthropic.ts';
import { checkGemini } from './filter-gemini.ts';
import { checkChat, checkResponses } from './filter-openai.ts';
import type { JsonObject } from './json.ts';
import { isModelName } from './model-name.ts';
import type { Provider } from './providers.ts';
import type { Refusal } from './refusal.ts';
import type { Format, Route } from './routes.ts';

/** A request as it is sent on. */
export interface Passed {
  /** As we wrote it, so that the provider cannot read it in another way than we did. */
  readonly body: Buffer;
  /** What it will probably use. */
  readonly likely: Usage;
}

interface Context {
  readonly provider: Provider;
  readonly route: Extract<Route, { readonly format: Format }>;
  /** Whether a provider may use the network for the agent, because the agent may itself. */
  readonly providerTools: boolean;
}

/**
 * Lets through what only makes a model think. Refused is what makes the provider fetch from the network or
 * run programs, which would be a way out for data; what it would store; and what is priced in another way.
 */
export function filter(body: JsonObject, context: Context): Passed | Refusal {
  const { route, providerTools } = context;
  const checked = check(body, context);
  const problem = checked.problems.find(({ unless }) => unless === 'never' || !providerTools);
  if (problem !== undefined) return { status: 400, reason: problem.reason };
  const model = route.kind === 'inference' && route.model !== undefined ? route.model : body['model'];
  if (route.kind === 'inference' && !isModelName(model))
    return { status: 400, reason: 'the request does not name a model' };
  const sent = Buffer.from(JSON.stringify(checked.body));
  return { body: sent, likely: likelyUsage(checked.body, String(model)) };
}

function check(body: JsonObject, { provider, route }: Context): Checked {
  if (route.format === 'messages') return checkMessages(body);
  if (route.format === 'gemini') return checkGemini(body);
  if (route.format === 'responses') return checkResponses(body);
  return checkChat(body, { isOpenAi: !provider.added });
}
