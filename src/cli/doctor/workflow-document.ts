import { load, YAMLException } from 'js-yaml';

/** What a workflow says, of whatever shape; undefined if it is no YAML, and so no workflow. */
export function workflowDocument(text: string): unknown {
  try {
    return load(text, { maxAliases: 100, maxDepth: 50 });
  } catch (fault) {
    if (fault instanceof YAMLException) return undefined;
    throw fault;
  }
}
