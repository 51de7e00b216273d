/** Apart, so that the bundle holds nothing else of the toolkit's: its HTTP clients are large. */
export { context } from '@actions/github';
