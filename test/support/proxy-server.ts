import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What the proxy does when it is asked for a tunnel; `tunnelTo`: each leads to that port of this machine. */
export type ProxyMode = 'tunnel' | 'silent' | 'close' | { readonly answer: string } | { readonly tunnelTo: number };

/** A proxy on loopback that opens tunnels, or fails to in the way that `mode` says. */
export async function startProxyServer(mode: ProxyMode) {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    connections += 1;
    keep(socket);
    socket.once('data', (chunk: Buffer) => {
      const head = chunk.toString('latin1');
      heads.push(head);
      if (mode === 'silent') return;
      if (mode === 'close') socket.end();
      else if (mode === 'tunnel') openTunnel(head, socket, keep);
      else if ('tunnelTo' in mode) openTunnel(`CONNECT 127.0.0.1:${mode.tunnelTo} `, socket, keep);
      else socket.end(mode.answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // listen() on a host and port gives an AddressInfo, never a pipe name.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    /** Everything that was sent to the proxy itself: CONNECT requests, or whole requests that should not be there. */
    heads: heads as readonly string[],
    get connections() {
      return connections;
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function openTunnel(head: string, socket: Socket, keep: (socket: Socket) => void): void {
  const [, host = '', port = ''] = /^CONNECT ([^:]+):(\d+) /.exec(head) ?? [];
  const far = connect(Number(port), host, () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.pipe(far).pipe(socket);
  });
  keep(far);
}
