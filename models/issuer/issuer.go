// Package issuer knows who else may say who a person is: the OpenID Connect issuers that an installation or a business
// accepts, whom they know, what they may decide, and when sessions that began there end. It must not know HTTP, cookies
// or pages.
package issuer

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
)

// Issuer is one that may say who a person is.
type Issuer struct {
	ID         uuid.UUID
	MerchantID uuid.UUID `gorm:"not null"` // zero: the installation's, which no business can change
	Address    string    `gorm:"column:issuer;<-:create"`
	ClientID   string
	Terms
	Version              int
	CreatedAt, UpdatedAt time.Time
}

// Terms are what an issuer is called and what it may decide.
type Terms struct {
	Name    string // on its button
	Enabled bool
	Domains []string `gorm:"type:text[];serializer:texts"` // of e-mail addresses that it may speak for, in lower case
	Forced  bool     // passwords of these domains no longer open the business
	// Provisions adds people who come for the first time.
	Provisions bool
	// TrustsEmail counts addresses as verified where the issuer does not say whether they are.
	TrustsEmail bool
	// TrustsMFA counts whoever comes from it as proven, though it does not say how they signed in.
	TrustsMFA    bool        `gorm:"column:trusts_mfa"`
	GroupsClaim  string      // where it lists a person's groups; empty: groups decide nothing
	GroupRoles   []GroupRole `gorm:"serializer:json;not null"` // the first that fits counts
	UsualRole    actor.Role  // where no group fits; empty: refused
	SessionHours int         // after which the person signs in again
}

// GroupRole is the role of the people of a group.
type GroupRole struct {
	Group string     `json:"group"`
	Role  actor.Role `json:"role"`
}

// Secret is what the product shows at an issuer. It prints itself masked.
type Secret string

const masked = "••••"

// Reveal gives the secret; the exchange of a code and the sealing store ask for it.
func (s Secret) Reveal() string { return string(s) }

// Format masks every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(masked)) }

// String masks.
func (s Secret) String() string { return masked }

// LogValue masks in logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(masked) }

// MarshalJSON masks in JSON.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(masked) }

// Whole tells that it is the installation's: it may sign people in to any of their businesses.
func (i Issuer) Whole() bool { return i.MerchantID == uuid.Nil }

// Speaks tells whether it may speak for an e-mail address. The installation's speaks for all unless domains are named.
func (i Issuer) Speaks(email string) bool {
	if i.Whole() && len(i.Domains) == 0 {
		return true
	}
	return slices.Contains(i.Domains, DomainOf(email))
}

// DomainOf is what stands behind the last @ of an e-mail address, in lower case.
func DomainOf(email string) string {
	at := strings.LastIndexByte(email, '@')
	return strings.ToLower(strings.TrimSpace(email[at+1:]))
}

// RoleOf is the role that a person has by their groups; "" with true where groups decide nothing, false where none of
// them opens the business.
func (i Issuer) RoleOf(groups []string) (actor.Role, bool) {
	if i.GroupsClaim == "" {
		return "", true
	}
	for _, g := range i.GroupRoles {
		if slices.Contains(groups, g.Group) {
			return g.Role, true
		}
	}
	return i.UsualRole, i.UsualRole != ""
}

// Until is when a session ends at the latest that began at that moment; zero: as any other.
func (i Issuer) Until(begun time.Time) time.Time {
	if i.SessionHours == 0 {
		return time.Time{}
	}
	return begun.Add(time.Duration(i.SessionHours) * time.Hour)
}

// record is what the audit keeps of it, never the secret.
func (i Issuer) record() map[string]any {
	roles := map[string]any{}
	for _, g := range i.GroupRoles {
		roles[g.Group] = string(g.Role)
	}
	return map[string]any{"name": i.Name, "issuer": i.Address, "client_id": i.ClientID, "enabled": i.Enabled,
		"domains": strings.Join(i.Domains, ", "), "forced": i.Forced, "provisions": i.Provisions,
		"trusts_email": i.TrustsEmail, "trusts_mfa": i.TrustsMFA, "groups_claim": i.GroupsClaim, "group_roles": roles,
		"usual_role": string(i.UsualRole), "session_hours": i.SessionHours}
}

// installationSpace makes the id of the installation's issuer of its address and client: another address is another
// issuer, with subjects of its own.
var installationSpace = uuid.MustParse("5f0c9d3e-7f0b-4d0e-9a55-3f0c6a1d2b47")

// ForInstallation is the issuer that the configuration names.
func ForInstallation(address, clientID, name string, domains []string) *Issuer {
	i := &Issuer{ID: uuid.NewSHA1(installationSpace, []byte(address+"\x00"+clientID)), Address: address,
		ClientID: clientID,
		Terms:    Terms{Name: name, Enabled: true}}
	for _, d := range domains {
		i.Domains = append(i.Domains, strings.ToLower(d))
	}
	return i
}
