// The bill of materials: every package whose code the bundle contains, in CycloneDX.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { root } from '../bundle.mjs';

function packageUrl({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** An identifier of SPDX, or an expression of several. */
function licensesOf(license) {
  return /^[\w.+-]+$/.test(license) ? [{ license: { id: license } }] : [{ expression: license }];
}

/** The SHA-512 of the package as the registry serves it, which the lock has and npm checked. */
function hashesOf({ name, version }, locked) {
  const entry = Object.entries(locked).find(
    ([path, entry]) => path.endsWith(`node_modules/${name}`) && entry.version === version,
  );
  const digest = /^sha512-(.+)$/.exec(entry?.[1].integrity ?? '')?.[1];
  if (digest === undefined) throw new Error(`package-lock.json has no SHA-512 of ${name} ${version}`);
  return [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }];
}

function component(entry, locked) {
  const { name, version, license } = entry;
  const purl = packageUrl(entry);
  const licenses = licensesOf(license);
  return { type: 'library', 'bom-ref': purl, name, version, hashes: hashesOf(entry, locked), licenses, purl };
}

/** A serial number that the same contents have again. */
function serialOf(contents) {
  const hex = createHash('sha256').update(contents).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}

/**
 * A CycloneDX 1.6 document. `packages`: what the bundle contains ({ name, version, license }); `nodeVersion`: the Node
 * inside the executable, which the npm package does not have; `time`: seconds since 1970.
 */
export function sbom({ version, time, license, nodeVersion, packages }) {
  const { packages: locked } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'));
  const components = packages.map((entry) => component(entry, locked));
  const self = packageUrl({ name: 'frontdesk', version });
  const node = {
    type: 'platform',
    'bom-ref': `pkg:generic/node@${nodeVersion}`,
    name: 'node',
    version: nodeVersion,
    description:
      'Node.js, in the executables and in the Debian package; the npm package runs on the Node that is there.',
    licenses: licensesOf('MIT'),
    purl: `pkg:generic/node@${nodeVersion}`,
  };
  const metadata = {
    timestamp: new Date(time * 1000).toISOString(),
    lifecycles: [{ phase: 'build' }],
    component: {
      type: 'application',
      'bom-ref': self,
      name: 'frontdesk',
      version,
      licenses: licensesOf(license),
      purl: self,
      components: [node],
    },
  };
  const dependencies = [{ ref: self, dependsOn: components.map(({ purl }) => purl) }];
  const serialNumber = serialOf(JSON.stringify({ metadata, components }));
  const schema = 'http://cyclonedx.org/schema/bom-1.6.schema.json';
  const head = { $schema: schema, bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber, version: 1 };
  return `${JSON.stringify({ ...head, metadata, components, dependencies }, null, 2)}\n`;
}
