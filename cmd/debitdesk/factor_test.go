package main

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/pquerna/otp/totp"
)

// codeOf is what an authenticator app shows now, or some steps later.
func codeOf(t *testing.T, key string, steps int) string {
	t.Helper()
	code, err := totp.GenerateCode(key, time.Now().Add(time.Duration(steps)*30*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// setsUpApp sets up an authenticator app and returns its key and a recovery code.
func (b *tab) setsUpApp() (key, code string) {
	b.t.Helper()
	b.open("/account/security")
	b.looksAt("security-none")
	b.click("Set up an authenticator app")
	b.sees("Enter the code that the app shows now.")
	b.looksAt("security-app")
	key = strings.ReplaceAll(regexp.MustCompile(`[A-Z2-7]{4}( [A-Z2-7]{4}){7}`).FindString(b.text("main")), " ", "")
	b.fill("code", codeOf(b.t, key, 0))
	b.fill("password", password)
	b.click("Turn on")
	b.sees("Keep them now")
	b.looksAt("recovery-codes")
	code = regexp.MustCompile(`[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}`).FindString(b.text("main"))
	b.click("I have kept them")
	b.sees("10 of 10 left")
	b.looksAt("security-set-up")
	return key, code
}

func (b *tab) signsOut() {
	b.t.Helper()
	b.goes("sign out", chromedp.Evaluate(`document.querySelector('form[action="/logout"]').submit()`, nil))
	b.sees("You are signed out.")
}

func (b *tab) givesPassword() {
	b.t.Helper()
	b.open("/login")
	b.fill("email", "owner@gym.example")
	b.fill("password", password)
	b.click("Sign in")
}

// A person sets up an authenticator app, signs out, signs in with a code, sees full
// numbers, and is asked again five minutes later; what they sent goes on then.
func TestACodeOpensTheDoorAndIsAskedForAgain(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	owner := site.tab(t, browser(t))
	owner.signIn()
	client := owner.addsClient("Thandiwe Nkosi", "thandiwe@example.com")
	key, recovery := owner.setsUpApp()
	owner.signsOut()
	owner.givesPassword()
	owner.sees("Your password is correct.")
	owner.looksAt("second-factor")
	owner.open("/clients")
	owner.sees("Your password is correct.")
	owner.fill("code", codeOf(t, key, 1))
	owner.click("Confirm")
	owner.sees("Thandiwe Nkosi")
	owner.open("/developers/credentials/new")
	owner.fill("name", "Nightly run")
	if _, err := site.app.Store.Pool.Exec(t.Context(),
		`UPDATE sessions SET proven_at = proven_at - interval '5 minutes'`); err != nil {
		t.Fatal(err)
	}
	owner.submit()
	owner.sees("Confirm that it is you")
	owner.looksAt("proof")
	owner.do("open the other way", chromedp.Click(`details.other-way summary`, byQuery))
	owner.fill("recovery", recovery)
	owner.click("Use the recovery code")
	owner.sees("Copy it now") // the kept form went on by itself
	owner.open("/account/security")
	owner.sees("9 of 10 left")
	owner.open("/settings/security")
	owner.looksAt("settings-security")
	owner.click("Require it for everyone")
	owner.sees("Required for everyone")
	owner.open("/account")
	owner.sees("Recovery code")
	owner.looksAt("sessions")
	owner.open(client)
	owner.sees("Thandiwe Nkosi")
}

// Without scripts the kept form goes on by a button.
func TestAProofWithoutScriptsGoesOnByAButton(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	owner := site.tab(t, browser(t)).withoutScripts()
	owner.givesPassword()
	owner.open("/account/security")
	owner.click("Set up an authenticator app")
	var page string
	owner.do("read the page", chromedp.OuterHTML("main", &page, byQuery))
	key := strings.ReplaceAll(regexp.MustCompile(`[A-Z2-7]{4}( [A-Z2-7]{4}){7}`).FindString(page), " ", "")
	owner.fill("code", codeOf(t, key, 0))
	owner.fill("password", password)
	owner.click("Turn on")
	owner.sees("Keep them now")
	if _, err := site.app.Store.Pool.Exec(t.Context(),
		`UPDATE sessions SET proven_at = proven_at - interval '5 minutes'`); err != nil {
		t.Fatal(err)
	}
	owner.open("/developers/credentials/new")
	owner.fill("name", "Nightly run")
	owner.submit()
	owner.fill("code", codeOf(t, key, 1))
	owner.click("Confirm")
	owner.sees("Continue with what you were doing.")
	owner.click("Continue")
	owner.sees("Copy it now")
}

// A person adds a passkey, signs in with it, and shows it again before what matters.
func TestAPasskeyOpensTheDoor(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.business(t)
	site.url = strings.Replace(site.url, "127.0.0.1", "localhost", 1) // passkeys are bound to names
	owner := site.tab(t, browser(t))
	owner.signIn()
	owner.do("plug in a security key", webauthn.Enable(), chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := webauthn.AddVirtualAuthenticator(&webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true,
			IsUserVerified: true, AutomaticPresenceSimulation: true}).Do(ctx)
		return err
	}))
	owner.open("/account/security")
	owner.click("Add a passkey")
	owner.looksAt("passkey-new")
	owner.fill("name", "Work laptop")
	owner.fill("password", password)
	owner.click("Add passkey")
	owner.sees("Keep them now")
	owner.click("I have kept them")
	owner.sees("Work laptop")
	owner.looksAt("security-passkey")
	owner.signsOut()
	owner.givesPassword()
	owner.sees("Your password is correct.")
	owner.looksAt("second-factor-passkey")
	owner.click("Use a passkey")
	owner.sees("To be collected today")
	owner.open("/account")
	owner.sees("Passkey")
	if _, err := site.app.Store.Pool.Exec(t.Context(),
		`UPDATE sessions SET proven_at = proven_at - interval '5 minutes'`); err != nil {
		t.Fatal(err)
	}
	owner.open("/account/security/passkeys/new")
	owner.sees("Confirm that it is you")
	owner.click("Use a passkey")
	owner.sees("So that you recognise it")
	owner.fill("name", "The same again")
	owner.do("add it again", chromedp.Click(`main button.primary`, byQuery))
	owner.sees("This device has a passkey for your account already.")
	owner.open("/account/security")
	owner.click("Remove passkey Work laptop")
	owner.looksAt("passkey-removal")
	owner.click("Remove passkey")
	owner.sees("Two-step sign-in keeps your account safe")
}
