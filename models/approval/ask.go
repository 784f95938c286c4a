package approval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/batch"
	"debitdesk/models/clientstop"
	"debitdesk/models/database"
	"debitdesk/models/deletion"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
)

// The mails about requests.
const (
	MailAsked     = "approval_asked"
	MailDecided   = "approval_decided"
	MailWithdrawn = "approval_withdrawn"
	MailLoosened  = "approval_demands"
)

// Ask keeps a request with its reason until another person answers it. Of the
// subject the tokens, or the batch with its order, are given.
func (s *Service) Ask(ctx context.Context, who actor.Actor, kind Kind, of Subject, reason string) (Approval, error) {
	if who.Kind != actor.User {
		return Approval{}, fault.New(fault.Forbidden, "permission_denied",
			"Only a signed-in person can ask for approval.")
	}
	reason, err := words("reason", reason, true, "Give a reason for the person who decides.")
	if err != nil {
		return Approval{}, err
	}
	if of, err = s.subject(ctx, who, kind, of); err != nil {
		return Approval{}, err
	}
	asker, err := s.people().User(ctx, who.MerchantID, who.ID)
	if err != nil {
		return Approval{}, err
	}
	all, err := s.people().Colleagues(ctx, who.MerchantID)
	if err != nil {
		return Approval{}, err
	}
	m, err := s.merchants().Merchant(ctx, who.MerchantID)
	if err != nil {
		return Approval{}, err
	}
	a := Approval{MerchantID: who.MerchantID, Kind: kind, Subject: of, SubjectKey: of.key(), Reason: reason, State: Open,
		AskedBy: who.ID, AskedName: who.Name, Version: 1}
	if of.Work != nil {
		a.Input = of.Work.Input
	}
	makers, err := s.makers(ctx, a)
	if err != nil {
		return Approval{}, err
	}
	able := mayDecide(all, append(makers, asker)...)
	if len(makers) > 0 && len(able) == 0 {
		return Approval{}, fault.New(fault.Conflict, "no_approver", "Everyone who may approve has uploaded or changed "+
			"this batch. Someone else with that permission is needed: an admin can give it under Settings, People.")
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if _, err := s.expireIn(tx, who.MerchantID); err != nil {
			return err
		}
		if err := unchanged(tx, a); err != nil {
			return err
		}
		a.ID, a.CreatedAt, a.ExpiresAt = tx.NewID(), tx.Now(), tx.Now().Add(Lifetime)
		if err := insert(tx, a); err != nil {
			return err
		}
		entry := audit.Entry{Action: "approval.asked", ObjectType: "approval", ObjectID: a.ID,
			Text:  "A second approver was asked: " + of.Name + ".",
			After: map[string]any{"kind": kind, "subject": of.Name, "reason": reason, "stakes": of.Totals}}
		if of.Setting != nil { // all admins are told, as of the change itself
			entry.Action = audit.SettingAsked
			entry.After["change"] = of.Setting.Lines
		}
		tx.Audit(who, entry)
		for i, u := range able {
			tx.InsertMail(mail.Mail{MerchantID: a.MerchantID, ObjectID: a.ID, Kind: MailAsked, Attempt: i + 1, To: u.Email,
				State: mail.Queued, Letter: s.Letters.Asked(a, u, m)})
		}
		return nil
	})
	return a, err
}

// subject checks that the asker may do what is asked for, and adds what it means now.
func (s *Service) subject(ctx context.Context, who actor.Actor, kind Kind, of Subject) (Subject, error) {
	switch kind {
	case DeleteTokens:
		if err := who.May(actor.DeleteTokens); err != nil {
			return of, err
		}
		impacts, wrong, err := s.impacts(ctx, who, of)
		if err != nil {
			return of, err
		}
		if len(impacts) == 0 {
			return of, fault.Missing()
		}
		if len(impacts) > deletion.MaxDeleted {
			return of, fault.New(fault.Invalid, "max_length", "At most %d tokens can be deleted at once.",
				deletion.MaxDeleted)
		}
		if seen := of.Totals.Digest; seen != "" && seen != deletion.Digest(impacts) {
			return of, fault.New(fault.Conflict, "stakes_grew",
				"What depends on it changed since you looked. Look at it again.")
		}
		if err := wrong.Err(); err != nil {
			return of, err
		}
		of = Subject{Totals: totalsOf(impacts), Choices: deletion.Chosen(impacts)}
		for _, i := range impacts {
			of.Tokens = append(of.Tokens, i.Token.ID)
		}
		of.Name = "delete " + plural.Of(len(impacts), "token")
		if len(impacts) == 1 {
			of.Name = fmt.Sprintf("delete the token %s of %s", impacts[0].Token.AccountMask,
				impacts[0].Token.HolderName)
		}
		return of, nil
	case Loosen:
		return s.loosening(ctx, who, of)
	case StopClient:
		return s.stopping(ctx, who, of)
	case ImportBook:
		return s.importing(ctx, who, of)
	case ChangeSetting:
		return s.setting(ctx, who, of)
	case DoMany:
		return s.many(ctx, who, of)
	case SendBatch:
		if of.Order == nil {
			return of, fault.Missing()
		}
		b, err := s.Batches.MayStart(ctx, who, of.Batch, *of.Order)
		if err != nil {
			return of, err
		}
		return Subject{Batch: b.ID, Order: of.Order, Totals: totalsOfBatch(b), Name: "send the batch " + b.Name + ": " +
			inShort(b)}, nil
	}
	return of, fault.Missing()
}

func totalsOfBatch(b batch.Batch) Totals {
	return Totals{Rows: b.Counts.Ready, Creates: b.Counts.Creates, Debits: b.Counts.Debits, Cents: b.Counts.ReadyCents}
}

