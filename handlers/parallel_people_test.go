package handlers_test

import (
	"encoding/base32"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"debitdesk/handlers/handlertest"
	"debitdesk/handlers/handlertest/testissuer"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/credential"
	"debitdesk/models/database"
	"debitdesk/models/factor"
	"debitdesk/models/member"
	"debitdesk/models/merchant"
	"debitdesk/models/queue"
	"debitdesk/models/user"
)

func (c *callers) settings() {
	in := merchant.NewBrand()
	fields := func(i int, first, version string) url.Values {
		in := in
		in.Name, in.ReferencePrefix = fmt.Sprint("Brand ", i), first+string(rune('A'+i%26))+string(rune('A'+i/26))
		return brandForm(in, version)
	}
	c.all("POST /settings/brands", func(i int) ask { return ask{body: fields(i, "P", "")} }, 303,
		409) // a business has so many and no more
	ids := c.column(`SELECT id::text FROM brands WHERE merchant_id = $1 AND name LIKE 'Brand %' AND id <> $2`, c.A.ID,
		c.A.BrandID)
	c.all(
		"POST /settings/brands/:id",
		func(i int) ask { return ask{ids: onOne(ids, i), body: fields(i, "Q", "1")} },
		303,
		409,
	)
	c.all("POST /settings/brands/:id/profiles", func(i int) ask {
		return ask{ids: ids[:1], body: form("profile_code", fmt.Sprintf("C%04d", i), "abbreviated_name",
			fmt.Sprintf("SHOP%04d", i), "account_number", fmt.Sprint(12345700+i), "branch_code", "051001", "save", "yes")}
	}, 303)
	profiles := c.column(`SELECT id::text FROM debit_profiles WHERE brand_id = $1`, ids[0])
	of := func(i int) []string { return []string{ids[0], onOne(profiles, i)[0]} }
	c.all("POST /settings/brands/:id/profiles/:profile/default", func(i int) ask { return ask{ids: of(i), body: form()} },
		303, 409)
	c.all("POST /settings/brands/:id/profiles/:profile/removal", func(i int) ask { return ask{ids: of(i), body: form()} },
		303, 404, 409)
	c.all("POST /settings/brands/:id/removal", func(i int) ask { return ask{ids: onOne(ids, i), body: form()} }, 303, 404,
		409)

	tomorrow := calendar.DateOf(c.Store.Now()).AddDays(1).String()
	c.all("POST /settings/rules", func(i int) ask {
		return ask{body: form("key", "dc.tracking_days", "value", fmt.Sprint(i%10), "from", tomorrow)}
	}, 303, 422) // the same value again changes nothing
	rules := c.column(`SELECT id::text FROM own_rules WHERE merchant_id = $1`, c.A.ID)
	c.all("POST /settings/rules/:id/end", func(i int) ask { return ask{ids: onOne(rules, i), body: form()} }, 303, 409)

	c.all("POST /developers/credentials", func(i int) ask {
		return ask{body: form("name", fmt.Sprint("Program ", i), "kind", "client_credentials", "lifetime", "90d", "scopes",
			"read")}
	}, 201)
	keys := c.column(`SELECT id::text FROM credentials WHERE merchant_id = $1 AND name LIKE 'Program %'`, c.A.ID)
	c.all("POST /developers/credentials/:id/rotation", func(i int) ask {
		return ask{ids: onOne(keys, i),
			body: form("overlap", "7d")}
	}, 201, 409)
	c.all("POST /developers/credentials/:id/revocation", func(i int) ask {
		id := onOne(keys, i)
		return ask{ids: id, body: form("confirm", id[0][len(id[0])-4:])}
	}, 303, 409)
	key, err := c.credentials.IssueClient(c.t.Context(), c.A.Actor, credential.Input{Name: "exchanging"})
	if err != nil {
		c.t.Fatal(err)
	}
	c.all("POST /oauth/token", func(int) ask {
		return ask{body: url.Values{"grant_type": {"client_credentials"}, "client_id": {key.ClientID},
			"client_secret": {key.Secret}}}
	}, 200)
}

