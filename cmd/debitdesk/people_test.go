package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/mail/outbox"
)

// An admin invites somebody to look; the invited opens the mail, joins, signs in
// again, and finds the same pages without their buttons.
func TestFromAnInvitationToAPersonWhoLooks(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	chromium := browser(t)
	owner := site.tab(t, chromium)
	owner.signIn()
	owner.addsClient("Thandiwe Nkosi", "thandiwe@example.com")
	owner.open("/settings/people")
	owner.sees("Nomsa Jacobs")
	owner.open("/settings/people/invite")
	owner.looksAt("people-invite")
	owner.fill("email", "auditor@books.example")
	owner.choose("role", "readonly")
	owner.click("Send invitation")
	owner.sees("on its way to auditor@books.example")
	owner.looksAt("people")

	guest := site.tab(t, chromium)
	guest.open(site.mailedLink(t, "auditor@books.example"))
	guest.sees("You are invited to work for")
	guest.looksAt("invitation")
	guest.fill("name", "Ayesha Adams")
	guest.fill("password", "three quiet herons")
	guest.click("Join Kloof Street Fitness")
	guest.sees("To be collected today")
	guest.open("/account")
	guest.looksAt("account")
	guest = site.tab(t, chromium)
	guest.open("/login")
	guest.fill("email", "auditor@books.example")
	guest.fill("password", "three quiet herons")
	guest.click("Sign in")
	guest.sees("To be collected today")
	guest.open("/clients")
	guest.sees("Thandiwe Nkosi")
	if strings.Contains(guest.page(), "New client") {
		t.Error("who only looks finds a button that is refused")
	}
	guest.looksAt("clients-readonly")

	owner.open("/settings/people")
	owner.click("Ayesha Adams")
	owner.sees("What they may do")
	owner.looksAt("person")
	owner.click("Disable")
	owner.sees("is disabled")
	guest.open("/clients")
	guest.sees("Sign in")
}

// Somebody who forgot the password asks for a link and chooses another one.
func TestAForgottenPasswordInTheBrowser(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	person := site.tab(t, browser(t))
	person.open("/login")
	person.click("Forgot your password?")
	person.looksAt("reset")
	person.fill("email", "owner@gym.example")
	person.click("Send the link")
	person.sees("Check your mailbox")
	person.open(site.mailedLink(t, "owner@gym.example"))
	person.looksAt("new-password")
	person.fill("password", "four calm pelicans")
	person.click("Set the password")
	person.sees("Your new password is set")
	person.fill("email", "owner@gym.example")
	person.fill("password", "four calm pelicans")
	person.click("Sign in")
	person.sees("To be collected today")
}

// mailedLink waits for the newest mail to somebody and gives where it leads.
func (s *site) mailedLink(t *testing.T, to string) string {
	t.Helper()
	var text string
	for look, end := time.NewTicker(50*time.Millisecond), time.After(patience); text == ""; {
		select {
		case <-end:
			t.Fatal("no mail to " + to)
		case <-look.C:
			var merchantID, id uuid.UUID
			if err := s.app.Store.Pool.QueryRow(t.Context(),
				`SELECT merchant_id, id FROM mails WHERE recipient = $1 ORDER BY id DESC LIMIT 1`, to).Scan(&merchantID,
				&id); err == nil {
				m, _ := outbox.Store{DB: s.app.Store}.Mail(t.Context(), merchantID, id)
				text = m.Text
			} // else it is not there yet
		}
	}
	_, rest, _ := strings.Cut(text, s.url)
	path, _, _ := strings.Cut(rest, "\n")
	return path
}

// Tests hash passwords cheaply; the program that people run does not.
func TestTheProgramHashesPasswordsAtFullCost(t *testing.T) {
	t.Parallel()
	env := sandboxOn(t)
	makeMerchant(t, env, "gym")
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	//nolint:gosec // our own program
	create := exec.CommandContext(t.Context(), path, "user", "create", "--email", "owner@gym.example", "--role", "admin",
		"--merchant", "gym", "--password-stdin")
	create.Stdin = strings.NewReader("long enough to pass\n")
	create.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	for name, value := range env {
		create.Env = append(create.Env, name+"="+value)
	}
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	conn, err := pgx.Connect(t.Context(), env["DATABASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	var hash string
	if err := conn.QueryRow(t.Context(), `SELECT password_hash FROM users`).Scan(&hash); err != nil ||
		!strings.HasPrefix(hash, "$argon2id$v=19$m=65536,t=2,p=1$") {
		t.Errorf("%.40s %v", hash, err)
	}
}
