/** A ref that now points elsewhere; forty zeros stand for "was not" or "is no more". */
export interface RefChange {
  ref: string;
  before: string;
  after: string;
}
