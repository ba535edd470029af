import type { XmlElement } from './xml.ts';

/** The ranges of a conditional format, or of those in an extension, that have a number format. */
export function rangesOf(element: XmlElement, withFormat: ReadonlySet<number>): readonly string[] {
  const { name, attributes, children } = element;
  const own = (parent: XmlElement, wanted: string) =>
    parent.children.filter((child) => child.name.slice(child.name.indexOf(':') + 1) === wanted);
  if (name === 'ext') {
    const formats = own(element, 'conditionalFormattings').flatMap((all) => own(all, 'conditionalFormatting'));
    return formats.flatMap((format) => {
      const dxfs = own(format, 'cfRule').flatMap((rule) => own(rule, 'dxf'));
      const isFormatted = dxfs.some((dxf) => own(dxf, 'numFmt').length > 0);
      return isFormatted ? own(format, 'sqref').flatMap(({ text }) => text.trim().split(/\s+/)) : [];
    });
  }
  const isFormatted = children.some((rule) => withFormat.has(Number(rule.attributes['dxfId'] ?? -1)));
  return isFormatted ? (attributes['sqref'] ?? '').trim().split(/\s+/) : [];
}
