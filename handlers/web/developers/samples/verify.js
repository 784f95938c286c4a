const crypto = require('node:crypto');

// Tells whether the body, a Buffer with the bytes exactly as they arrived, was
// signed with the key of the webhook. signature is the header X-Signature.
// With Express take the bytes before they are parsed: express.raw({ type: '*/*' })
function verify(publicKey, body, signature) {
  const raw = Buffer.from(signature, 'base64');
  return crypto.verify('RSA-SHA256', body, publicKey, raw); // RSA means PKCS #1 v1.5 here
}

module.exports = { verify };
