/** Short forms of a configuration are written out before a schema reads it. */

type Mapping = Readonly<Record<string, unknown>>;

/** `agent: codex` is short for `agent: {use: codex}`, also under `agents`; stages have short forms, too. */
export function withLongForms(document: unknown): unknown {
  if (!isMapping(document)) return document;
  const { pipelines: named } = document;
  return changed(document, {
    agent: longAgent,
    agents: (agents) => each(agents, longAgent),
    stages: (stages) => longStages(typeof stages === 'string' ? stagesNamed(stages, named) : stages),
    pipelines: (pipelines) => each(pipelines, longStages),
    review: longReview,
  });
}

function longAgent(agent: unknown): unknown {
  return typeof agent === 'string' ? { use: agent } : agent;
}

/** Those that every configuration can name, in place of a list of stages. */
export const shippedStages: Readonly<
  Record<string, readonly { readonly name: string; readonly approve?: boolean }[]>
> = {
  implement: [{ name: 'implement' }],
  'plan-first': [{ name: 'plan', approve: true }, { name: 'implement' }],
  reviewed: [{ name: 'implement' }, { name: 'review' }],
};

/** The stages of a pipeline by its name; the name itself if there is none. */
function stagesNamed(name: string, named: unknown): unknown {
  const own = isMapping(named) && Object.hasOwn(named, name) ? named[name] : undefined;
  return own ?? (Object.hasOwn(shippedStages, name) ? shippedStages[name] : name);
}

function longReview(review: unknown): unknown {
  if (review === 'none') return undefined;
  if (typeof review === 'string') return { agent: longAgent(review) };
  return isMapping(review) ? changed(review, { agent: longAgent }) : review;
}

/** A name is short for a stage, a text for its instructions, and one check for a list of it. */
function longStages(stages: unknown): unknown {
  if (!Array.isArray(stages)) return stages;
  return stages.map((stage: unknown) => {
    if (typeof stage === 'string') return { name: stage };
    if (!isMapping(stage)) return stage;
    return changed(stage, {
      agent: longAgent,
      instructions: (text) => (typeof text === 'string' ? { text } : text),
      check: (check) => (check === 'none' ? [] : isMapping(check) ? [check] : check),
    });
  });
}

/** The same with other values at the keys that are there. */
function changed(mapping: Mapping, by: Readonly<Record<string, (value: unknown) => unknown>>): Mapping {
  const change = (key: string, value: unknown) => (Object.hasOwn(by, key) ? by[key]?.(value) : value);
  return Object.fromEntries(Object.entries(mapping).map(([key, value]) => [key, change(key, value)]));
}

function each(mapping: unknown, change: (value: unknown) => unknown): unknown {
  if (!isMapping(mapping)) return mapping;
  return Object.fromEntries(Object.entries(mapping).map(([name, value]) => [name, change(value)]));
}

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
