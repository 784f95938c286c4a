package factor_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/factor"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/queue"
	"debitdesk/models/storetest"
	"debitdesk/models/user"
)

type house struct {
	*factor.Service
	store *database.DB
	ahead atomic.Int64
	who   actor.Actor // an admin
	other actor.Actor // a colleague
}

type plain struct{}

func (plain) FactorChanged(n factor.Notice) mail.Letter {
	return mail.Letter{Subject: "Changed", Text: n.What}
}

func open(t *testing.T) *house {
	t.Helper()
	box, err := seal.NewBox([]seal.Key{{ID: "t1", Secret: []byte("0123456789abcdef0123456789abcdef")}},
		[]byte("index-key-index-key-index-key-32"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Seal: box, Sandbox: true, MaxConns: 8,
		Enqueue: func(context.Context, pgx.Tx, []queue.Job) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	h := &house{store: db}
	merchant := uuid.New()
	if _, err := db.Pool.Exec(
		t.Context(),
		`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at)
			VALUES ($1, 'ours', 'Ours', true, now(), now())`,
		merchant,
	); err != nil {
		t.Fatal(err)
	}
	h.who, h.other = h.person(t, merchant, "thandi@example.com"), h.person(t, merchant, "pieter@example.com")
	party, err := factor.NewParty("https://desk.example")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	h.Service = &factor.Service{Store: factor.Store{DB: db}, Letters: plain{}, Party: party,
		Now: func() time.Time { return start.Add(time.Duration(h.ahead.Load())) },
		Password: func(_ context.Context, _ actor.Actor, password string) error {
			if password != "right" {
				return fault.At("password", "wrong", "That is not your password.")
			}
			return nil
		}}
	return h
}

func (h *house) person(t *testing.T, merchant uuid.UUID, email string) actor.Actor {
	t.Helper()
	u := user.User{ID: uuid.New(), MerchantID: merchant, Email: email, Role: actor.Admin, CreatedAt: time.Unix(1, 0),
		UpdatedAt: time.Unix(1, 0)}
	if err := h.store.InTx(t.Context(), func(tx *database.Tx) error { return user.Insert(tx, u, "") }); err != nil {
		t.Fatal(err)
	}
	return u.Actor()
}

// device is a security key in software.
type device struct {
	t       *testing.T
	id      []byte
	key     *ecdsa.PrivateKey
	counter uint32
	origin  string
}

func newDevice(t *testing.T) *device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := uuid.New()
	return &device{t: t, id: id[:], key: key, origin: "https://desk.example"}
}

const (
	present = 0x01
	fresh   = 0x40
)

func (d *device) data(flags byte, more []byte) []byte {
	site := sha256.Sum256([]byte("desk.example"))
	return append(binary.BigEndian.AppendUint32(append(site[:], flags), d.counter), more...)
}

func (d *device) client(kind, question string) []byte {
	var q struct {
		Challenge string `json:"challenge"`
	}
	if err := json.Unmarshal([]byte(question), &q); err != nil {
		d.t.Fatal(err)
	}
	out, _ := json.Marshal(map[string]any{"type": kind, "challenge": q.Challenge, "origin": d.origin,
		"crossOrigin": false})
	return out
}

func (d *device) answer(response map[string]string) string {
	id := base64.RawURLEncoding.EncodeToString(d.id)
	out, _ := json.Marshal(map[string]any{"id": id, "rawId": id, "type": "public-key", "response": response,
		"clientExtensionResults": map[string]any{}})
	return string(out)
}

func encoded(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (d *device) make(question string) string {
	d.t.Helper()
	point, err := d.key.PublicKey.Bytes()
	if err != nil {
		d.t.Fatal(err)
	}
	public, err := webauthncbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]})
	if err != nil {
		d.t.Fatal(err)
	}
	made := append(make([]byte, 16), 0, byte(len(d.id)))
	object, err := webauthncbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{},
		"authData": d.data(present|fresh, append(append(made, d.id...), public...))})
	if err != nil {
		d.t.Fatal(err)
	}
	return d.answer(map[string]string{"clientDataJSON": encoded(d.client("webauthn.create", question)),
		"attestationObject": encoded(object)})
}

