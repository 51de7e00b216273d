/**
 * As root, the programs of agents are another user, who must be able to read what we make for them: with the
 * umask of a hardened service they could not. Our own secrets are made with a mode of their own.
 */
export function letProgramsRead(): void {
  if (process.getuid?.() === 0) process.umask(0o022);
}
