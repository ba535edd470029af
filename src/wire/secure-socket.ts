import { isIP, type Socket } from 'node:net';
import * as tls from 'node:tls';

/** TLS on a connection that is open or opening; `secureConnect` says that the certificate was accepted. */
export function secureSocket(
  socket: Socket,
  {
    host,
    alpn,
    trustPems,
  }: { readonly host: string; readonly alpn?: readonly string[]; readonly trustPems: readonly string[] },
): tls.TLSSocket {
  const trusted = trustedCertificates(trustPems);
  return tls.connect({
    socket,
    host,
    servername: isIP(host) === 0 ? host : '',
    // Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment cannot switch it off (N21).
    rejectUnauthorized: true,
    ...(alpn === undefined ? {} : { ALPNProtocols: [...alpn] }),
    ...(trusted === undefined ? {} : { ca: [...trusted] }),
  });
}

/**
 * The platform's certificates and `pems` together: naming a CA file adds to the trust, it does not replace it.
 * undefined when there is nothing to add, so that the platform's own default stays in force. Node 20 cannot list
 * its default (certificates of NODE_EXTRA_CA_CERTS are left out there): give those among `pems`.
 */
function trustedCertificates(pems: readonly string[]): readonly string[] | undefined {
  if (pems.length === 0) return undefined;
  const defaults = 'getCACertificates' in tls ? listDefaults(tls.getCACertificates) : tls.rootCertificates;
  return [...defaults, ...pems];
}

function listDefaults(list: unknown): readonly string[] {
  if (typeof list !== 'function') return tls.rootCertificates;
  const found: unknown = list('default');
  return Array.isArray(found) ? found.map(String) : tls.rootCertificates;
}
