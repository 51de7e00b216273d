import { simpleGit } from 'simple-git';

/** A commit as it is listed. */
export interface LoggedCommit {
  readonly sha: string;
  readonly subject: string;
  readonly body: string;
  readonly author: string;
  /** ISO 8601 with offset. */
  readonly date: string;
}

/** The commits that `to` has and `from` has not, newest first. */
export async function commitsBetween(
  gitDir: string,
  { from, to, most = 250 }: { from: string; to: string; most?: number },
): Promise<readonly LoggedCommit[]> {
  const log = await simpleGit({
    baseDir: gitDir,
    timeout: { block: 60_000 },
    config: ['log.showSignature=false'],
  })
    .env({ PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: '/dev/null', LC_ALL: 'C.UTF-8' })
    .log({ from, to, symmetric: false, maxCount: most });
  return log.all.map((commit) => ({
    sha: commit.hash,
    subject: commit.message,
    body: commit.body,
    author: commit.author_name,
    date: commit.date,
  }));
}