// inShort says what sending a batch does.
func inShort(b batch.Batch) string {
	text := fmt.Sprintf("%s of %s", plural.Of(b.Counts.Ready, "invoice"), money.Format(b.Counts.ReadyCents, money.ZAR))
	if b.Counts.Creates > 0 {
		text += ", " + plural.Of(b.Counts.Creates, "new client")
	}
	if b.Counts.Debits > 0 {
		text += ", " + plural.Of(b.Counts.Debits, "debit")
	}
	return text
}

// impacts are what the deletion of those tokens does that still live, with what was
// chosen and the choices that are not possible.
func (s *Service) impacts(ctx context.Context, who actor.Actor,
	of Subject) (out []deletion.Impact, wrong fault.Problems, err error) {
	if out, err = s.Deletions.DeletionImpacts(ctx, who, of.Tokens); err != nil {
		return nil, nil, err
	}
	for n := range out {
		wrong = append(wrong, out[n].Choose(of.Choices)...)
	}
	return out, wrong, nil
}

func totalsOf(impacts []deletion.Impact) Totals {
	all := deletion.TotalsOf(impacts)
	return Totals{Tokens: all.Tokens, Waiting: all.Waiting, Subscriptions: all.Subscriptions, Cents: all.Cents,
		Digest: all.Digest}
}

// key is the same for the same thing.
func (of Subject) key() string {
	if of.Batch != uuid.Nil {
		return of.Batch.String()
	}
	if of.Client != uuid.Nil {
		return of.Client.String()
	}
	if of.Import != uuid.Nil {
		return of.Import.String()
	}
	if of.Setting != nil {
		return of.Setting.key()
	}
	if of.Loosening != nil {
		return string(Loosen)
	}
	if of.Work != nil {
		return of.Work.Task + ":" + of.Work.Key
	}
	texts := make([]string, len(of.Tokens))
	for i, id := range of.Tokens {
		texts[i] = id.String()
	}
	slices.Sort(texts)
	sum := sha256.Sum256([]byte(fmt.Sprint(slices.Compact(texts))))
	return hex.EncodeToString(sum[:])
}

// List gives requests, newest first: those that wait, or those that are over.
func (s *Service) List(ctx context.Context, who actor.Actor, open bool, ask paging.Ask) (paging.Page[Approval], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Approval]{}, err
	}
	read, err := s.Store.Approvals(ctx, who.MerchantID, open, ask)
	return paging.Cut(ask, read), err
}

// DeletionOf gives the request to delete the token that waits for an answer; waits is false when there is none.
func (s *Service) DeletionOf(ctx context.Context, who actor.Actor, tokenID uuid.UUID) (a Approval, waits bool,
	err error) {
	if err := who.May(actor.Read); err != nil {
		return Approval{}, false, err
	}
	return s.Store.OpenDeletionOf(ctx, who.MerchantID, tokenID)
}

// OpenCount is how many requests wait for an answer.
func (s *Service) OpenCount(ctx context.Context, who actor.Actor) (int, error) {
	if err := who.May(actor.Read); err != nil {
		return 0, err
	}
	return s.Store.CountOpenApprovals(ctx, who.MerchantID)
}

// Sheet is a request with what depends on it at this moment.
type Sheet struct {
	Approval
	Impacts []deletion.Impact // of a deletion, of what still lives
	Effects batch.Effects     // of a batch, as it is now
	Halt    clientstop.Halt   // of a stop, as it is now
	Many    Standing          // of what is done to many, as it is now
	Now     Totals
	Changed bool   // other things hang on it than when it was asked
	Why     string // why the caller cannot decide; empty: can
	Mine    bool   // the caller asked, and can withdraw it
}

// Show gives one request.
func (s *Service) Show(ctx context.Context, who actor.Actor, id uuid.UUID) (Sheet, error) {
	if err := who.May(actor.Read); err != nil {
		return Sheet{}, err
	}
	a, err := s.Store.Approval(ctx, who.MerchantID, id)
	if err != nil {
		return Sheet{}, err
	}
	v := Sheet{Approval: a, Now: a.Subject.Totals}
	v.State = a.Stands(s.Now())
	if v.State != Open {
		return v, nil
	}
	v.Mine = a.AskedBy == who.ID
	if why, ok := fault.From(s.mayAnswer(ctx, who, a)); ok {
		v.Why = why.Message
	}
	switch a.Kind {
	case DeleteTokens:
		if v.Impacts, _, err = s.impacts(ctx, who, a.Subject); err != nil {
			return v, err
		}
		v.Now = totalsOf(v.Impacts)
	case SendBatch:
		b, err := s.Batches.Refresh(ctx, who, a.Subject.Batch)
		if err != nil {
			return v, err
		}
		v.Now = totalsOfBatch(b)
		if v.Effects, err = s.Batches.Effects(ctx, who, b); err != nil {
			return v, err
		}
	case StopClient:
		if v.Halt, err = s.Stops.HaltOf(ctx, who, a.Subject.Client); err != nil && !fault.Is(err, fault.NotFound) {
			return v, err
		}
		v.Now = totalsOfHalt(v.Halt)
	case DoMany:
		if v.Many, err = s.standing(ctx, a); err != nil && !fault.Is(err, fault.NotFound) {
			return v, err
		}
		v.Now = v.Many.Totals
	case ImportBook:
		i, err := s.Imports.Get(ctx, who, a.Subject.Import)
		if err != nil {
			return v, err
		}
		v.Now = totalsOfImport(i)
	case ChangeSetting, Loosen: // what was asked for is compared when it is decided
	}
	was, is := a.Subject.Totals, v.Now
	if was.Digest == "" { // asked before digests were kept
		is.Digest = ""
	}
	v.Changed = was != is
	return v, nil
}
