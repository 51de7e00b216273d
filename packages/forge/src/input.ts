import { isObject, type Json } from './model.ts';
import { HttpError, invalidRequest } from './responses.ts';

/** Reads the fields of a request's JSON body; a wrong type is a 422 with GitHub's message. */
export class Input {
  readonly fields: Json;

  constructor(body: unknown) {
    if (body !== undefined && !isObject(body)) {
      throw new HttpError(400, 'Body should be a JSON object');
    }
    this.fields = body ?? {};
  }

  has(name: string): boolean {
    return this.fields[name] !== undefined;
  }

  /** Undefined if the field is absent or null. */
  #value<Value>(name: string, wanted: string, is: (value: unknown) => value is Value): Value | undefined {
    const value = this.fields[name];
    if (value === undefined || value === null || is(value)) return value ?? undefined;
    throw wrongType(name, value, wanted);
  }

  text(name: string): string | undefined {
    return this.#value(name, 'string', (value) => typeof value === 'string');
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value !== undefined) return value;
    throw invalidRequest(`"${name}" wasn't supplied.`);
  }

  flag(name: string): boolean | undefined {
    return this.#value(name, 'boolean', (value) => typeof value === 'boolean');
  }

  integer(name: string): number | undefined {
    return this.#value(name, 'integer', (value): value is number => Number.isInteger(value));
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const word = words.find((candidate) => candidate === value);
    if (word !== undefined) return word;
    throw invalidRequest(
      `Invalid input: \`${value}\` is not a possible value for "${name}".` +
        ` Must be one of the following: ${words.join(', ')}.`,
    );
  }

  object(name: string): Input | undefined {
    const value = this.#value(name, 'object', isObject);
    return value && new Input(value);
  }

  list(name: string): unknown[] | undefined {
    return this.#value(name, 'array', Array.isArray);
  }

  objects(name: string): Input[] | undefined {
    return this.list(name)?.map((entry) => {
      if (isObject(entry)) return new Input(entry);
      throw wrongType(name, entry, 'object');
    });
  }

  texts(name: string): string[] | undefined {
    return this.list(name)?.map((entry) => {
      if (typeof entry === 'string') return entry;
      throw wrongType(name, entry, 'string');
    });
  }
}

function wrongType(name: string, value: unknown, wanted: string): HttpError {
  return invalidRequest(`For 'properties/${name}', ${JSON.stringify(value)} is not ${wanted}.`);
}
