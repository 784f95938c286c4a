<?php
// Tells whether the body, byte for byte as it arrived, was signed with the key
// of the webhook:
//   verify($pem, file_get_contents('php://input'), $_SERVER['HTTP_X_SIGNATURE'] ?? '')
function verify(string $publicKey, string $body, string $signature): bool
{
    $raw = base64_decode($signature, true);
    if ($raw === false) {
        return false;
    }
    return openssl_verify($body, $raw, openssl_pkey_get_public($publicKey), OPENSSL_ALGO_SHA256) === 1;
}
