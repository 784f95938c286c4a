package approval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/dryrun"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/user"
	"debitdesk/models/webhook"
)

// ChangeSetting is the request to change a setting that directs money, or decides who learns of it.
const ChangeSetting Kind = "change_setting"

// SettingDo says what is changed.
type SettingDo string

// What can be changed.
const (
	AddProfile     SettingDo = "add_profile"
	DefaultProfile SettingDo = "default_profile"
	RemoveProfile  SettingDo = "remove_profile"
	AddWebhook     SettingDo = "add_webhook"
	ChangeWebhook  SettingDo = "change_webhook"
	DeleteWebhook  SettingDo = "delete_webhook"
	MatchEFT       SettingDo = "match_eft" // without a person
)

// Setting is a change as it was asked for. Its JSON is how it is stored.
type Setting struct {
	Do      SettingDo              `json:"do"`
	Brand   uuid.UUID              `json:"brand,omitzero"`    // of a profile
	ID      uuid.UUID              `json:"id,omitzero"`       // of the profile or webhook; zero: a new one
	Profile *merchant.ProfileInput `json:"profile,omitempty"` // that is added
	Webhook *WebhookInput          `json:"webhook,omitempty"` // as it is to be
	Lines   []string               `json:"lines"`             // what it does in words, numbers masked
}

// WebhookInput is what a webhook is to be.
type WebhookInput struct {
	Title     string   `json:"title"`
	Callback  string   `json:"callback"`
	AllEvents bool     `json:"all_events"`
	Events    []string `json:"events"`
}

func (w WebhookInput) input() webhook.Input {
	return webhook.Input{Title: w.Title, Callback: w.Callback, AllEvents: w.AllEvents, Events: slices.Clone(w.Events)}
}

