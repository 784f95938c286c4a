package webhook

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
)

// keyBits is the size of every signing key (source: webhooks, signature).
const keyBits = 2048

// Keys is the key pair of a webhook or of a company.
type Keys struct {
	Public  string // PEM, PKIX
	Private []byte // DER, PKCS #8; the store seals it
}

// NewKeys makes a key pair. It takes a tenth of a second or more: never inside a transaction.
func NewKeys() (Keys, error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return Keys{}, fmt.Errorf("make a key pair: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Keys{}, fmt.Errorf("make a key pair: %w", err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return Keys{}, fmt.Errorf("make a key pair: %w", err)
	}
	return Keys{Public: string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})), Private: private}, nil
}

// privateKey reads the private half.
func privateKey(der []byte) (*rsa.PrivateKey, error) {
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("read a private key: %w", err)
	}
	private, ok := key.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("read a private key: it is not an RSA key")
	}
	return private, nil
}

// Sign is the header X-Signature of a body: base64 of RSA PKCS #1 v1.5 over
// SHA-256 of exactly these bytes.
func Sign(key *rsa.PrivateKey, body []byte) (base64Text string, err error) {
	sum := sha256.Sum256(body)
	signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	return base64.StdEncoding.EncodeToString(signature), nil
}
