/** The label that starts a run on an issue, and marks every run's pull request. */
export const triggerLabel = 'coxswain';