// key is the same for the same change.
func (t Setting) key() string {
	t.Lines = nil
	text, _ := json.Marshal(t) // texts and ids alone
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// name says in short what is changed, after "wants to".
func (t Setting) name() string {
	return map[SettingDo]string{AddProfile: "add a clearing account", DefaultProfile: "change the default account",
		RemoveProfile: "remove a debit-order profile", AddWebhook: "add a webhook", ChangeWebhook: "change a webhook",
		DeleteWebhook: "delete a webhook", MatchEFT: "switch on the rule for EFT payments"}[t.Do]
}

// PlanSetting says in words what a change would do, by trying it. It refuses what would be refused.
func (s *Service) PlanSetting(ctx context.Context, who actor.Actor, t Setting) (Setting, error) {
	if err := who.May(actor.Manage); err != nil {
		return t, err
	}
	err := s.Store.InTx(dryrun.With(ctx), func(tx *database.Tx) (err error) {
		t.Lines, err = s.changeSetting(tx, who, t, webhook.Keys{})
		return err
	})
	return t, err
}

// setting is the subject of a request to change one.
func (s *Service) setting(ctx context.Context, who actor.Actor, of Subject) (Subject, error) {
	if of.Setting == nil {
		return of, fault.Missing()
	}
	t, err := s.PlanSetting(ctx, who, *of.Setting)
	if err != nil {
		return of, err
	}
	return Subject{Setting: &t, Name: t.name()}, nil
}

// changeSetting makes a change, and says what it does in words.
func (s *Service) changeSetting(tx *database.Tx, who actor.Actor, t Setting, keys webhook.Keys) ([]string, error) {
	switch t.Do {
	case AddProfile, DefaultProfile, RemoveProfile:
		return s.changeProfile(tx, who, t)
	case AddWebhook:
		if t.Webhook == nil {
			return nil, fault.Missing()
		}
		w, err := s.Webhooks.CreateIn(tx, who, t.Webhook.input(), keys)
		return append([]string{"A webhook is added, which hears of what happens to purchases, tokens and money."},
			webhookLines(w)...), err
	case ChangeWebhook, DeleteWebhook:
		return s.changeWebhook(tx, who, t)
	case MatchEFT:
		if s.MatchEFT == nil {
			return nil, fault.Missing()
		}
		return s.MatchEFT(tx, who, true)
	}
	return nil, fault.Missing()
}

func (s *Service) changeProfile(tx *database.Tx, who actor.Actor, t Setting) ([]string, error) {
	b, err := merchant.LockBrand(tx, who.MerchantID, t.Brand)
	if err != nil {
		return nil, err
	}
	was, _ := b.DefaultProfile()
	switch {
	case t.Do == AddProfile && t.Profile != nil:
		p, err := s.Brands.AddProfileIn(tx, who, t.Brand, *t.Profile)
		lines := []string{"Debit-order profile of " + b.Name + " is added: " + p.InWords() + ".",
			"Money that is collected for it is paid into that account."}
		if p.IsDefault {
			lines = append(lines, "It is the default: requests that name no profile use it.")
		}
		return lines, err
	case t.Do == DefaultProfile:
		p, err := s.Brands.DefaultToIn(tx, who, t.Brand, t.ID)
		if err == nil && p.IsDefault {
			err = fault.New(fault.Conflict, "nothing_changes", "This profile is the default already.")
		}
		return []string{"Default profile of " + b.Name + " now: " + was.InWords() + ".", "And then: " + p.InWords() + ".",
			"New mandates that name no profile are paid into that account."}, err
	case t.Do == RemoveProfile:
		p, err := s.Brands.RemoveProfileIn(tx, who, t.Brand, t.ID)
		return []string{"Debit-order profile of " + b.Name + " is removed: " + p.InWords() + "."}, err
	}
	return nil, fault.Missing()
}

func (s *Service) changeWebhook(tx *database.Tx, who actor.Actor, t Setting) ([]string, error) {
	before, err := s.Webhooks.Store.Webhook(tx.Context(), who.MerchantID, t.ID)
	if err != nil {
		return nil, err
	}
	if t.Do == DeleteWebhook {
		return append([]string{"A webhook is deleted; what is on its way to it is dropped."}, webhookLines(before)...),
			s.Webhooks.DeleteIn(tx, who, before)
	}
	if t.Webhook == nil {
		return nil, fault.Missing()
	}
	after, err := s.Webhooks.UpdateIn(tx, who, before, t.Webhook.input())
	lines := []string{"The webhook " + before.Title + " is changed. Now:"}
	lines = append(append(lines, webhookLines(before)...), "And then:")
	return append(lines, webhookLines(after)...), err
}

func webhookLines(w webhook.Webhook) []string {
	events := "all events"
	if !w.AllEvents {
		events = strings.Join(w.Events, ", ")
	}
	return []string{fmt.Sprintf("%s: %s, for %s.", w.Title, w.ShownCallback(), events)}
}

// prepared is what a decision needs that takes too long in its transaction.
func (s *Service) prepared(a Approval) (webhook.Keys, error) {
	if a.Kind != ChangeSetting || a.State != Approved || a.Subject.Setting == nil || a.Subject.Setting.Do != AddWebhook {
		return webhook.Keys{}, nil
	}
	return webhook.NewKeys()
}

// carryOutSetting changes what was asked for, as long as it still does what the second approver was shown.
func (s *Service) carryOutSetting(tx *database.Tx, asker user.User, a Approval, keys webhook.Keys) error {
	as := asker.Actor()
	if err := still(as.May(actor.Manage)); err != nil {
		return err
	}
	if a.Subject.Setting == nil {
		return fault.Missing()
	}
	lines, err := s.changeSetting(tx, as, *a.Subject.Setting, keys)
	if fault.Is(err, fault.NotFound) || err == nil && !slices.Equal(lines, a.Subject.Setting.Lines) {
		return fault.New(fault.Conflict, "setting_changed",
			"This setting has changed since the request was made. Refuse it; it can be asked for again.")
	}
	return err
}

// OpenSettings are the requests to change settings that direct money which wait for an answer, newest first.
func (s *Service) OpenSettings(ctx context.Context, who actor.Actor) ([]Approval, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.openOf(ctx, who.MerchantID, ChangeSetting)
}
