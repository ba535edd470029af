/** The documents that `runs report` can make of a run. */
export const REPORT_FORMS = ['html', 'junit', 'markdown'] as const;
export type ReportForm = (typeof REPORT_FORMS)[number];
