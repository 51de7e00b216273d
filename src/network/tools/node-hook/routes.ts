/** The variable with the routes, as JSON. */
export const routesVariable = 'COXSWAIN_REGISTRIES';

/** The header of requests that came through the hook: what their answers lead to will do so too. */
export const hookedHeader = 'x-coxswain-hooked';

/** Where requests to a registry with a token go instead. */
export interface Route {
  /** Our own address for it, such as `http://127.0.0.1:3129`. */
  readonly origin: string;
  /** What requests must show there, if others could connect too. */
  readonly access?: string;
}

/** By the name of the host and its port, such as `npm.corp.example:443`. */
export type Routes = Readonly<Record<string, Route>>;
