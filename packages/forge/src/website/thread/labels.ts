import type { Issue } from '../../model.ts';
import { atLeast } from '../../permissions.ts';
import { form, labelsOn, labelTag } from '../components.ts';
import { type Html, html } from '../html.ts';
import type { Deed, RepositoryVisit } from '../visit.ts';

/** The labels of an issue, and for those who may, a picker. */
export function labelSection(visit: RepositoryVisit, issue: Issue): Html {
  const labels = labelsOn(visit.context, issue);
  const mayLabel = atLeast(visit.role, 'triage');
  const tags = labels.map(
    (label) => html`<li>${labelTag(label)}${mayLabel && removal(visit, label.name)}</li>`,
  );
  const list = html`<ul class="plain labels">${tags}</ul>`;
  return html`<section aria-labelledby="labels"><h2 id="labels">Labels</h2>
${labels.length === 0 ? html`<p class="muted">None yet</p>` : list}
${mayLabel && picker(visit, issue)}</section>`;
}

function removal(visit: RepositoryVisit, name: string): Html {
  const content = html`<button class="plain" title="Remove ${name}"><span aria-hidden="true">×</span><span class="hidden">Remove the label ${name}</span></button>`;
  return form(visit, { does: 'unlabel', fields: { name } }, content);
}

function picker(visit: RepositoryVisit, issue: Issue): Html {
  const others = visit.repository.labels.filter(({ id }) => !issue.label_ids.includes(id));
  const choices = others.map(
    (label) =>
      html`<li>${form(visit, { does: 'label', fields: { name: label.name } }, html`<button title="Add this label">${labelTag(label)}</button>`)}</li>`,
  );
  const content = html`<label>Another label<input type="text" name="name" maxlength="50" required></label> <button>Add</button>`;
  return html`<details id="label-picker"><summary>Add a label</summary>
<ul class="plain labels">${choices}</ul>
${form(visit, { does: 'label', className: 'fields' }, content)}</details>`;
}

const label: Deed = async (visit, { params, form: fields }) => {
  const labels = [fields.get('name') ?? ''];
  await visit.api('POST', `/repos${visit.at}/issues/${Number(params['number'])}/labels`, { labels });
  return visit.path;
};

const unlabel: Deed = async (visit, { params, form: fields }) => {
  const name = encodeURIComponent(fields.get('name') ?? '');
  await visit.api('DELETE', `/repos${visit.at}/issues/${Number(params['number'])}/labels/${name}`);
  return visit.path;
};

export const labelDeeds = { label, unlabel };
