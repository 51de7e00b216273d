import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Whether the tests, and with them the jobs, run as root. */
export const isRoot = process.getuid?.() === 0;

/** Whether a program of the machine works, and what it says if it does not. */
interface Machine {
  /** Bubblewrap is there before anything is installed. */
  readonly hasBubblewrap?: true;
  /** AppArmor forbids bubblewrap: until it has a profile, or until nothing is forbidden any more. */
  readonly forbidden?: 'without_profile' | 'without_sysctl';
  /** What `apt-get install` says before it fails. */
  readonly refuses?: string;
}

/** A search path with the programs of this machine, but with fakes of what only root may do, which keep a record. */
export class RootPrograms {
  readonly #dir = mkdtempSync(join(tmpdir(), 'coxswain-root-'));

  constructor({ hasBubblewrap, forbidden, refuses }: Machine) {
    const bin = join(this.#dir, 'bin');
    mkdirSync(bin);
    linkPrograms(bin);
    const record = `echo "$(basename "$0") $*" >> ${this.#dir}/calls`;
    const program = (name: string, ...lines: readonly string[]) =>
      writeFileSync(join(bin, name), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
    // Where they are also seen from within the sandbox, in which bubblewrap is started once more for root.
    const isForbidden = `! [ -e ${bin}/${forbidden === 'without_sysctl' ? 'is-allowed' : 'has-profile'} ]`;
    const refusal = 'echo "bwrap: setting up uid map: Permission denied" >&2; exit 1';
    const isAbout = '[ "$1" = --version ] && exit 0';
    const runs = `exec ${realBubblewrap()} "$@"`;
    const bubblewrap = [isAbout, ...(forbidden ? [`if ${isForbidden}; then ${refusal}; fi`] : []), runs];
    program('bwrap.installed', ...bubblewrap);
    if (hasBubblewrap) program('bwrap', ...bubblewrap);
    // Root needs none, and the image of a container may have none.
    if (!isRoot) program('sudo', record, 'shift; exec "$@"');
    const install =
      refuses === undefined ? `mv ${bin}/bwrap.installed ${bin}/bwrap` : `echo "${refuses}" >&2; exit 100`;
    program('apt-get', record, `case "$*" in *install*) ${install};; esac`);
    program(
      'apparmor_parser',
      record,
      ...(forbidden === 'without_sysctl'
        ? ['echo "no such abi" >&2; exit 1']
        : [`cp "$2" ${this.#dir}/profile && touch ${bin}/has-profile`]),
    );
    program('sysctl', record, `touch ${bin}/is-allowed`);
  }

  /** The `PATH` of a job on this machine. */
  get path(): string {
    return join(this.#dir, 'bin');
  }

  /** Every call of what only root may do since the last time. */
  calls(): readonly string[] {
    const file = join(this.#dir, 'calls');
    const said = readFileSync(file, { encoding: 'utf8', flag: 'a+' });
    rmSync(file);
    return said.split('\n').filter((line) => /^(apt-get|apparmor_parser|sysctl) /.test(line));
  }

  get profile(): string {
    return readFileSync(join(this.#dir, 'profile'), 'utf8');
  }

  remove(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

/** Behind the fake one. */
function realBubblewrap(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'bwrap')).find(existsSync) ?? 'bwrap';
}

const faked = new Set(['bwrap', 'sudo', 'apt-get', 'apparmor_parser', 'sysctl']);

/** Links every program of the search path, as a shell would find it. */
function linkPrograms(bin: string): void {
  const known = new Set(faked);
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const name of namesIn(folder)) {
      if (known.has(name)) continue;
      known.add(name);
      symlinkSync(join(folder, name), join(bin, name));
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    accessSync(folder, constants.R_OK);
    return readdirSync(folder);
  } catch {
    return []; // A folder of the search path need not exist.
  }
}
