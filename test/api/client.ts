import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Document, OpenAPIClientAxios } from 'openapi-client-axios';

/** An answer of the API, which fits its description. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // What a test expects of it is what it knows of it.
  // biome-ignore lint/suspicious/noExplicitAny: each operation answers something else
  readonly data: any;
}

/** What an operation is asked with: everything in paths, queries and headers by its name. */
export type Asked = Readonly<Record<string, string | number>>;

export interface Client {
  /** Throws if the answer does not fit the description. */
  call(operation: string, asked?: Asked, body?: unknown): Promise<Answer>;
  readonly operations: readonly string[];
}

/** A client that is generated from the description that the App serves. */
export async function clientOf(url: string, token?: string): Promise<Client> {
  const response = await fetch(`${url}/api/v1/openapi.json`);
  return generated((await response.json()) as Document, { url, token }); // the App's own description
}

function generated(
  definition: Document,
  { url, token }: { url: string; token?: string | undefined },
): Client {
  const api = new OpenAPIClientAxios({
    definition: structuredClone(definition),
    axiosConfigDefaults: {
      baseURL: url,
      proxy: false,
      validateStatus: () => true,
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    },
  });
  const client = api.initSync();
  const validatorFor = validatorsOf(definition);
  return {
    operations: api.getOperations().map(({ operationId = '' }) => operationId),
    call: async (operation, asked = {}, body) => {
      const method = client[operation];
      if (method === undefined) throw new Error(`there is no operation ${operation}`);
      const { status, headers, data } = await method({ ...asked }, body);
      const { path, method: verb } = api.getOperation(operation) ?? {};
      const type = String(headers['content-type']).split(';', 1)[0] ?? '';
      const validate = validatorFor([path ?? '', verb ?? '', String(status), type]);
      if (!validate(data))
        throw new Error(
          `${operation} answered ${status}, which is not as described: ${JSON.stringify(validate.errors)}`,
        );
      return { status, headers: { ...headers }, data };
    },
  };
}

/** By path, method, status and media type. Throws for an answer that is not described. */
function validatorsOf(
  definition: Document,
): (answer: readonly [string, string, string, string]) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema({ ...definition, $id: 'api' });
  return ([path, method, status, type]) => {
    const at = ['paths', path, method, 'responses', status];
    // A description refers to what several operations answer.
    const referred = valueAt(definition, [...at, '$ref']);
    const answer = typeof referred === 'string' ? referred.split('/').slice(1) : at;
    const validate = ajv.getSchema(`api#/${[...answer, 'content', type, 'schema'].map(escaped).join('/')}`);
    if (validate === undefined) throw new Error(`${method} ${path} does not describe ${status} as ${type}`);
    return validate;
  };
}

function valueAt(document: object, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((value, key) => Object(value)[key], document);
}

function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}
