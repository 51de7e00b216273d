import type { JsonObject } from './json.ts';

/** Something in a request that does not pass. */
export interface Problem {
  /** What it is, and why it is refused; for people, without a full stop. */
  readonly reason: string;
  /** `open`: it passes where the agent's own network is open. `never`: it does not pass at all. */
  readonly unless: 'open' | 'never';
}

/** A request with what is wrong with it, and with our own settings put in. */
export interface Checked {
  readonly body: JsonObject;
  readonly problems: readonly Problem[];
}

const openHow = 'It passes where the configuration has `network: { agent: open }`';

/** A tool that the provider itself would run, or that we do not know. */
export function providerTool(type: string): Problem {
  const name = type.slice(0, 80);
  return {
    unless: 'open',
    reason: `the tool ${JSON.stringify(name)} would run at the provider, which has a network of its own. Switch it off in the agent. ${openHow}`,
  };
}

/** Something that the provider would fetch from elsewhere. */
export function fetched(what: string): Problem {
  return {
    unless: 'open',
    reason: `${what} makes the provider fetch an address. Send the content itself. ${openHow}`,
  };
}

/** Something that the provider would keep, or that it kept. */
export function stored(what: string): Problem {
  return { unless: 'never', reason: `${what} uses what a provider stores, and nothing may be stored there` };
}

/** Something that costs more than the price that we know. */
export function pricedOtherwise(what: string): Problem {
  return { unless: 'never', reason: `${what} is billed at another price, and a budget could not be kept` };
}

/** Something that sends a request elsewhere. */
export function redirected(what: string): Problem {
  return { unless: 'never', reason: `${what} would send the request elsewhere` };
}