func (c *callers) people() {
	c.all("POST /settings/people/invitations", func(i int) ask {
		return ask{body: form("email", fmt.Sprintf("invited%d@example.com", i), "role", "staff")}
	}, 303)
	ids := c.column(`SELECT id::text FROM invitations WHERE email LIKE 'invited%'`)
	c.all("POST /settings/people/invitations/:id/mails", func(i int) ask { return ask{ids: onOne(ids, i), body: form()} },
		303, 409)
	links := make([]string, few)
	for i := range links {
		links[i] = strings.TrimPrefix(c.mailed(fmt.Sprintf("invited%d@example.com", i)), "/invite/")
	}
	c.times(few, "POST /invite/:token", func(i int) ask {
		return ask{ids: links[i : i+1], who: &handlertest.Person{}, body: url.Values{"name": {"Sipho Dube"},
			"password": {herons}}}
	}, 303)
	c.times(few, "POST /login", func(i int) ask {
		return ask{who: &handlertest.Person{}, body: url.Values{"email": {fmt.Sprintf("invited%d@example.com", i)},
			"password": {herons}}}
	}, 303)
	c.all("POST /settings/people/invitations/:id/revocation", func(i int) ask {
		return ask{ids: onOne(ids, i),
			body: form()}
	}, 303, 409)
	c.all("POST /reset", func(i int) ask {
		return ask{who: &handlertest.Person{}, body: url.Values{"email": {fmt.Sprintf("invited%d@example.com", i%few)}}}
	}, 200, 429)
	for i := range links {
		if err := c.People.SendReset(c.t.Context(), queue.ResetPassword{AskID: c.Store.NewID(),
			Email: fmt.Sprintf("invited%d@example.com", i)}); err != nil {
			c.t.Fatal(err)
		}
		links[i] = strings.TrimPrefix(c.mailed(fmt.Sprintf("invited%d@example.com", i)), "/reset/")
	}
	c.times(few, "POST /reset/:token", func(i int) ask {
		return ask{ids: links[i : i+1], who: &handlertest.Person{}, body: url.Values{"password": {"four loud herons"}}}
	}, 303)

	members := make([]handlertest.Person, many)
	for i := range members {
		members[i] = c.Member(c.A, fmt.Sprint("m", i), actor.Staff, actor.Grants{})
	}
	id := func(i int) []string { return onOne([]string{members[i].ID.String()}, 0) }
	c.all("POST /settings/people/:id", func(i int) ask { return ask{ids: id(i), body: form("role", "readonly")} }, 303)
	c.all("POST /settings/people/:id/disabling", func(i int) ask { return ask{ids: id(i), body: form()} }, 303)
	c.all("POST /settings/people/:id/enabling", func(i int) ask { return ask{ids: id(i), body: form()} }, 303)
	for _, m := range members {
		c.passkey(m.User)
	}
	c.all("POST /settings/security/people/:id/reset", func(i int) ask { return ask{ids: id(i), body: form()} }, 303)
	c.all("POST /settings/people/:id/removal", func(i int) ask {
		return ask{ids: id(i), body: form("confirm",
			members[i].Email)}
	}, 303)
	c.all("POST /settings/security", func(int) ask { return ask{body: form("require", "no")} }, 303)
	c.issuers()
}

// issuers are added, changed and removed, and say that people signed out.
func (c *callers) issuers() {
	op := testissuer.New(c.t)
	body := form("name", "House Login", "issuer", op.URL, "client_id", op.ClientID, "domains", "a.example", "version", "1",
		"enabled", "yes")
	c.all("POST /settings/issuers", func(int) ask { return ask{body: body} }, 303)
	ids := c.column(`SELECT id::text FROM issuers WHERE issuer <> 'http://127.0.0.1:9'`) // which does not answer
	c.all("POST /settings/issuers/exceptions",
		func(int) ask { return ask{body: form("keep", c.A.Owner.ID.String())} }, 303)
	c.all("POST /settings/issuers/:id", func(i int) ask { return ask{ids: onOne(ids, i), body: body} }, 303, 409)
	c.all("POST /oidc/logout/:id", func(i int) ask {
		return ask{ids: onOne(ids, i), who: &handlertest.Person{}, body: url.Values{"logout_token": {op.LogoutToken(nil)}}}
	}, 200)
	c.all("POST /settings/issuers/:id/removal", func(i int) ask { return ask{ids: onOne(ids, i), body: form()} }, 303, 404)
	c.all("POST /first/:token", func(int) ask {
		return ask{ids: []string{"unknown"}, who: &handlertest.Person{}, body: url.Values{}}
	}, 404)
}

// passkey gives a person one, and its name in addresses.
func (c *callers) passkey(u user.User) string {
	c.t.Helper()
	key := factor.Passkey{ID: c.randomID(), Name: "Key", Credential: []byte(`{}`), CreatedAt: c.Real()}
	if err := c.Store.InTx(
		c.t.Context(),
		func(tx *database.Tx) error { return factor.InsertPasskey(tx, u.ID, key) },
	); err != nil {
		c.t.Fatal(err)
	}
	return key.Handle()
}

func (c *callers) randomID() []byte { id := c.Store.NewID(); return id[:] }

var sessionHandle = regexp.MustCompile(`/account/sessions/([0-9A-Za-z_-]+)/end`)

