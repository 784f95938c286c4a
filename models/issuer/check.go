package issuer

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/weblink"
)

// Limits of what is set (ours), in characters unless said otherwise.
const (
	MaxName    = 60
	MaxAddress = 300
	MaxClient  = 255
	MaxSecret  = 1000
	MaxGroup   = 255
	mostList   = 50     // domains, groups
	MostHours  = 7 * 24 // no session lasts longer
	usualHours = 12
)

// Input is what an admin says of an issuer. An empty secret keeps the one that is there.
type Input struct {
	Address, ClientID string
	Secret            Secret
	Terms
	Problems fault.Problems // what was no value at all
}

var domainForm = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

// checked reports every problem at once. Where money is real an issuer is called by https alone.
func (in Input) checked(live bool) (Input, error) {
	wrong := slices.Clone(in.Problems)
	line := func(at, value string, most int, required string) {
		switch {
		case value == "" && required != "":
			wrong.Add(at, "required", "%s", required)
		case utf8.RuneCountInString(value) > most:
			wrong.Add(at, "max_length", "This has at most %d characters.", most)
		}
		wrong.OneLine(at, value)
	}
	for _, text := range []*string{&in.Address, &in.ClientID, &in.Name, &in.GroupsClaim} {
		*text = strings.TrimSpace(*text)
	}
	line("name", in.Name, MaxName, "Enter the name that its button shows.")
	line("client_id", in.ClientID, MaxClient, "Enter the client id that the provider gave you.")
	line("client_secret", in.Secret.Reveal(), MaxSecret, "")
	line("groups_claim", in.GroupsClaim, MaxGroup, "")
	if why := wrongAddress(in.Address, live); why != "" {
		wrong.Add("issuer", "invalid", "%s", why)
	}
	in.Domains = domains(in.Domains, &wrong)
	in.groups(&wrong)
	switch {
	case in.Forced && len(in.Domains) == 0:
		wrong.Add("domains", "required", "Name the domains whose people have to sign in with this provider.")
	case in.Provisions && len(in.Domains) == 0 && in.TrustsEmail:
		wrong.Add("domains", "required",
			"Name the domains whose addresses count as verified though the provider does not say so.")
	}
	if in.SessionHours == 0 {
		in.SessionHours = usualHours
	}
	if in.SessionHours < 1 || in.SessionHours > MostHours {
		wrong.Add("session_hours", "invalid", "A session lasts 1 to %d hours.", MostHours)
	}
	return in, wrong.Err()
}

func wrongAddress(address string, live bool) string {
	u, err := url.Parse(address)
	switch {
	case address == "":
		return "Enter the address of the provider, such as https://login.example.com."
	case utf8.RuneCountInString(address) > MaxAddress:
		return "This address is too long."
	case weblink.HasLogin(address):
		return weblink.NoLogin
	case err != nil, u.Hostname() == "", u.Opaque != "", u.RawQuery != "", u.Fragment != "",
		u.Scheme != "https" && u.Scheme != "http", strings.ContainsAny(address, " \t\r\n"):
		return "Enter an address that begins with https://, without ? and #."
	case live && u.Scheme != "https":
		return "This address must begin with https://: who signs in must not be readable on the way."
	}
	return ""
}

// domains are named once, in lower case.
func domains(given []string, wrong *fault.Problems) []string {
	out := []string{}
	for _, d := range given {
		d = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(d), "@"))
		switch {
		case d == "" || slices.Contains(out, d):
		case len(d) > 253 || !domainForm.MatchString(d):
			wrong.Add("domains", "invalid", "‘%s’ is not a domain. Write it as in example.co.za.", d)
		default:
			out = append(out, d)
		}
	}
	if len(out) > mostList {
		wrong.Add("domains", "max_length", "Name at most %d domains.", mostList)
	}
	return out
}

func (in *Input) groups(wrong *fault.Problems) {
	kept := []GroupRole{}
	for _, g := range in.GroupRoles {
		g.Group = strings.TrimSpace(g.Group)
		switch {
		case g.Group == "" && g.Role == "":
			continue
		case g.Group == "":
			wrong.Add("groups", "required", "Name the group of each role.")
		case !slices.Contains(actor.Roles, g.Role):
			wrong.Add("groups", "invalid_choice", "Choose a role for the group ‘%s’.", g.Group)
		case utf8.RuneCountInString(g.Group) > MaxGroup:
			wrong.Add("groups", "max_length", "The name of a group has at most %d characters.", MaxGroup)
		case slices.ContainsFunc(kept, func(k GroupRole) bool { return k.Group == g.Group }):
			wrong.Add("groups", "unique", "The group ‘%s’ is named twice.", g.Group)
		}
		kept = append(kept, g)
	}
	in.GroupRoles = kept
	switch {
	case len(kept) > mostList:
		wrong.Add("groups", "max_length", "Name at most %d groups.", mostList)
	case len(kept) > 0 && in.GroupsClaim == "":
		wrong.Add("groups_claim", "required", "Enter the name of the claim in which the provider lists groups.")
	case in.GroupsClaim != "" && len(kept) == 0:
		wrong.Add("groups", "required", "Choose the role of at least one group.")
	}
	switch {
	case in.UsualRole != "" && !slices.Contains(actor.Roles, in.UsualRole):
		wrong.Add("usual_role", "invalid_choice", "A role is admin, finance, staff or readonly.")
	case in.UsualRole == "" && in.Provisions && in.GroupsClaim == "":
		wrong.Add("usual_role", "required", "Choose the role of the people whom the provider adds.")
	}
}
