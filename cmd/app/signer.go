package app

import (
	"crypto/ed25519"
	"log/slog"

	"debitdesk/models/audit/anchor"
	"debitdesk/models/audit/trail"
	"debitdesk/models/credential"
	"debitdesk/models/database"
)

// HeadSigner signs the heads of the audit's chains with the keys that also sign
// bearer credentials; what is signed begins with its purpose.
type HeadSigner []credential.Key

// Sign implements audit.Signer.
func (k HeadSigner) Sign(data []byte) (keyID string, signature []byte) {
	return k[0].ID, ed25519.Sign(k[0].Private, data)
}

// Check implements audit.Signer.
func (k HeadSigner) Check(keyID string, data, signature []byte) bool {
	for _, key := range k {
		if public, ok := key.Private.Public().(ed25519.PublicKey); ok && key.ID == keyID {
			return ed25519.Verify(public, data, signature)
		}
	}
	return false
}

// Public are the public halves of the keys, by their ids.
func (k HeadSigner) Public() map[string][]byte {
	all := map[string][]byte{}
	for _, key := range k {
		if public, ok := key.Private.Public().(ed25519.PublicKey); ok {
			all[key.ID] = public
		}
	}
	return all
}

// AuditService links the audit and checks it. The heads are also noted in that folder beside
// the database; without a folder nowhere else.
func AuditService(s *database.DB, keys []credential.Key, folder string, log *slog.Logger) *trail.Service {
	signer := HeadSigner(keys)
	service := &trail.Service{Store: trail.Store{DB: s}, Signer: signer, Log: log}
	if folder != "" {
		service.Anchors = anchor.At(folder, signer)
	}
	return service
}
