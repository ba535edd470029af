import { isIP, type Socket } from 'node:net';
import * as tls from 'node:tls';

interface Far {
  readonly host: string;
  readonly alpn?: string[];
  readonly trustPems: readonly string[];
  readonly session?: Buffer | undefined;
}

/** TLS on a connection that is open or opening; `secureConnect` says that the certificate was accepted. */
export function secureSocket(socket: Socket, { host, alpn, trustPems, session }: Far): tls.TLSSocket {
  return tls.connect({
    socket,
    host,
    servername: isIP(host) === 0 ? host : '',
    // Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment cannot switch it off (N21).
    rejectUnauthorized: true,
    ALPNProtocols: alpn,
    secureContext: contextOf(trustPems),
    session,
  });
}

const contexts = new WeakMap<readonly string[], tls.SecureContext>();

/** Made once for all connections with the same trust: to read a hundred and more certificates takes 100 ms and more. */
function contextOf(trustPems: readonly string[]): tls.SecureContext {
  let context = contexts.get(trustPems);
  if (context === undefined) {
    context = tls.createSecureContext({ ca: trustedCertificates(trustPems) });
    contexts.set(trustPems, context);
  }
  return context;
}

/**
 * The platform's certificates and `pems` together: naming a CA file adds to the trust, it does not replace it.
 * undefined when there is nothing to add, so that the platform's own default stays in force. Node 20 cannot list
 * its default (certificates of NODE_EXTRA_CA_CERTS are left out there): give those among `pems`.
 */
function trustedCertificates(pems: readonly string[]): string[] | undefined {
  if (pems.length === 0) return undefined;
  // Newer than the types, which are those of the oldest Node.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return [...(getCACertificates?.('default') ?? tls.rootCertificates), ...pems];
}
