interface Given {
  readonly who: readonly string[];
  readonly date: string;
}

export function commitVersion(clone: string, version: string, given: Given): string;
