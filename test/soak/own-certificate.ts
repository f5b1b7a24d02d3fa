/** A certificate for this machine, good for a day, which only its own file makes anybody trust. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export function ownCertificate(folder: string): { key: string; certificate: string; certificateFile: string } {
  const keyFile = join(folder, 'key.pem');
  const certificateFile = join(folder, 'certificate.pem');
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', keyFile, '-out', certificateFile], { stdio: 'ignore' });
  return { key: readFileSync(keyFile, 'utf8'), certificate: readFileSync(certificateFile, 'utf8'), certificateFile };
}
