import { insideOf, type XmlElement } from './xml.ts';

/** How far a drawing shows beyond the place that its anchor gives. What is not finite cannot be told. */
export interface Reach {
  readonly length: number;
  /** Of its longer side, besides. */
  readonly share: number;
}

/** A part of a group lies in its box, and a path in its own: both have other units than the sheet. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly cx: number;
  readonly cy: number;
}

const PARTS: ReadonlySet<string> = new Set(['sp', 'pic', 'grpSp', 'graphicFrame', 'cxnSp']);
/** Attributes that are lengths of a shadow, a glow and the like. */
const LENGTHS = ['blurRad', 'dist', 'rad', 'contourW'];
/** A shadow so much larger than its shape, and a turn so small, are what programs offer. */
const LARGEST_SHADOW = 110_000;
const [DEGREE, CIRCLE] = [60_000, 21_600_000];
const WHOLE = 100_000;
/** A character is as large as 18 points, if nothing says otherwise. Sizes are hundredths of a point. */
const [USUAL_SIZE, HUNDREDTH] = [1800, 127];
/** Behind it are characters as wide as they are high. */
const LAST_NARROW = '\u2e7f';

const localName = ({ name }: XmlElement) => name.slice(name.indexOf(':') + 1);
const inside = (element: XmlElement | undefined, name: string) =>
  element?.children.find((child) => localName(child) === name);

const isTurned = ({ attributes }: XmlElement) => Object.values(attributes).some((angle) => Number(angle) !== 0);

/** Effects that show a drawing anew, elsewhere or in another size. */
function isBoundless(element: XmlElement): boolean {
  const { prst = '', zoom, sx = '0', sy = '0', kx = '0', ky = '0' } = element.attributes;
  const name = localName(element);
  if (name === 'camera') return prst !== 'orthographicFront' || zoom !== undefined || element.children.some(isTurned);
  if (name !== 'outerShdw') return name === 'reflection' || name === 'effectDag';
  return ![sx, sy].every((scale) => Math.abs(Number(scale)) <= LARGEST_SHADOW) || Number(kx) !== 0 || Number(ky) !== 0;
}

/** Angles at which a side lies along the other one change nothing: programs store the place that is shown. */
function turnOf(xfrm: XmlElement | undefined): number {
  const angle = Number(xfrm?.attributes['rot'] ?? 0) % CIRCLE;
  const off = Math.abs(angle) % (CIRCLE / 4);
  return Math.min(off, CIRCLE / 4 - off) < DEGREE ? Math.round(angle / (CIRCLE / 4)) * (CIRCLE / 4) : angle;
}

function boxOf(xfrm: XmlElement | undefined, place: string, size: string): Box {
  const [off, ext] = [inside(xfrm, place)?.attributes, inside(xfrm, size)?.attributes];
  return { x: Number(off?.['x']), y: Number(off?.['y']), cx: Number(ext?.['cx']), cy: Number(ext?.['cy']) };
}

/** How far a turned part of a group lies out of its box, as a share of that. */
function outOf(box: Box, part: Box, angle: number): number {
  const turn = (angle / CIRCLE) * 2 * Math.PI;
  const [cos, sin] = [Math.abs(Math.cos(turn)), Math.abs(Math.sin(turn))];
  const axes = [
    [part.x + part.cx / 2 - box.x, part.cx * cos + part.cy * sin, box.cx],
    [part.y + part.cy / 2 - box.y, part.cx * sin + part.cy * cos, box.cy],
  ] as const;
  const shares = axes.map(([middle, size, whole]) => {
    const over = Math.max(size / 2 - middle, middle + size / 2 - whole);
    // A level line makes a box without height.
    return over <= Math.max(box.cx, box.cy) / 100 ? Math.max(0, over / Math.max(whole, over, 1)) : over / whole;
  });
  return Math.max(...shares);
}

/** How far the points and the text of a path of its own lie out of its box. */
function outOfPath(geometry: XmlElement): number {
  const guides = new Map(
    inside(geometry, 'gdLst')?.children.map(({ attributes: { name, fmla = '' } }) => {
      const [, part, whole] = /^\*\/ (-?\d+) [wh] (\d+)$/.exec(fmla) ?? [];
      return [name, Number(part) / Number(whole)];
    }),
  );
  const edges = new Map([...guides, ...Object.entries({ l: 0, t: 0, r: 1, b: 1, 0: 0 })]);
  const shares: number[] = [];
  const add = (at: string | undefined, size?: string) => {
    const share = edges.get(at) ?? Number(at) / Number(size);
    shares.push(Math.max(-share, share - 1));
  };
  for (const at of Object.values(inside(geometry, 'rect')?.attributes ?? {})) add(at);
  for (const { attributes: size, children } of inside(geometry, 'pathLst')?.children ?? []) {
    for (const step of children) {
      const { wR, hR } = step.attributes;
      // An arc reaches twice its radius beyond the point where it begins.
      if (localName(step) === 'arcTo')
        shares.push((2 * Number(wR)) / Number(size['w']), (2 * Number(hR)) / Number(size['h']));
      for (const { attributes } of step.children) {
        add(attributes['x'], size['w']);
        add(attributes['y'], size['h']);
      }
    }
  }
  return shares.reduce((most, share) => Math.max(most, share), 0);
}

