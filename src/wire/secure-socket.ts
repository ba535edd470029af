import { isIP, type Socket } from 'node:net';
import * as tls from 'node:tls';
import { trustedCertificates } from './trust.ts';

interface SecureOptions {
  /** Name or address that the certificate must be for. */
  readonly host: string;
  readonly alpn?: readonly string[];
  /** PEM texts to trust besides the platform's certificates. */
  readonly trustPems: readonly string[];
}

/** TLS on a connection that is open or opening; `secureConnect` says that the certificate was accepted. */
export function secureSocket(socket: Socket, { host, alpn, trustPems }: SecureOptions): tls.TLSSocket {
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
