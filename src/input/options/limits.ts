/** `--max-failures`: a number of rows, or a percentage of all rows. */
export type MaxFailures = { readonly rows: number } | { readonly percent: number };

/** `--rate 10`, `10/s` or `600/m`: requests per second, perhaps a fraction; undefined for anything else. */
export function parseRate(text: string): number | undefined {
  const [, digits, unit] = /^([1-9]\d{0,5})(?:\/([sm]))?$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) / (unit === 'm' ? 60 : 1);
}

export function rateText(perSecond: number): string {
  return Number.isInteger(perSecond) ? String(perSecond) : `${Math.round(perSecond * 60)}/m`;
}

/** `--max-failures 20` or `--max-failures 5%` (up to 100, fractions allowed); undefined for anything else. */
export function parseMaxFailures(text: string): MaxFailures | undefined {
  const count = /^[1-9]\d{0,8}$/.exec(text)?.[0];
  if (count !== undefined) return { rows: Number(count) };
  const digits = /^(\d{1,3}(?:\.\d{1,3})?)%$/.exec(text)?.[1];
  const percent = digits === undefined ? 0 : Number(digits);
  return percent > 0 && percent <= 100 ? { percent } : undefined;
}

/** The number of failed rows at which the run stops; undefined: none. A percentage is at least one row. */
export function failureLimit(limit: MaxFailures | undefined, rows: number): number | undefined {
  if (limit === undefined) return undefined;
  return 'rows' in limit ? limit.rows : Math.max(1, Math.ceil((rows * limit.percent) / 100));
}
