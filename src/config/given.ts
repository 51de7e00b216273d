/** Whatever may be undefined becomes optional instead. */
type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The same without the keys whose value is undefined. */
export function given<T extends object>(value: T): Given<T> {
  const known = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(known) as Given<T>; // only such keys are left
}
