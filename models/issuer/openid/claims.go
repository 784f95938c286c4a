package openid

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"debitdesk/models/issuer"
)

// claims are what an issuer says, as it wrote it.
type claims struct {
	Email     string   `json:"email"`
	Verified  any      `json:"email_verified"` // some write it as text
	Name      string   `json:"name"`
	SID       string   `json:"sid"`
	Party     string   `json:"azp"`
	Class     string   `json:"acr"`
	Methods   []string `json:"amr"`
	AuthTime  float64  `json:"auth_time"`
	NotBefore float64  `json:"nbf"`
	all       map[string]any
}

// UnmarshalJSON keeps all claims beside the known ones: where groups stand is for a business to say.
func (c *claims) UnmarshalJSON(b []byte) error {
	type known claims
	if err := json.Unmarshal(b, &c.all); err != nil {
		return fmt.Errorf("claims: %w", err)
	}
	if text, is := c.all["amr"].(string); is { // some name one method without a list
		c.all["amr"] = []string{text}
		b, _ = json.Marshal(c.all)
	}
	if err := json.Unmarshal(b, (*known)(c)); err != nil {
		return fmt.Errorf("claims: %w", err)
	}
	return nil
}

// of are the claims in the words of the product.
func (c claims) of(subject, groups string) issuer.Claims {
	out := issuer.Claims{Subject: subject, SID: c.SID, Email: c.Email, Name: c.Name, Methods: c.Methods, Class: c.Class,
		Groups: texts(find(c.all, groups))}
	switch c.Verified {
	case true, "true":
		out.Verified = issuer.Yes
	case nil:
		out.Verified = issuer.Unsaid
	default:
		out.Verified = issuer.No
	}
	if c.AuthTime > 0 {
		out.AuthTime = time.Unix(int64(c.AuthTime), 0)
	}
	return out
}

// find gives a claim by its name, or by a path with dots such as realm_access.roles.
func find(all map[string]any, name string) any {
	if name == "" {
		return nil
	}
	if found, is := all[name]; is {
		return found
	}
	first, rest, deeper := strings.Cut(name, ".")
	if within, is := all[first].(map[string]any); deeper && is {
		return find(within, rest)
	}
	return nil
}

// texts are the texts of a claim, which may be one or a list.
func texts(claim any) (out []string) {
	switch found := claim.(type) {
	case string:
		return []string{found}
	case []any:
		for _, one := range found {
			if text, is := one.(string); is {
				out = append(out, text)
			}
		}
	}
	return out
}

// withQuery adds parameters, names and values in turn, to an address.
func withQuery(at string, parameters ...string) (string, error) {
	u, err := url.Parse(at)
	if err != nil {
		return "", fmt.Errorf("address of an issuer: %w", err)
	}
	q := u.Query()
	for i := 0; i+1 < len(parameters); i += 2 {
		q.Set(parameters[i], parameters[i+1])
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}
