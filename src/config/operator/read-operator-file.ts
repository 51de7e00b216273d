import type { RegistrySettings } from '../../steering/shapes/settings.ts';
import { checkAll, isAmong, problemAt, type Reading } from '../problems.ts';
import type { Problem } from '../schema/config-problem.ts';
import { valueAt, withLongForms } from '../schema/document.ts';
import { reachBeyond, uses } from '../schema/operator-bounds.ts';
import { defined } from '../schema/schema-forms.ts';
import { type LineOf, linesIn, parseYaml } from '../yaml.ts';
import { type OperatorFile, operatorSchema, type WrittenOperatorFile } from './operator-schema.ts';
import { type Variables, valueProblems, withValues } from './targets.ts';

type OperatorReading =
  | { readonly outcome: 'read'; readonly file: OperatorFile }
  | { readonly outcome: 'invalid'; readonly problems: readonly Problem[] };

/** A complete example, shown where the file cannot be read as YAML. */
const example = "version: 1\nrepositories: ['acme/*']\n";

/**
 * Reads and checks the operator's file. All problems come at once, and nothing that people write in it makes
 * this throw. `variables` is the environment, in which the tokens of registries and the
 * addresses and secrets of targets are.
 */
export function readOperatorFile(text: string, variables: Variables): OperatorReading {
  const parsed = parseYaml(text, example);
  if (parsed.outcome === 'unreadable') return { outcome: 'invalid', problems: [parsed.problem] };
  return read(parsed.document, linesIn(text), variables);
}

/** Reads a list that is only its `notify`: the operator of the Action is whoever writes the workflow. */
export function readTargets(text: string, variables: Variables): OperatorReading {
  const parsed = parseYaml(text, '- { name: builds, to: slack, url_env: BUILDS_URL }\n');
  if (parsed.outcome === 'unreadable')
    return { outcome: 'invalid', problems: [{ ...parsed.problem, path: 'notify' }] };
  return read({ version: 1, notify: parsed.document }, () => undefined, variables);
}

function read(written: unknown, lineOf: LineOf, variables: Variables): OperatorReading {
  const document = withLongForms(operatorSchema, written);
  const reading = { document, schema: operatorSchema, lineOf };
  const { problems, data, mended } = checkAll(reading);
  if (data === undefined) return { outcome: 'invalid', problems };
  const isBoundRead = !mended.some(([key]) => key === 'network');
  const together = [
    ...unsetTokens(data, { reading, variables }),
    ...valueProblems(data.notify, { reading, variables }),
    ...(isBoundRead ? defaultsBeyond(data, reading) : []),
  ].filter(({ path }) => !isAmong(path, mended));
  if (problems.length + together.length > 0)
    return { outcome: 'invalid', problems: [...problems, ...together] };
  const registries = data.registries.map((each) => ({ ...each, ...secretOf(each, variables) }));
  const notify = data.notify.map((each) => withValues(each, variables));
  return { outcome: 'read', file: { ...data, registries, notify } };
}

function secretOf({ token_env }: RegistrySettings, variables: Variables) {
  return token_env === undefined ? {} : defined({ secret: variables[token_env] });
}

function unsetTokens(
  { registries }: WrittenOperatorFile,
  { reading, variables }: { readonly reading: Reading; readonly variables: Variables },
): Problem[] {
  return registries.flatMap(({ token_env }, index) => {
    if (token_env === undefined || (variables[token_env] ?? '') !== '') return [];
    const expected = 'the name of a variable that is set in the environment of the App';
    return [problemAt(['registries', index, 'token_env'], expected, reading)];
  });
}

/** No repository would get such a default: the bound holds for what repositories do not write, too. */
function defaultsBeyond({ bounds }: WrittenOperatorFile, reading: Reading): Problem[] {
  return uses.flatMap((use) => {
    const at = ['defaults', 'network', use];
    const value = valueAt(reading.document, at);
    const violations = value === undefined ? [] : reachBeyond(value, use, bounds.network);
    return violations.map(({ path = [], bound, allowed }) =>
      problemAt([...at, ...path], `${allowed} (the bound ${bound} of this file)`, reading),
    );
  });
}
