package webhook

import (
	"context"
	"time"

	"debitdesk/models/mail"
)

// Task is a delivery that this process has claimed.
type Task struct {
	Delivery
	Event        Event `gorm:"embedded;embeddedPrefix:e_"`
	Gone         bool  // its webhook was deleted
	FailingSince time.Time
	Noticed      bool // its owner was told of the failing
	Title        string
}

// Outcome is what became of an attempt. Failed or delivered, Next is zero.
type Outcome struct {
	Attempt
	State State
	Next  time.Time
}

// Header is one header of a call.
type Header struct{ Name, Value string }

// Answer is what an endpoint answered.
type Answer struct {
	Status int    // HTTP; 0: no answer
	Text   string // the first 2 kB of the body
	Error  string // why there is no answer
}

// Poster calls an endpoint. It never follows a redirect.
type Poster interface {
	Post(ctx context.Context, address string, headers []Header, body []byte) Answer
}

// Letters words the mails of this package.
type Letters interface {
	// EndpointFails tells an admin since when the endpoint does not accept deliveries.
	EndpointFails(w Webhook, lastError string) mail.Letter
}
