import { z } from 'zod';
import { boolean, text } from './values.ts';

/** TLS of a client. @param host what the certificate is for without `server_name` @param meta of each setting */
export const clientTls = (host: string, meta: { readonly restart?: true } = {}) =>
  z.strictObject({
    ca_file: text
      .optional()
      .meta(meta)
      .describe(
        'CA certificates to trust instead of those of Node.js. They, the client certificate and its key are read again for new connections.',
      ),
    cert_file: text.optional().meta(meta).describe('Client certificate.'),
    key_file: text.optional().meta(meta).describe('Private key of the client certificate.'),
    server_name: text.optional().meta(meta).describe(`Name expected in the certificate, instead of ${host}.`),
    insecure_skip_verify: boolean.prefault(false).meta(meta).describe('Accept any certificate. For tests only.'),
  });
