/** A change of a ref; forty zeros mean that it did not exist before or was deleted. */
export interface RefChange {
  ref: string;
  before: string;
  after: string;
}
