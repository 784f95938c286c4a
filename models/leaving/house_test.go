package leaving_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/leaving"
	"debitdesk/models/mandate"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
	"debitdesk/models/token"
)

var monday = calendar.On(2026, time.November, 23)

// What must not lie open.
const (
	account  = "62000012340"
	identity = "8001015009087"
	ours     = "12345678"
)

type house struct {
	*testing.T
	store *database.DB
	books *leaving.Service
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T) *house {
	t.Helper()
	box, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	must(t, err)
	s, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Seal: box, Sandbox: true,
		Machine: storetest.StandingClock(), MaxConns: 4,
		Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	must(t, err)
	t.Cleanup(s.Close)
	storetest.StartAt(t, s.Clock, monday.At(9, 0))
	return &house{T: t, store: s, books: &leaving.Service{Store: leaving.Store{DB: s}, Release: "test"}}
}

func (h *house) exec(sql string, args ...any) {
	h.Helper()
	_, err := h.store.Pool.Exec(h.Context(), sql, args...)
	must(h.T, err)
}

// merchant adds a business with one brand and its profile.
func (h *house) merchant(slug string) actor.Actor {
	h.Helper()
	who := actor.Actor{Kind: actor.User, Role: actor.Admin, MerchantID: h.store.NewID(), Name: "Owner of " + slug}
	brand := h.store.NewID()
	h.exec(`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, $2, true, $3, $3)`,
		who.MerchantID, slug, h.store.Now())
	h.exec(`INSERT INTO brands (id, merchant_id, name, reference_prefix, created_at, updated_at)
		VALUES ($1, $2, $3, 'R', $4, $4)`, brand, who.MerchantID, "Brand of "+slug, h.store.Now())
	h.exec(`INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name, account_number,
		branch_code, is_default, created_at) VALUES ($1, $2, $3, 'P1', 'NAME', $4, '250655', true, $5)`, h.store.NewID(),
		who.MerchantID, brand, ours, h.store.Now())
	return who
}

// client adds one with both numbers.
func (h *house) client(of actor.Actor, name string) (id uuid.UUID) {
	h.Helper()
	id = h.store.NewID()
	must(h.T, h.store.InTx(h.Context(), func(tx *database.Tx) error {
		c := client.Client{ID: id, MerchantID: of.MerchantID, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
		c.FullName, c.Email, c.BankAccount, c.PersonalCode = name, "one@example.com", account, identity
		client.Insert(tx, c)
		return nil
	}))
	return id
}

// evidence adds a mandate with a scan, and the stored account.
func (h *house) evidence(of actor.Actor, client uuid.UUID, content string) (id uuid.UUID) {
	h.Helper()
	id = h.store.NewID()
	var brand uuid.UUID
	must(h.T, h.store.Pool.QueryRow(h.Context(), `SELECT id FROM brands WHERE merchant_id = $1`, of.MerchantID).
		Scan(&brand))
	must(h.T, h.store.InTx(h.Context(), func(tx *database.Tx) error {
		now, sum := tx.Now(), sha256.Sum256([]byte(content))
		mandate.Insert(tx, mandate.Mandate{ID: id, MerchantID: of.MerchantID, BrandID: brand, ClientID: client,
			Kind: mandate.EFT, State: mandate.ActiveState, ContractReference: "R" + id.String()[24:], PeriodUnits: "months",
			DeductionDay: 1, ClearingAccount: ours, AccountMask: bank.AccountNumber(account).String(), CreatedAt: now,
			UpdatedAt: now, Consent: mandate.Consent{Text: "I agree.", At: now, Channel: mandate.SignedPaper}})
		token.Insert(tx, token.Token{ID: id, MerchantID: of.MerchantID, BrandID: brand, ClientID: client,
			MandateID: id, State: token.Active, Account: account, CreatedAt: now, UpdatedAt: now})
		mandate.InsertEvidence(tx, mandate.Evidence{ID: id, MerchantID: of.MerchantID, MandateID: id,
			Name: "scan.png", ContentType: "image/png", SizeBytes: int64(len(content)), SHA256: sum[:],
			Content: []byte(content), CreatedAt: now})
		return nil
	}))
	return id
}

// take writes a book.
func (h *house) take(who actor.Actor, w leaving.Wish) *taken {
	h.Helper()
	var out bytes.Buffer
	b, err := h.books.Begin(h.Context(), who, w, &out)
	must(h.T, err)
	defer b.Close()
	for more := true; more; {
		more, err = b.Next(h.Context())
		must(h.T, err)
	}
	return unpacked(h.T, out.Bytes(), b.Done(), leaving.Asked(b))
}

// taken is a book that was read again.
type taken struct {
	*testing.T
	raw      []byte
	done     leaving.Summary
	asked    int
	files    map[string][]byte
	manifest leaving.Manifest
}

func unpacked(t *testing.T, raw []byte, done leaving.Summary, asked int) *taken {
	t.Helper()
	b := &taken{T: t, raw: raw, done: done, asked: asked, files: map[string][]byte{}}
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	must(t, err)
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		content, err := io.ReadAll(r)
		must(t, err)
		if b.files[f.Name] != nil {
			t.Errorf("%s is there twice", f.Name)
		}
		b.files[f.Name] = content
	}
	must(t, json.Unmarshal(b.files[leaving.ManifestName], &b.manifest))
	return b
}

// rows are those of a file, by the names of its columns.
func (b *taken) rows(name string) (out []map[string]string) {
	b.Helper()
	all, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(b.files[name]), "\ufeff"))).ReadAll()
	must(b.T, err)
	if len(all) == 0 {
		b.Fatalf("%s has no heads", name)
	}
	for _, r := range all[1:] {
		row := map[string]string{}
		for i, head := range all[0] {
			row[head] = r[i]
		}
		out = append(out, row)
	}
	return out
}