func (c *callers) ownAccount() {
	who := c.Member(c.A, "self", actor.Staff, actor.Grants{})
	c.all("POST /account/theme", func(i int) ask {
		return ask{who: &who, body: form("theme", []string{"dark",
			"light"}[i%2])}
	}, 303)
	c.all("POST /account/first-steps/hiding", func(int) ask { return ask{who: &who, body: form()} }, 303)
	c.all("POST /account/first-steps/showing", func(int) ask { return ask{who: &who, body: form()} }, 303)
	c.all("POST /account/keys", func(i int) ask {
		return ask{who: &who, body: form("keys", []string{"on", "off"}[i%2])}
	}, 303)
	c.in(who.User, many)
	var handles []string
	for _, m := range sessionHandle.FindAllStringSubmatch(c.Page(who, "GET", "/account", nil).Want(200).Body, -1) {
		if m[1] != "others" {
			handles = append(handles, m[1])
		}
	}
	if len(handles) < many {
		c.t.Fatalf("%d sessions", len(handles))
	}
	c.all("POST /account/sessions/:handle/end", func(i int) ask {
		return ask{ids: onOne(handles, i), who: &who,
			body: form()}
	}, 303, 404)
	c.in(who.User, many)
	c.all("POST /account/sessions/others/end", func(int) ask { return ask{who: &who, body: form()} }, 303)

	if _, err := c.Members.Enrol(c.t.Context(), actor.OperatorOf(c.B.ID), who.Email,
		member.Terms{Role: actor.Staff}); err != nil {
		c.t.Fatal(err)
	}
	sessions := c.in(who.User, many)
	c.all("POST /account/business", func(i int) ask {
		return ask{who: &sessions[i], body: form("merchant_id",
			c.B.ID.String())}
	}, 303)

	hash, err := user.HashPassword(c.t.Context(), herons)
	if err != nil {
		c.t.Fatal(err)
	}
	c.exec(`UPDATE users SET password_hash = $1 WHERE id = $2`, hash, who.ID)
	c.times(few, "POST /account/password", func(int) ask {
		return ask{who: &who, body: form("old_password", herons, "new_password", "four loud herons")}
	}, 303, 422, 409, 429)

	keyed := c.Member(c.A, "keyed", actor.Staff, actor.Grants{})
	c.all("POST /account/security/passkeys", func(int) ask {
		return ask{who: &keyed, body: form("name", "Key", "assertion",
			"{}")}
	}, 422)
	keyed = c.Member(c.A, "coded", actor.Staff, actor.Grants{})
	gate := &signInServer{c.Server, c.t}
	c.all("POST /account/security/app", func(int) ask { return ask{who: &keyed, body: form()} }, 303)
	key := strings.ReplaceAll(keyPattern.FindString(c.Page(keyed, "GET", "/account/security/app", nil).Want(200).Body),
		" ", "")
	if _, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(key); err != nil {
		c.t.Fatal(err)
	}
	code := gate.code(key, 0)
	var codes []string
	for _, a := range c.times(few, "POST /account/security/app/confirmation", func(int) ask {
		return ask{who: &keyed,
			body: form("code", code, "password", handlertest.Password)}
	}, 201, 303, 409, 422) {
		if a.Status != 201 {
			continue
		}
		for _, m := range codePattern.FindAllStringSubmatch(a.Body, -1) {
			codes = append(codes, m[1])
		}
		keyed.Cookie = sessionOf(c.t, a)
	}
	c.all("POST /account/security/recovery-codes/file", func(int) ask {
		return ask{who: &keyed,
			body: url.Values{"codes": codes}}
	}, 200)
	c.all("POST /account/security/recovery-codes", func(int) ask { return ask{who: &keyed, body: form()} }, 201)
	var passkeys []string
	for range many {
		passkeys = append(passkeys, c.passkey(keyed.User))
	}
	c.all("POST /account/security/passkeys/:id/removal", func(i int) ask {
		return ask{ids: onOne(passkeys, i), who: &keyed,
			body: form()}
	}, 303, 404)
	half := c.in(keyed.User, many)
	c.all("POST /login/factor", func(i int) ask { return ask{who: &half[i], body: form("code", "000000")} }, 422, 429)
	c.all("POST /account/proof", func(int) ask { return ask{who: &keyed, body: form("code", "000000", "next", "/")} }, 429,
		422) // the wrong codes above count
	c.exec(`UPDATE sessions SET proven_at = now() + interval '1 hour' WHERE user_id = $1`, keyed.ID)
	c.all("POST /account/security/app/removal", func(int) ask { return ask{who: &keyed, body: form()} }, 303, 404, 409)
}

func (c *callers) entrance() {
	sessions := c.in(c.A.Reader.User, many)
	c.all("POST /logout", func(i int) ask { return ask{who: &sessions[i], body: form()} }, 303)
}

// playgrounds are last: the end of them wipes the business.
func (c *callers) playgrounds() {
	c.all("POST /sandbox/clock", func(int) ask { return ask{body: `{"advance":"1s"}`} }, 200)
	c.all("POST /developers/simulator/clock", func(i int) ask {
		return ask{body: form("to", c.Store.Now().Add(time.Second).Format(time.RFC3339Nano))}
	}, 303, 409, 422)
	c.all("POST /developers/simulator/demo", func(i int) ask {
		return ask{body: form("kind", "demo", "clients", "1",
			"seed", fmt.Sprint(i))}
	}, 303, 409)
	c.all("POST /developers/simulator/scenarios", func(i int) ask {
		return ask{body: form("kind", "scenario", "months", "1", "clients", "1", "paid", "100", "unpaid", "0", "disputed",
			"0", "seed", fmt.Sprint(i))}
	}, 409, 303)
	c.exec(`DELETE FROM simulations`)
	c.exec(`UPDATE merchants SET approve_batches_cents = NULL`) // or a wipe needs a second person
	c.all("POST /developers/simulator/wipe", func(int) ask { return ask{body: form("confirm", "a")} }, 303, 409)
}