/** How far the tail of a callout lies out of its box. Its place is counted from the middle, or from a corner. */
function outOfCallout({ attributes: { prst = '' }, children }: XmlElement): number {
  const [kind, isFromMiddle] = /^(?:(wedge|cloud.)|border|accent|callout)/.exec(prst) ?? [];
  if (kind === undefined || prst === 'cloud') return 0;
  const guides = children.flatMap((list) => list.children.map(({ attributes: { fmla = '' } }) => fmla));
  const shares = guides.map((fmla) => Number(/^val (-?\d+)$/.exec(fmla)?.[1]) / WHOLE);
  const beyond = (share: number) =>
    isFromMiddle === undefined ? Math.max(-share, share - 1) : Math.abs(share) - 1 / 2;
  // A place that is not given is nearer than half of a side.
  return Math.max(shares.length < 2 ? 1 / 2 : 0, ...shares.map(beyond));
}

/** How far a text shows out of its shape, by what its characters take on the average. */
function outOfShape(shape: XmlElement): number {
  const body = inside(shape, 'txBody');
  const { vertOverflow, horzOverflow, wrap } = inside(body, 'bodyPr')?.attributes ?? {};
  const all = body === undefined ? [] : insideOf(body);
  const lines = all
    .filter((part) => localName(part) === 'p')
    .map((line) => {
      return insideOf(line).reduce((text, part) => text + (localName(part) === 't' ? part.text : ''), '');
    });
  if (lines.join('').trim() === '' || (vertOverflow === 'clip' && horzOverflow === 'clip')) return 0;
  const sizes = all.map(({ attributes: { sz } }) => Number(sz ?? 0));
  const size = (Math.max(...sizes) || USUAL_SIZE) * HUNDREDTH;
  const { cx, cy } = boxOf(inside(inside(shape, 'spPr'), 'xfrm'), 'off', 'ext');
  const widthOf = (text: string) =>
    Array.from(text, (each) => (each > LAST_NARROW ? size : size * 0.6)).reduce((a, b) => a + b, 0);
  const pieces = wrap === 'none' ? lines : lines.flatMap((line) => line.split(/\s/));
  const wide = horzOverflow === 'clip' ? 0 : Math.max(...pieces.map(widthOf)) - cx;
  const count = lines.reduce(
    (sum, line) => sum + (wrap === 'none' ? 1 : Math.max(1, Math.ceil(widthOf(line) / cx))),
    0,
  );
  const high = vertOverflow === undefined || vertOverflow === 'overflow' ? count * size * 1.2 - cy : 0;
  return Math.max(0, wide, high);
}

/** `box`: that of the group around it. */
export function reachOf(element: XmlElement, box?: Box): Reach {
  const name = localName(element);
  const { attributes, children } = element;
  let length = isBoundless(element) ? Number.POSITIVE_INFINITY : 0;
  if (name === 'sp') length += outOfShape(element);
  if (name === 'ln') length += Number(attributes['w'] ?? 0) / 2;
  for (const key of LENGTHS) length += Math.abs(Number(attributes[key] ?? 0));
  let share = name === 'custGeom' ? outOfPath(element) : name === 'prstGeom' ? outOfCallout(element) : 0;
  let inner = box;
  if (PARTS.has(name)) {
    const xfrm = inside(inside(element, name === 'grpSp' ? 'grpSpPr' : 'spPr') ?? element, 'xfrm');
    const angle = turnOf(xfrm);
    if (box !== undefined) share += outOf(box, boxOf(xfrm, 'off', 'ext'), angle);
    else if (angle % (CIRCLE / 4) !== 0) share += 1 / 2;
    if (name === 'grpSp') inner = boxOf(xfrm, 'chOff', 'chExt');
  }
  let [longest, widest] = [0, 0];
  for (const child of children) {
    const reach = reachOf(child, inner);
    longest = Math.max(longest, reach.length);
    widest = Math.max(widest, reach.share);
  }
  return { length: length + longest, share: (1 + share) * (1 + widest) - 1 };
}
