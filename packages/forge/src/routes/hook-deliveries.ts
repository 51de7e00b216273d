import type { Json } from '../json.ts';
import type { Delivery } from '../model.ts';
import { notFound, ok } from '../responses.ts';
import { type AppRequest, appRoute, type Route } from '../router.ts';
import { redeliver } from '../webhooks.ts';
import { numberOf } from './shared.ts';

export const deliveryRoutes: Route[] = [
  appRoute('GET /app/hook/config', ({ app }) => {
    return ok({ url: app.webhook_url, content_type: 'json', insecure_ssl: '0', secret: '********' });
  }),
  /** Newest first; the `Link` header has a cursor to the next page. */
  appRoute('GET /app/hook/deliveries', (request) => {
    const size = Math.min(100, Math.max(1, Number(request.query.get('per_page') ?? 30) || 30));
    const cursor = cursorIn(request.query.get('cursor'));
    const status = request.query.get('status');
    const deliveries = deliveriesOf(request)
      .filter((one) => status === null || (status === 'success') === one.status_code < 400)
      .reverse()
      .filter((one) => cursor === undefined || one.id <= cursor);
    const next = deliveries[size];
    const link = next ? { link: `<${addressOf(request, next.id)}>; rel="next"` } : undefined;
    return ok(deliveries.slice(0, size).map(deliverySummary), link);
  }),
  appRoute('GET /app/hook/deliveries/{delivery_id}', (request) => {
    const delivery = deliveryIn(request);
    const { request: sent, response } = delivery;
    return ok({ ...deliverySummary(delivery), url: request.app.webhook_url, request: sent, response });
  }),
  appRoute('POST /app/hook/deliveries/{delivery_id}/attempts', (request) => {
    redeliver(request.context, request.app, deliveryIn(request));
    return { status: 202, body: {} };
  }),
];

const retentionMs = 3 * 24 * 60 * 60 * 1000;

function cursorIn(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  return Number(/^v1_(\d+)$/.exec(text)?.[1] ?? 0);
}

function addressOf(request: AppRequest, id: number): string {
  const query = new URLSearchParams(request.query);
  query.set('cursor', `v1_${id}`);
  return `${request.address}?${query}`;
}

/** The finished deliveries of the last three days. */
function deliveriesOf({ context, app }: AppRequest): Delivery[] {
  const oldest = context.now().getTime() - retentionMs;
  return context.store.data.deliveries.filter(
    (one) => one.app_id === app.id && one.status !== 'pending' && Date.parse(one.delivered_at) >= oldest,
  );
}

function deliveryIn(request: AppRequest): Delivery {
  const id = numberOf(request.params['delivery_id']);
  const delivery = deliveriesOf(request).find((one) => one.id === id);
  if (!delivery) throw notFound();
  return delivery;
}

function deliverySummary(delivery: Delivery): Json {
  const { id, guid, delivered_at, redelivery, duration, status, status_code } = delivery;
  const { event, action, installation_id, repository_id } = delivery;
  return {
    id,
    guid,
    delivered_at,
    redelivery,
    duration,
    status,
    status_code,
    event,
    action,
    installation_id,
    repository_id,
    throttled_at: null,
  };
}
