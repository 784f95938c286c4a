package factor

import (
	"context"
	"crypto/rand"
	"strings"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// RecoveryCodes is how many a set has.
const RecoveryCodes = 10

// codeAlphabet leaves out what people confuse: 0 and o, 1 and l, i, u.
const codeAlphabet = "23456789abcdefghjkmnpqrstvwxyz"

// A code has 12 of 30 letters; capitals are read as small ones.
const (
	codeLetters = len(codeAlphabet)
	codeLength  = 12
)

// newCodes draws a set: each about 58 bits, as "abcd-efgh-jkmn".
func newCodes() []string {
	codes := make([]string, RecoveryCodes)
	for i := range codes {
		codes[i] = newCode()
	}
	return codes
}

func newCode() string {
	var code strings.Builder
	for n := 0; n < codeLength; {
		var b [1]byte
		_, _ = rand.Read(b[:]) // never fails since Go 1.24
		letter := int(b[0] & 31)
		if letter >= codeLetters {
			continue
		}
		if n > 0 && n%4 == 0 {
			code.WriteByte('-')
		}
		code.WriteByte(codeAlphabet[letter])
		n++
	}
	return code.String()
}

// CleanCode is a recovery code as it is compared: without hyphens, spaces and capitals.
func CleanCode(typed string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' || r == '\u00a0' || r == '\t' {
			return -1
		}
		return r
	}, strings.ToLower(strings.TrimSpace(typed)))
}

// firstCodes gives a person recovery codes with their first second factor.
func firstCodes(tx *database.Tx, set Set) []string {
	if set.Any() {
		return nil
	}
	codes := newCodes()
	replaceRecoveryCodes(tx, set.UserID, codes)
	return codes
}

// RenewCodes draws a new set of recovery codes; the set before stops working.
func (s *Service) RenewCodes(ctx context.Context, who actor.Actor) (codes []string, err error) {
	if who.Kind != actor.User {
		return nil, notAPerson()
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		set, err := factors(tx, who.ID)
		if err != nil {
			return err
		}
		if !set.Any() {
			return fault.New(fault.Conflict, "second_factor_missing", "Set up two-step sign-in first.")
		}
		codes = newCodes()
		replaceRecoveryCodes(tx, who.ID, codes)
		s.change(tx, who, set, "user.recovery_codes_renewed", "Created new recovery codes.",
			"New recovery codes were created. The earlier ones no longer work.")
		return nil
	})
	return codes, err
}

// Fresh tells whether these are the caller's recovery codes and none was used.
func (s *Service) Fresh(ctx context.Context, who actor.Actor, codes []string) (bool, error) {
	if who.Kind != actor.User || len(codes) != RecoveryCodes {
		return false, nil
	}
	n, err := s.Store.UnusedCodes(ctx, who.ID, codes)
	return n == len(codes), err
}
