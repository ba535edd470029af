// A service of cards on loopback that answers as fast as one process can: `node bench/service.mjs <latencyMs>
// [slowMs] [bytes] [transactions] [certificate]`: every hundredth card takes `slowMs`; each has so many bytes of text and so
// many transactions; an update of a subscriber answers with no more than its id. With a PEM file of a key and its
// certificate it speaks TLS. Prints its port. It lives in a process of its own, so that it takes no turn of the program that is measured.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

const [latencyMs = 0, slowMs = latencyMs, bytes = 0, transactions = 0] = process.argv.slice(2, 6).map(Number);
const pem = process.argv[6] === undefined ? undefined : readFileSync(process.argv[6]);
const transaction = '{"transactionId":"t-1","amount":-1.50,"type":"PURCHASE","createdAt":"2025-01-02T00:00:00Z"}';
const list = transactions === 0 ? '' : `"transactions":[${Array(transactions).fill(transaction).join(',')}],`;
const more = `"metadata":{"store":"${'Bergen'.padEnd(bytes, '.')}"},${list}"createdAt":"2025-01-01T00:00:00Z"`;

function bodyFor(head) {
  const [, subscriber] = /\/subscribers\/([^/ ]+)/.exec(head) ?? [];
  if (subscriber !== undefined) return `{"id":"${subscriber}","object":"subscriber","active":true}`;
  const id = /\/v1\/cards\/([0-9a-fA-F-]{36})/.exec(head)?.[1] ?? '';
  const status = head.includes('/block ') ? 'BLOCKED' : 'ACTIVE';
  return `{"cardId":"${id}","clientReference":"order-1","status":"${status}","initialBalance":50.00,"currentBalance":10.10,"expiryDate":"2031-01-01T00:00:00Z","design":"classic",${more},"updatedAt":"2025-01-02T00:00:00Z"}`;
}

function answerTo(head) {
  const body = bodyFor(head);
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

function serve(socket) {
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  let waiting = '';
  socket.on('data', (data) => {
    waiting += data.toString('latin1');
    for (;;) {
      const end = waiting.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = waiting.slice(0, end);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (waiting.length < end + 4 + length) return;
      waiting = waiting.slice(end + 4 + length);
      const answer = answerTo(head);
      const waitMs = /37[ /]/.test(head.slice(0, head.indexOf('HTTP'))) ? slowMs : latencyMs;
      if (waitMs === 0) socket.write(answer);
      else setTimeout(() => socket.write(answer), waitMs);
    }
  });
}

const server = pem === undefined ? createServer(serve) : createTlsServer({ key: pem, cert: pem }, serve);
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
