import { posix } from 'node:path';
import type { GateHit } from '../../steering/attempt-result.ts';
import { isLooseMode } from '../commands/rules/loosens-permissions.ts';
import { touchesSecrets } from '../path-rules/secrets.ts';
import { hitAt } from '../rules.ts';
import type { Patch } from './patch.ts';

/** What Git keeps besides files: symbolic links, submodules and modes. */
export function linkHits(patch: Patch): readonly GateHit[] {
  return [...symbolicLink(patch), ...submodules(patch), ...modes(patch)];
}

/** A link that leads out of the repository, or to secrets: whoever reads the file reads what is there. */
function symbolicLink({ change: { path, status }, mode, added }: Patch): readonly GateHit[] {
  const [line] = added;
  if (mode !== '120000' || status === 'deleted' || line === undefined) return [];
  const target = line.text.trim();
  const resolved = posix.normalize(posix.join(posix.dirname(path), target));
  const leadsOut = posix.isAbsolute(target) || resolved.startsWith('..');
  if (touchesSecrets.matches(resolved.replace(/^[./]+(?=[^/]*\/)/, '')) || touchesSecrets.matches(resolved)) {
    return [
      hitAt(
        'touches-secrets',
        { path, allows: 'whatever reads this file reads a secret' },
        `a link to ${target}`,
      ),
    ];
  }
  if (!leadsOut) return [];
  const allows = 'whatever reads or writes this file reads or writes outside of the repository';
  return [hitAt('loosens-permissions', { path, allows }, `a link out of the repository, to ${target}`)];
}

/** The code of a submodule comes from where `.gitmodules` says. */
function submodules({ change: { path }, added }: Patch): readonly GateHit[] {
  if (path !== '.gitmodules') return [];
  return added
    .filter(({ text }) => /^\s*(?:url|update)\s*=/.test(text))
    .map(({ number, text }) =>
      hitAt(
        'runs-remote-code',
        { path, line: number, allows: 'builds and people run the code from there' },
        text,
      ),
    );
}

function modes({ change: { path }, mode = '' }: Patch): readonly GateHit[] {
  const [, bits = '0'] = /^100(\d{3})$/.exec(mode) ?? [];
  return isLooseMode(bits) ? [hitAt('loosens-permissions', { path }, `its mode is ${mode}`)] : [];
}
