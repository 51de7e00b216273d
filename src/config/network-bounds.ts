import type { NetworkSettings, Reach } from '../steering/settings.ts';
import { coversHost, isHost } from './hosts.ts';
import { valueAt } from './json-schema.ts';
import type { Path } from './problem.ts';
import { uses } from './schema/network.ts';

/** What the configuration asks for beyond the operator's bound; the document has passed the schema. */
export function networkViolations(bound: NetworkSettings | undefined, document: unknown): Violation[] {
  if (bound === undefined) return [];
  return uses.flatMap((use) =>
    writtenAt(['network', use], document)
      .filter(({ entry }) => entry !== 'none' && !isWithin(bound[use], entry))
      .map(({ path }) => ({ path, bound: `network.${use}`, allowed: allowedBy(bound[use]) })),
  );
}

/** The reaches without what the bound does not have. */
export function networkWithin(bound: NetworkSettings | undefined, asked: NetworkSettings): NetworkSettings {
  if (bound === undefined) return asked;
  return {
    setup: asked.setup.filter((entry) => isWithin(bound.setup, entry)),
    agent: asked.agent.filter((entry) => isWithin(bound.agent, entry)),
    verifiers: asked.verifiers.filter((entry) => isWithin(bound.verifiers, entry)),
  };
}

/** `open` includes the models, the public registries and every host. */
export function isWithin(bound: Reach, entry: string): boolean {
  if (bound.includes(entry)) return true;
  if (entry === 'model' || entry === 'registries') return bound.includes('open');
  return isHost(entry) && bound.some((wide) => wide === 'open' || (isHost(wide) && coversHost(wide, entry)));
}

/** The words and hosts of a bound, for people to choose from. */
export function allowedBy(bound: Reach): string {
  return bound.length === 0 ? 'none' : [...bound, 'none'].join(', ');
}

interface Written {
  readonly path: Path;
  readonly entry: string;
}

/** A word, or each entry of a list. */
function writtenAt(path: Path, document: unknown): readonly Written[] {
  const value = valueAt(document, path);
  if (!Array.isArray(value)) return typeof value === 'string' ? [{ path, entry: value.toLowerCase() }] : [];
  return value.map((each, index) => ({ path: [...path, index], entry: String(each).toLowerCase() }));
}

/** What a repository may not set, and the bound that says so. */
export interface Violation {
  readonly path: Path;
  /** As it is written in the operator's file. */
  readonly bound: string;
  readonly allowed: string;
  /** A value that is within the bound, if one is obvious. */
  readonly example?: unknown;
}
