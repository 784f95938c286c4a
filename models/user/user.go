// Package user knows the people who sign in to the dashboard: their passwords,
// their sessions and how guessing is slowed down. It must not know cookies.
package user

import (
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
)

// Roles are those a person can have, the mightiest first.
var Roles = actor.Roles

// Themes are the looks a person can choose; the first follows the device.
var Themes = []string{"", "light", "dark"}

// Limits of a password, in characters.
const (
	MinPassword = 12
	MaxPassword = 256
)

const (
	maxEmail = 254
	maxName  = 100
)

// User is a person who signs in. The zero time means never.
type User struct {
	ID         uuid.UUID
	MerchantID uuid.UUID
	Email      string // unique over all merchants, whatever its case
	Name       string
	Role       actor.Role   // in the business of MerchantID
	Grants     actor.Grants `gorm:"serializer:json;->;-:migration"` // what differs from the role there
	// BatchLimitCents is above what amount the person sends no batch; nil: no limit.
	BatchLimitCents *int64 `gorm:"->;-:migration"`
	Theme           string
	KeysOff         bool      // single keys do nothing on the pages
	LastSeenAt      time.Time `gorm:"->"` // real time
	DisabledAt      time.Time `gorm:"->"`
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// Actor is this person as the one who acts.
func (u User) Actor() actor.Actor {
	return actor.Actor{Kind: actor.User, ID: u.ID, Name: u.Called(), MerchantID: u.MerchantID, Role: u.Role,
		Grants: u.Grants, BatchLimitCents: u.BatchLimitCents}
}

// Called is the name to show, which falls back to the e-mail address.
func (u User) Called() string {
	if u.Name != "" {
		return u.Name
	}
	return u.Email
}

// Input is what a new person is made of.
type Input struct {
	Email, Name, Password string
	Role                  actor.Role
}

// CheckIdentity notes what is wrong with how a person is called.
func CheckIdentity(problems *fault.Problems, email, name string) {
	address, err := mail.ParseAddress(email)
	switch {
	case email == "":
		problems.Add("email", "required", "This field is required.")
	case err != nil || address.Address != email || len(email) > maxEmail:
		problems.Add("email", "invalid", "Enter a valid e-mail address.")
	}
	if utf8.RuneCountInString(name) > maxName {
		problems.Add("name", "max_length", "Ensure this value has at most %d characters.", maxName)
	}
	problems.OneLine("name", name)
}

func (in Input) checked() (Input, error) {
	var problems fault.Problems
	in.Email, in.Name = strings.TrimSpace(in.Email), strings.TrimSpace(in.Name)
	CheckIdentity(&problems, in.Email, in.Name)
	if !slices.Contains(Roles, in.Role) {
		problems.Add("role", "invalid_choice", "A role is admin, finance, staff or readonly.")
	}
	CheckPassword(&problems, "password", in.Email, in.Password)
	return in, problems.Err()
}
