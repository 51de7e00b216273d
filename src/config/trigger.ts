import { minimalConfig } from './minimal.ts';
import { labels } from './schema/runs.ts';
import { parseYaml } from './yaml.ts';

/**
 * The label that starts runs, as a configuration names it. Whatever else is wrong there: whoever sets the
 * label then gets an explanation.
 */
export function triggerIn(text: string): string {
  const parsed = parseYaml(text, minimalConfig());
  const document = parsed.outcome === 'parsed' ? parsed.document : undefined;
  const written = typeof document === 'object' && document !== null && 'labels' in document ? document : {};
  const read = labels.safeParse('labels' in written ? written.labels : undefined);
  return read.success ? read.data.trigger : labels.parse(undefined).trigger;
}
