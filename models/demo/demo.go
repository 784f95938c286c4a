// Package demo knows a believable merchant to try the product with: a gym in
// Cape Town, its people, its members and five weeks of debit orders. It does
// nothing that a person or a program could not do: it calls the use cases.
package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/credential"
	"debitdesk/models/database"
	"debitdesk/models/deletion"
	"debitdesk/models/fault"
	"debitdesk/models/journal"
	"debitdesk/models/merchant"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/models/user"
)

// Slug is the short name of the demo merchant.
const Slug = "kloof-street-fitness"

// Password opens the dashboard for all of its people. The demo exists in
// sandbox mode alone.
const Password = "kloof-street-demo" //nolint:gosec // printed for everybody to see

const (
	history      = 35 // days
	tokenLasts   = 5 * 365 * 24 * time.Hour
	clientsShown = 1000
)

// people who sign in, one of each role.
var people = []user.Input{
	{Email: "admin@kloofstreet.example", Name: "Nomsa Jacobs", Password: Password, Role: actor.Admin},
	{Email: "finance@kloofstreet.example", Name: "Werner Louw", Password: Password, Role: actor.Finance},
	{Email: "staff@kloofstreet.example", Name: "Zinhle Dube", Password: Password, Role: actor.Staff},
}

// Service makes the demo out of the product's use cases.
type Service struct {
	Merchants   *merchant.Service
	Users       *user.Service
	Clients     *client.Service
	Purchases   *purchase.Service
	Deletions   *deletion.Service
	Credentials *credential.Service

	Subscriptions *subscription.Service
	Books         *journal.Service

	Read     merchant.Store
	Calendar *calendar.Calendar
	Clock    *database.Clock
	// Advance moves the clock forward and returns when everything that became
	// due until then has been done.
	Advance func(ctx context.Context, to time.Time) error
}

// Result is what somebody needs to try the product.
type Result struct {
	Merchant merchant.Merchant
	BrandID  uuid.UUID
	APIToken string
	Users    []User
	Clients  []Client
	New      bool // the demo was made by this call
}

// User is a person of the demo.
type User struct {
	Email    string     `json:"email"`
	Password string     `json:"password"`
	Role     actor.Role `json:"role"`
}

// Client is a member of the gym.
type Client struct {
	ID    uuid.UUID `json:"id"`
	Email string    `json:"email"`
}

// Prepare makes the demo with so many clients, unless it is there already, and
// issues a fresh token that lasts five years.
func (s *Service) Prepare(ctx context.Context, clients int) (Result, error) {
	var out Result
	m, err := s.Read.MerchantBySlug(ctx, Slug)
	switch {
	case fault.Is(err, fault.NotFound):
		out.New = true
		if m, err = s.fill(ctx, clients); err != nil {
			return out, fmt.Errorf("fill the demo: %w", err)
		}
	case err != nil:
		return out, err
	case !m.IsDemo:
		return out, fmt.Errorf("the merchant %s is not the demo's", Slug)
	}
	out.Merchant = m
	return out, s.describe(ctx, &out)
}

// fill begins five weeks ago and lives through them day by day.
func (s *Service) fill(ctx context.Context, clients int) (merchant.Merchant, error) {
	end := s.Clock.Now()
	began, err := s.Clock.StartAt(ctx, calendar.DateOf(end).AddDays(-history).At(7, 30))
	if err != nil {
		return merchant.Merchant{}, err
	}
	if !began {
		return merchant.Merchant{},
			errors.New("the database is not empty: the demo begins with a history, so it needs a database without purchases")
	}
	m, brand, err := s.Merchants.Create(ctx, merchant.New{Slug: Slug, Name: "Kloof Street Fitness", Demo: true,
		Brand: gym()})
	if err != nil {
		return m, err
	}
	story := &story{s: s, merchant: m, brand: brand, today: calendar.DateOf(end)}
	for _, one := range people {
		made, err := s.Users.Create(ctx, actor.OperatorOf(m.ID), one)
		if err != nil {
			return m, err
		}
		if made.Role == actor.Admin {
			story.admin = actor.Actor{Kind: actor.User, ID: made.ID, Name: made.Name, MerchantID: m.ID, Role: made.Role}
		}
	}
	for n := range clients {
		story.member(n)
	}
	story.subscriptions()
	story.fees()
	return m, story.live(ctx, end)
}

func gym() merchant.Brand {
	return merchant.Brand{
		BrandInput: merchant.BrandInput{Name: "Kloof Street Fitness", LegalName: "Kloof Street Fitness (Pty) Ltd",
			RegistrationNumber: "2016/417203/07", TaxNumber: "4290271835", Website: "https://kloofstreet.example",
			Email: "accounts@kloofstreet.example", Phone: "27214220199", StreetAddress: "117 Kloof Street, Gardens",
			City: "Cape Town", ZipCode: "8001", ReferencePrefix: "KSF"}, Country: "ZA",
		Profiles: []merchant.Profile{{ProfileCode: "TEST1", AbbreviatedName: "TESTMERCH1", AccountNumber: "12345678",
			BranchCode: "250655"}},
	}
}

// Users are the people of the demo.
func Users() []User {
	out := make([]User, len(people))
	for i, one := range people {
		out[i] = User{one.Email, Password, one.Role}
	}
	return out
}

// describe reads what is there, oldest client first.
func (s *Service) describe(ctx context.Context, out *Result) error {
	who := actor.OperatorOf(out.Merchant.ID)
	brands, err := s.Read.Brands(ctx, out.Merchant.ID)
	if err != nil {
		return err
	}
	if len(brands) == 0 {
		return errors.New("the demo was interrupted while it was being created: begin with an empty database")
	}
	out.BrandID = brands[0].ID
	out.Users = Users()
	page, err := s.Clients.List(ctx, who, client.Query{Ask: paging.Ask{Limit: clientsShown}})
	if err != nil {
		return err
	}
	for _, c := range slices.Backward(page.Items) {
		out.Clients = append(out.Clients, Client{c.ID, c.Email})
	}
	issued, err := s.Credentials.Issue(ctx, who, credential.Input{Name: "Demo", Lifetime: tokenLasts})
	out.APIToken = issued.Token
	return err
}
