// Whether the daemon of this container answers: exit code 0 if it does, else 1. HEALTH_URL names another port, path or https.
import { get } from 'node:http';
import { get as getSecurely } from 'node:https';

const url = process.env.HEALTH_URL ?? 'http://127.0.0.1:10319/-/healthy';
const getOver = url.startsWith('https:') ? getSecurely : get;
// the certificate is for the name of the host, and the connection does not leave the container
const request = getOver(url, { rejectUnauthorized: false, timeout: 4000 }, (response) => {
  process.stdout.write(`${url} answers ${response.statusCode}\n`);
  process.exit(response.statusCode === 200 ? 0 : 1);
});
request.on('timeout', () => request.destroy(new Error('no answer within 4 s')));
request.on('error', (error) => {
  process.stdout.write(`${url}: ${error.message}; set HEALTH_URL if the daemon listens elsewhere or with TLS\n`);
  process.exit(1);
});
