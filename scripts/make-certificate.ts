/** Keys and certificates for servers of judges and benches, by the openssl program. */
import { execFileSync } from 'node:child_process';

export function openssl(folder: string, args: string): void {
  execFileSync('openssl', args.split(' '), { cwd: folder, stdio: 'ignore' });
}

/** `server.pem`, for localhost and signed by itself, and `server.key` in PKCS #8. */
export function makeCertificate(folder: string): void {
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
  openssl(folder, 'ecparam -name prime256v1 -genkey -noout -out server-ec.key');
  openssl(
    folder,
    `req -x509 -new -key server-ec.key -sha256 -days 2 -subj /CN=localhost -addext ${names} -out server.pem`,
  );
  openssl(folder, 'pkcs8 -topk8 -nocrypt -in server-ec.key -out server.key');
}
