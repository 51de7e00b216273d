import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import type { Report } from '../../steering/shapes/attempt-result.ts';

const shortText = z.string().max(10_000);

const toolCall = z.object({
  kind: shortText,
  title: shortText,
  command: z.exactOptional(shortText),
  outcome: z.enum(['ok', 'failed', 'denied', 'unknown']),
});

/** The JSON an agent may write to `COXSWAIN_REPORT_FILE`; unknown keys are ignored. */
const reportSchema = z.object({
  summary: shortText,
  status: z.enum(['done', 'uncertain', 'cannot']),
  tool_calls: z.array(toolCall).max(10_000).default([]),
  question: z.exactOptional(shortText),
});

/** Part of a report, as a script gives it: keys that are left out keep their value. */
export const partialReportSchema = z.strictObject({
  summary: z.exactOptional(shortText),
  status: z.exactOptional(reportSchema.shape.status),
  tool_calls: z.exactOptional(z.array(toolCall)),
  question: z.exactOptional(shortText),
});

type ReportRead =
  | { readonly kind: 'none' }
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'incoherent'; readonly why: string };

const maxBytes = 1024 * 1024;

const example = '{"summary": "Fixed the sum", "status": "done", "tool_calls": []}';

/**
 * Reads the report that an agent wrote. The path is untrusted: it may be a symlink, a FIFO or a huge file.
 */
export async function readReport(path: string): Promise<ReportRead> {
  const text = await readPlainFile(path);
  if (text === undefined) return { kind: 'none' };
  if (text.length > maxBytes) return incoherent(`it is longer than ${maxBytes} bytes`);
  try {
    return { kind: 'report', report: reportSchema.parse(JSON.parse(text)) };
  } catch (cause) {
    if (cause instanceof SyntaxError) return incoherent(`it is not JSON: ${cause.message}`);
    if (cause instanceof z.ZodError) return incoherent(z.prettifyError(cause));
    throw cause;
  }
}

function incoherent(why: string): ReportRead {
  return { kind: 'incoherent', why: `${why}; expected something like ${example}` };
}

const notPlain = '(not a plain file)';

/**
 * Never follows a link, waits for a writer or reads beyond the limit. Undefined when there is no file.
 */
async function readPlainFile(path: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(unreadable);
  if (file === undefined || file === notPlain) return file;
  try {
    if (!(await file.stat()).isFile()) return notPlain;
    const buffer = Buffer.alloc(maxBytes + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** ELOOP: it is a symbolic link, which counts as no report. ENXIO: it is a socket. */
function unreadable(cause: NodeJS.ErrnoException): undefined | typeof notPlain {
  if (cause.code === 'ENOENT' || cause.code === 'ELOOP') return undefined;
  if (cause.code === 'ENXIO' || cause.code === 'EACCES') return notPlain;
  throw new Error("could not read the agent's report", { cause });
}
