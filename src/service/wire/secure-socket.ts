import { isIP, type Socket } from 'node:net';
import * as tls from 'node:tls';

interface Far {
  readonly host: string;
  readonly alpn?: string[];
  readonly trustPems: readonly string[];
  readonly session?: Buffer | undefined;
}

/** TLS on a connection that is open or opening. `secureConnect` means that the certificate was accepted. */
export function secureSocket(socket: Socket, { host, alpn, trustPems, session }: Far): tls.TLSSocket {
  return tls.connect({
    socket,
    host,
    servername: isIP(host) === 0 ? host : '',
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment cannot switch it off (docs/faults.md N21).
    rejectUnauthorized: true,
    ALPNProtocols: alpn,
    secureContext: contextOf(trustPems),
    session,
  });
}

const contexts = new WeakMap<readonly string[], tls.SecureContext>();

/** One context for all connections with the same trust: reading its certificates takes 100 ms and more. */
function contextOf(trustPems: readonly string[]): tls.SecureContext {
  let context = contexts.get(trustPems);
  if (context === undefined) {
    context = tls.createSecureContext({ ca: trustedCertificates(trustPems) });
    contexts.set(trustPems, context);
  }
  return context;
}

/**
 * The platform's certificates and `pems` together: a CA file adds trust and does not replace it. undefined if there is
 * nothing to add, so that the platform's default stays. Node 20 cannot list its default, which leaves out
 * NODE_EXTRA_CA_CERTS: pass those in `pems`.
 */
function trustedCertificates(pems: readonly string[]): string[] | undefined {
  if (pems.length === 0) return undefined;
  // Newer than the types, which are of the oldest Node.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return [...(getCACertificates?.('default') ?? tls.rootCertificates), ...pems];
}