func (d *device) show(question string) string {
	d.t.Helper()
	data, client := d.data(present, nil), d.client("webauthn.get", question)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(data, hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, digest[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return d.answer(map[string]string{"clientDataJSON": encoded(client),
		"authenticatorData": encoded(d.data(present, nil)), "signature": encoded(signature)})
}

func (h *house) adds(t *testing.T, who actor.Actor, d *device) ([]string, error) {
	t.Helper()
	question, remembered, err := h.BeginPasskey(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	return h.AddPasskey(t.Context(), who, "Key", d.make(question), remembered, "right")
}

func (h *house) shows(t *testing.T, who actor.Actor, d *device) error {
	t.Helper()
	question, remembered, err := h.BeginAssertion(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Show(t.Context(), who, factor.Proof{Assertion: d.show(question), Ceremony: remembered})
	return err
}

func wantField(t *testing.T, what string, err error, code string) {
	t.Helper()
	f, ok := fault.From(err)
	if !ok || len(f.Fields) != 1 || f.Fields[0].Code != code {
		t.Fatalf("%s: got %v, want %s", what, err, code)
	}
}

func TestAPasskeyIsAddedAndShown(t *testing.T) {
	t.Parallel()
	h, d := open(t), newDevice(t)
	codes, err := h.adds(t, h.who, d)
	if err != nil || len(codes) != factor.RecoveryCodes {
		t.Fatalf("%d codes, %v", len(codes), err)
	}
	for range 2 {
		d.counter++
		if err := h.shows(t, h.who, d); err != nil {
			t.Fatal(err)
		}
	}
	h.ahead.Add(int64(time.Second))
	if codes, err := h.adds(t, h.who, newDevice(t)); err != nil || codes != nil {
		t.Fatalf("a second one: %v, %v", codes, err)
	}
	_, err = h.adds(t, h.other, d)
	wantField(t, "the same of another person", err, "unique")
	stranger := newDevice(t)
	wantField(t, "an unknown one", h.shows(t, h.who, stranger), "invalid")
	set, err := h.Of(t.Context(), h.who)
	if err != nil || len(set.Passkeys) != 2 || set.Passkeys[0].LastUsedAt.IsZero() ||
		!set.Passkeys[1].LastUsedAt.IsZero() {
		t.Fatalf("%+v, %v", set, err)
	}
}

func TestACounterThatDoesNotGrowIsACopy(t *testing.T) {
	t.Parallel()
	h, d := open(t), newDevice(t)
	d.counter = 7
	if _, err := h.adds(t, h.who, d); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		counter uint32
		fits    bool
	}{{7, false}, {6, false}, {8, true}, {8, false}, {0, false}, {9, true}} {
		d.counter = c.counter
		if err := h.shows(t, h.who, d); (err == nil) != c.fits {
			t.Errorf("counter %d: %v", c.counter, err)
		}
	}
	without := newDevice(t) // synchronised passkeys count nothing
	if _, err := h.adds(t, h.who, without); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := h.shows(t, h.who, without); err != nil {
			t.Error(err)
		}
	}
}

func TestAnAnswerFitsItsQuestionAlone(t *testing.T) {
	t.Parallel()
	h, d := open(t), newDevice(t)
	if _, err := h.adds(t, h.who, d); err != nil {
		t.Fatal(err)
	}
	first, rememberedFirst, _ := h.BeginAssertion(t.Context(), h.who)
	_, rememberedSecond, _ := h.BeginAssertion(t.Context(), h.who)
	elsewhere := *d
	elsewhere.origin = "https://desk.example.evil"
	for name, p := range map[string]factor.Proof{
		"another question":       {Assertion: d.show(first), Ceremony: rememberedSecond},
		"another site":           {Assertion: elsewhere.show(first), Ceremony: rememberedFirst},
		"none was asked":         {Assertion: d.show(first)},
		"nonsense":               {Assertion: "{}", Ceremony: rememberedFirst},
		"a question for another": {Assertion: d.show(first), Ceremony: "{}"},
	} {
		if _, err := h.Show(t.Context(), h.who, p); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := h.Show(t.Context(), h.other, factor.Proof{Assertion: d.show(first),
		Ceremony: rememberedFirst}); !fault.Is(err, fault.Invalid) {
		t.Errorf("by another person: %v", err)
	}
	h.ahead.Add(int64(5*time.Minute + time.Microsecond))
	if _, err := h.Show(t.Context(), h.who, factor.Proof{Assertion: d.show(first), Ceremony: rememberedFirst}); !fault.Is(
		err, fault.Invalid) {
		t.Errorf("after five minutes: %v", err)
	}
	h.ahead.Add(int64(-time.Microsecond))
	if _, err := h.Show(t.Context(), h.who, factor.Proof{Assertion: d.show(first),
		Ceremony: rememberedFirst}); err != nil {
		t.Errorf("at five minutes: %v", err)
	}
}

func TestPasskeysAreNamedAndNotTooMany(t *testing.T) {
	t.Parallel()
	h := open(t)
	question, remembered, err := h.BeginPasskey(t.Context(), h.who)
	if err != nil {
		t.Fatal(err)
	}
	d := newDevice(t)
	for name, code := range map[string]string{" ": "required", string(make([]rune, 61)): "max_length"} {
		_, err := h.AddPasskey(t.Context(), h.who, name, d.make(question), remembered, "right")
		wantField(t, "a name", err, code)
	}
	for password, code := range map[string]string{"": "required", "wrong": "wrong"} {
		_, err := h.AddPasskey(t.Context(), h.who, "Key", d.make(question), remembered, password)
		wantField(t, "the first one with the password "+password, err, code)
	}
	for range factor.MaxPasskeys {
		if _, err := h.adds(t, h.who, newDevice(t)); err != nil {
			t.Fatal(err)
		}
	}
	_, err = h.adds(t, h.who, newDevice(t))
	wantField(t, "one more", err, "max_length")
}

func TestWhoWorksElsewhereTooIsNotOneAdminsToReset(t *testing.T) {
	t.Parallel()
	h := open(t)
	if _, err := h.adds(t, h.other, newDevice(t)); err != nil {
		t.Fatal(err)
	}
	if err := h.Reset(t.Context(), h.who, h.who.ID); !fault.Is(err, fault.Conflict) {
		t.Errorf("oneself: %v", err)
	}
	elsewhere := uuid.New()
	for _, sql := range []string{
		`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at)
			VALUES ($1, 'theirs', 'Theirs', true, now(), now())`,
		`INSERT INTO memberships (user_id, merchant_id, role, created_at, updated_at) SELECT id, $1, 'staff', now(), now()
			FROM users WHERE email = 'pieter@example.com'`} {
		if _, err := h.store.Pool.Exec(t.Context(), sql, elsewhere); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Reset(t.Context(), h.who, h.other.ID); !fault.HasCode(err, "user_elsewhere") {
		t.Errorf("an admin: %v", err)
	}
	if err := h.Reset(t.Context(), actor.OperatorOf(h.who.MerchantID), h.other.ID); err != nil {
		t.Errorf("the command line: %v", err)
	}
	if set, err := h.Of(t.Context(), h.other); err != nil || set.Any() {
		t.Errorf("%+v, %v", set, err)
	}
}
