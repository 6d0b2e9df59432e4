import { z } from 'zod';
import { boolean, text } from '../../settings/values.ts';

/** TLS of a client. @param host what the certificate is for without `server_name` */
export const clientTls = (host: string) =>
  z.strictObject({
    ca_file: text.optional().describe('CA certificates to trust instead of those of Node.js.'),
    cert_file: text.optional().describe('Client certificate.'),
    key_file: text.optional().describe('Private key of the client certificate.'),
    server_name: text.optional().describe(`Name expected in the certificate, instead of ${host}.`),
    insecure_skip_verify: boolean.prefault(false).describe('Accept any certificate. For tests only.'),
  });
