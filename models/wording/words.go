package wording

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/merchant"
)

// MostWords is how long the opening and the closing of a message may be, in characters.
const MostWords = 600

// Words are what a business adds to a kind of message in one language, in one version. The newest counts.
type Words struct {
	ID, MerchantID, BrandID uuid.UUID
	merchant.Wording
	Version   int
	CreatedBy string
	CreatedAt time.Time
}

// Input is what a person types, and the version that they saw.
type Input struct {
	Language         locale.Language
	Version          int // 0: there was none
	Opening, Closing string
}

// Save keeps the words of a kind. Errors: Invalid with each field and what is wrong with it; Conflict of code
// "words_changed" when another person saved since. What was sent stays as it was.
func (s *Service) Save(ctx context.Context, who actor.Actor, brandID uuid.UUID, kind Kind,
	in Input) (w Words, err error) {
	if err := who.May(actor.Manage); err != nil {
		return w, err
	}
	if len(kind.Places) == 0 {
		return w, fault.Missing()
	}
	in.Opening, in.Closing = tidy(in.Opening), tidy(in.Closing)
	wrong := in.check(kind)
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		b, err := merchant.LockBrand(tx, who.MerchantID, brandID)
		if err != nil {
			return err
		}
		if in.Language != locale.English && !slices.Contains(b.Offered(), in.Language) {
			wrong.Add("language", "invalid_choice", "This brand does not offer that language to its clients.")
		}
		if err := wrong.Err(); err != nil {
			return err
		}
		if w, err = newest(tx, b, kind.Name, in.Language); err != nil {
			return err
		}
		if w.Version != in.Version {
			return fault.New(fault.Conflict, "words_changed",
				"Another person changed these words while your form was open. Your changes are not saved yet.")
		}
		if w.Opening == in.Opening && w.Closing == in.Closing {
			return nil
		}
		was := w
		w = Words{ID: tx.NewID(), MerchantID: b.MerchantID, BrandID: b.ID, Version: was.Version + 1, CreatedBy: who.Name,
			CreatedAt: tx.Now(), Wording: merchant.Wording{Kind: kind.Name, Language: in.Language, Opening: in.Opening,
				Closing: in.Closing}}
		if err := insert(tx, w); err != nil {
			return err
		}
		merchant.Changed(tx, b.ID)
		tx.Audit(who, audit.Entry{Action: "message.worded", ObjectType: "brand", ObjectID: b.ID,
			Text:   fmt.Sprintf("Your words in the message “%s” (%s) were changed.", kind.Title, in.Language.Name()),
			Before: was.audited(), After: w.audited()})
		return nil
	})
	return w, err
}

// Try gives a brand as it would be with such words, for a look at a mail before anything is kept. Invalid says what
// Save would refuse; the brand is good to look at all the same.
func Try(b merchant.Brand, kind Kind, in Input) (merchant.Brand, error) {
	in.Opening, in.Closing = tidy(in.Opening), tidy(in.Closing)
	b.OwnWords = append(slices.DeleteFunc(slices.Clone(b.OwnWords), func(w merchant.Wording) bool {
		return w.Kind == kind.Name && w.Language == in.Language
	}), merchant.Wording{Kind: kind.Name, Language: in.Language, Opening: in.Opening, Closing: in.Closing})
	return b, in.check(kind).Err()
}

func (w Words) audited() map[string]any {
	return map[string]any{"kind": w.Kind, "language": w.Language, "version": w.Version, "opening": w.Opening,
		"closing": w.Closing}
}

// tidy ends lines as we do and drops space around them, and empty lines beyond one.
func tidy(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	text = strings.TrimSpace(strings.Join(lines, "\n"))
	for strings.Contains(text, "\n\n\n") {
		text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
	}
	return text
}

func (in Input) check(kind Kind) (wrong fault.Problems) {
	for _, part := range []struct{ name, text string }{{"opening", in.Opening}, {"closing", in.Closing}} {
		if n := utf8.RuneCountInString(part.text); n > MostWords {
			wrong.Add(part.name, "max_length", "At most %d characters; this has %d.", MostWords, n)
		}
		_, problems := parse(part.text, kind.Places)
		for _, p := range problems {
			wrong.Add(part.name, p.code, "%s", p.words)
		}
	}
	return wrong
}
