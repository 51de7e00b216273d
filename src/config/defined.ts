/** Whatever may be undefined becomes optional instead. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The same without the keys whose value is undefined. */
export function defined<const T extends object>(value: T): Defined<T> {
  const known = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(known) as Defined<T>; // only such keys are left
}
