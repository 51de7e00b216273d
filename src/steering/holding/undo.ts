/** The way back to what an iteration came to. */
export interface Undo {
  /** The number of the iteration. */
  readonly to: number;
  /** The commit that it came to. */
  readonly head: string;
  /** The login of whoever asked for it. */
  readonly by: string;
}

/** A head that is not ours. */
export interface PushByOther {
  readonly head: string;
  readonly by: string;
  /** In which iteration it came. */
  readonly iteration: number;
}
