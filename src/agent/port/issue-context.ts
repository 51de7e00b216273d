import type { Account, Role } from '../../steering/shapes/person.ts';
import type { Image } from './agent.ts';

/** What people have said about a task beside it, as it was when the attempt began. */
export interface IssueContext {
  readonly issue: number;
  /** Who opened the issue, whose words the task has, with their role; null if that could not be read. */
  readonly author: Speaker | null;
  /** Comments of people who work on the repository, oldest first. */
  readonly comments: readonly Comment[];
  /** Whether some of theirs, or older ones, are left out. */
  readonly has_earlier: boolean;
  /** Of the issue, then of the comments. */
  readonly images: readonly DescribedImage[];
  /** How many there are besides. */
  readonly images_left_out: number;
  /** What is missing, and why, in a sentence for people. */
  readonly notice?: string;
}

export interface Speaker extends Account {
  readonly role: Role;
}

interface Comment {
  readonly author: Speaker;
  /** ISO 8601. */
  readonly at: string;
  readonly body: string;
}

export interface DescribedImage {
  readonly image: Image;
  /** What its author calls it; may be empty. */
  readonly alt: string;
  readonly by: string;
}

/** Whose comments the agent is given, each once. */
export function heardIn(context: IssueContext | undefined): readonly Account[] {
  const people = (context?.comments ?? []).map(({ author: { login, id } }) => ({ login, id }));
  return people.filter(({ id }, index) => people.findIndex((each) => each.id === id) === index);
}
