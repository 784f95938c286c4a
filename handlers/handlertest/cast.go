package handlertest

import (
	"context"
	"crypto/ed25519"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/labstack/echo/v4"

	"debitdesk/cmd/app"
	"debitdesk/models/actor"
	"debitdesk/models/credential"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
	"debitdesk/models/user"
)

var keys = []credential.Key{{ID: "k1", Private: ed25519.NewKeyFromSeed([]byte("seed-of-32-bytes-seed-of-32-byte"))}}

// cast are the businesses of every server in this process, before anybody has signed in. Servers are copies of one
// database, so that their people have the same ids.
type cast struct{ a, b Merchant }

var engaged struct {
	sync.Mutex
	cast
}

func theCast() cast {
	engaged.Lock()
	defer engaged.Unlock()
	return engaged.cast
}

// engage fills a database with the cast, a second before servers begin.
func engage(tb testing.TB, dsn string, box *seal.Box, quiet *slog.Logger) {
	tb.Helper()
	db := open(tb, dsn, sunday.Add(-time.Second), box, quiet)
	defer db.Close()
	use, err := app.New(app.Options{Store: db, Log: quiet, BaseURL: BaseURL, Sandbox: true, Version: "test",
		Now: time.Now, Signing: keys})
	must(tb, err)
	a := merchant(tb, db, use.Credentials, "a", "TEST1", "TESTMERCH1", "12345678")
	b := merchant(tb, db, use.Credentials, "b", "TEST2", "STRANGER", "87654321")
	engaged.Lock()
	defer engaged.Unlock()
	engaged.cast = cast{a, b}
}

// open opens the database of a server, whose product clock begins at a moment. Tests do the work of jobs themselves.
func open(tb testing.TB, dsn string, at time.Time, box *seal.Box, quiet *slog.Logger) *database.DB {
	tb.Helper()
	db, err := database.Open(tb.Context(), dsn, database.Options{Seal: box, Sandbox: true,
		Machine: storetest.StandingClock(), MaxConns: Connections, Patience: time.Minute, Log: quiet,
		Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	must(tb, err)
	storetest.StartAt(tb, db.Clock, at)
	return db
}

func merchant(tb testing.TB, db *database.DB, credentials *credential.Service,
	slug, profile, name, account string) Merchant {
	tb.Helper()
	exec := func(sql string, args ...any) {
		_, err := db.Pool.Exec(tb.Context(), sql, args...)
		must(tb, err)
	}
	m := Merchant{ID: db.NewID(), BrandID: db.NewID()}
	now := db.Now()
	exec(`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, $3, true, $4, $4)`,
		m.ID, slug, "Merchant "+slug, now)
	exec(`INSERT INTO brands (id, merchant_id, name, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)`, m.BrandID,
		m.ID, "Brand "+slug, now)
	exec(`INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name, account_number,
			branch_code, is_default, created_at) VALUES ($1, $2, $3, $4, $5, $6, '051001', true, $7)`,
		db.NewID(), m.ID, m.BrandID, profile, name, account, now)
	m.Owner.User = person(tb, db, m.ID, slug, actor.Admin)
	m.Finance.User = person(tb, db, m.ID, slug, actor.Finance)
	m.Staff.User = person(tb, db, m.ID, slug, actor.Staff)
	m.Reader.User = person(tb, db, m.ID, slug, actor.ReadOnly)
	m.Actor = m.Owner.Actor()
	issued, err := credentials.Issue(tb.Context(), m.Actor,
		credential.Input{Name: "tests", Lifetime: 365 * 24 * time.Hour})
	must(tb, err)
	m.Token = issued.Token
	exec(`DELETE FROM mails WHERE merchant_id = $1`, m.ID) // the admins are told of the credential
	return m
}

// nobodys is the hash of no password.
const nobodys = "$argon2id$v=19$m=64,t=1,p=1$ZGViaXRkZXNrIG5vYm9keQ$x3Jx9l8m2l0Sg1cYJm8m0h2lVf3y7dQk5vE1nX9bU4o"

// person adds somebody whose password nobody knows.
func person(tb testing.TB, db *database.DB, merchantID uuid.UUID, slug string, role actor.Role) user.User {
	tb.Helper()
	u := user.User{ID: db.NewID(), MerchantID: merchantID, Email: string(role) + "@" + slug + ".example",
		Name: string(role) + " of " + slug, Role: role}
	_, err := db.Pool.Exec(tb.Context(),
		`INSERT INTO users (id, merchant_id, email, name, role, password_hash, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $7, $6, $6)`,
		u.ID, merchantID, u.Email, u.Name, string(role), db.Now(), nobodys)
	must(tb, err)
	return u
}

func (h *Server) signedIn(m Merchant) Merchant {
	h.tb.Helper()
	for _, p := range []*Person{&m.Owner, &m.Finance, &m.Staff, &m.Reader} {
		*p = h.signIn(p.User)
	}
	return m
}

func (h *Server) signIn(u user.User) Person {
	h.tb.Helper()
	rec := httptest.NewRecorder()
	c := echo.New().NewContext(httptest.NewRequest(http.MethodPost, "/login", nil), rec)
	must(h.tb, h.Sessions.Start(c, u))
	cookie := rec.Result().Cookies()[0]
	return Person{u, cookie.Name + "=" + cookie.Value}
}
